"""The context menu for the job, user, queue and node under the mouse."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QWidget

from app.actions.answer_action import answer_for
from app.actions.folding import fold_entries
from app.actions.marks import ask_for_mark, mark_entries
from app.model.alignment import align_at_start
from app.model.models import Models
from app.panels.charts.chart_set import ChartSet
from engine.filter.expression import Expression, Not, join
from engine.filter.parse import LONGEST
from engine.schedule.schedule import Schedule
from engine.shown_text import shown_name, with_kind
from engine.trace import Trace
from views.data.changes import format_change
from views.data.selection import filter_of
from views.state.filter import Filter
from views.state.selection import Selection
from views.state.spot import Spot
from views.text.ticks import axis_of
from views.timechart.chart import TimeChart
from views.timechart.portrait import portrait
from views.widgets.menu_entries import MenuEntry, MenuItem, literal, note

SpotKind = Literal["job", "user", "queue", "node"]


@dataclass(frozen=True)
class SpotItem:
    """A job, user, queue or node; `name` is its name in the log, `title` includes its kind.

    `selection` selects it: for a node, the jobs that ran on it.
    """

    kind: SpotKind
    title: str
    name: str
    selection: Callable[[], Selection]


def items_at(spot: Spot, trace: Trace) -> Iterator[SpotItem]:
    """The things at a spot, the smallest first."""
    if spot.job is not None:
        user, number = int(trace.user.codes[spot.job]), str(trace.job_id[spot.job])
        picked = Selection(jobs=frozenset({spot.job}), users=frozenset({user}))
        yield SpotItem("job", f"job {shown_name(number)}", number, lambda: picked)
    if spot.user is not None:
        name, of_user = trace.user.names[spot.user], Selection(users=frozenset({spot.user}))
        yield SpotItem("user", with_kind("user", name), name, lambda: of_user)
    if spot.queue is not None:
        name, of_queue = trace.queue.names[spot.queue], Selection(queues=frozenset({spot.queue}))
        yield SpotItem("queue", with_kind("queue", name), name, lambda: of_queue)
    if spot.node is not None and spot.schedule is not None:
        name = spot.schedule.cluster.node_name(spot.node)
        shown = shown_name(name)
        title = shown if shown.startswith("node ") else f"node {shown}"
        yield SpotItem("node", title, name, partial(_on_node, spot))


def _on_node(spot: Spot) -> Selection:
    assert spot.schedule is not None
    assert spot.node is not None
    jobs = frozenset(spot.schedule.jobs_on(spot.node).tolist())
    return Selection(jobs=jobs, nodes=frozenset({spot.node}))


_SHARP = 2.0  # pixels of a copied picture for each of the screen
_TOO_MUCH = "Too much is selected for a filter: select users or a time range."


@dataclass(frozen=True)
class SpotMenu:
    """The context menu entries for a spot; `bring` scrolls the charts of a run into view."""

    models: Models
    charts: ChartSet
    bring: Callable[[int], object]
    window: QWidget

    def entries(self, spot: Spot) -> list[MenuItem]:
        """A submenu for each item at the spot."""
        items: list[MenuItem] = []
        if spot.mark is not None:
            mark = mark_entries(self.models, spot.mark)
            items.append(MenuEntry(literal(f"Mark {spot.mark.name}"), inner=mark))
        for item in items_at(spot, self.models.workbench.study.trace):
            title = literal(item.title[0].upper() + item.title[1:])
            items.append(MenuEntry(title, inner=self._entries_of(item, spot)))
        return items

    def _entries_of(self, item: SpotItem, spot: Spot) -> list[MenuItem]:
        """What can be done with an item."""
        models = self.models
        entries: list[MenuItem] = [
            MenuEntry("&Select", lambda: self._select(item)),
            MenuEntry("&Filter to it", lambda: look_at(models, self._expression(item))),
            MenuEntry("&Hide it", lambda: self._hide(item)),
        ]
        # What concerns a single job: its place in other runs, an answer to its user, and alignment.
        if item.kind == "job" and spot.job is not None:
            align = partial(align_at_start, models, spot.job, spot.schedule)
            entries += [
                MenuEntry("Find in other &runs", inner=self._in_runs(spot.job, spot.schedule, item)),
                MenuEntry("Answer for the &user…", partial(answer_for, models, spot.job, self.window)),
                MenuEntry("&Align runs at its start", align),
            ]
        else:
            entries.append(MenuEntry("&Go to it in all runs", lambda: self._go(item)))
        if item.kind == "node":
            entries += fold_entries(models, spot)
        else:
            entries.append(MenuEntry("&Mark it…", lambda: self._mark(item)))
        copy = "&Copy its number" if item.kind == "job" else "&Copy its name"
        entries.append(MenuEntry(copy, partial(_copy_text, item.name)))
        return entries

    def _select(self, item: SpotItem) -> None:
        """Pick it; the picked time stays."""
        selection = self.models.selection
        now = selection.value
        selection.select(replace(item.selection(), time_range=now.time_range, instant=now.instant))

    def _go(self, item: SpotItem) -> None:
        """Pick it, and show wherever it is."""
        self.models.selection.select(item.selection())
        self.charts.fit_selection()

    def _expression(self, item: SpotItem) -> Expression | None:
        return filter_of(item.selection(), self.models.workbench.study.trace)

    def _hide(self, item: SpotItem) -> None:
        expression, now = self._expression(item), self.models.filter.value.expression
        if expression is not None:
            others = Not(expression)
            look_at(self.models, others if now is None else join("and", now, others), hides=True)

    def _mark(self, item: SpotItem) -> None:
        ask_for_mark(self.models, item.selection(), None, self.window)

    def _in_runs(self, job: int, here: Schedule | None, item: SpotItem) -> list[MenuItem]:
        """A job in each run: its start there, and how it differs from that in the run of this chart."""
        entries: list[MenuItem] = []
        for run in self.models.workbench.finished():
            schedule, name = run.chart_data.schedule, literal(run.result.name)
            if not schedule.ran[job]:
                entries.append(note(f"{name}: did not run"))
            elif schedule is not here:
                text = f"{name}: {_start_of(schedule, job, here)}"
                entries.append(MenuEntry(text, partial(self._go_in, run.result.run_id, schedule, job, item)))
        return [*entries, None, MenuEntry("In &all of them", lambda: self._go(item))]

    def _go_in(self, run_id: int, schedule: Schedule, job: int, item: SpotItem) -> None:
        """Show the job in a run, from its submission to its end."""
        self.models.selection.select(item.selection())
        shift = self.models.view.options.offset(run_id)
        span = float(schedule.submit[job]) - shift, float(schedule.end[job]) - shift
        self.models.clock.fit_range(*span)
        self.bring(run_id)


def _start_of(schedule: Schedule, job: int, here: Schedule | None) -> str:
    start, axis = int(schedule.start[job]), axis_of(schedule.trace)
    moment = axis.format(float(start))
    if here is None or not here.ran[job]:
        return moment
    return f"{moment}, {format_change(start - int(here.start[job]))}"


def look_at(models: Models, expression: Expression | None, hides: bool | None = None) -> None:
    """Filter by an expression, if it can be spelled; others are hidden or dimmed as before, unless it
    specifies that.
    """
    if expression is None:
        return
    if len(str(expression)) > LONGEST:
        models.messages.show_message(_TOO_MUCH)
    else:
        models.filter.set(Filter(expression, models.filter.value.hides if hides is None else hides))


def copy_picture(widget: QWidget) -> None:
    """Copy a chart to the clipboard as a picture, in print resolution; charts on the clock include their time
    axis.
    """
    QGuiApplication.clipboard().setImage(picture_of(widget))


def picture_of(widget: QWidget) -> QImage:
    """A chart as a complete picture."""
    return portrait(widget, _SHARP) if isinstance(widget, TimeChart) else widget.grab().toImage()


def _copy_text(text: str) -> None:
    QGuiApplication.clipboard().setText(text)


def spot_of_row(widget: QWidget, kind: str, item: int, trace: Trace) -> Spot:
    """The spot of a row of a table of jobs, users or queues."""
    if kind == "job":
        return Spot(widget, None, item, int(trace.user.codes[item]), int(trace.queue.codes[item]))
    return Spot(widget, user=item) if kind == "user" else Spot(widget, queue=item)
