"""The context menu for the job, user, queue and node under the mouse."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from PySide6.QtGui import QAction, QGuiApplication, QImage
from PySide6.QtWidgets import QMenu, QWidget

from app.actions.answering import answer_for
from app.actions.folding import offer_folding
from app.actions.marks import ask_for_mark, mark_offers
from app.actions.offers import fill
from app.model.aligning import align_at_start
from app.model.models import Models
from app.panels.chart_set import ChartSet
from engine.filter.expression import Expression, Not, join
from engine.filter.parse import LONGEST
from engine.schedule.schedule import Schedule
from engine.trace import Trace
from views.data.changes import format_change
from views.data.selection import filter_of
from views.state.filter import Filter
from views.state.selection import Selection
from views.state.spot import Spot
from views.text.names import with_kind
from views.text.ticks import axis_of
from views.timechart.chart import TimeChart
from views.timechart.portrait import portrait

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
        yield SpotItem("job", f"job {number}", number, lambda: picked)
    if spot.user is not None:
        name, of_user = trace.user.names[spot.user], Selection(users=frozenset({spot.user}))
        yield SpotItem("user", with_kind("user", name), name, lambda: of_user)
    if spot.queue is not None:
        name, of_queue = trace.queue.names[spot.queue], Selection(queues=frozenset({spot.queue}))
        yield SpotItem("queue", with_kind("queue", name), name, lambda: of_queue)
    if spot.node is not None and spot.schedule is not None:
        name = spot.schedule.cluster.node_name(spot.node)
        title = name if name.startswith("node ") else f"node {name}"
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

    def offer(self, menu: QMenu, spot: Spot) -> None:
        """Put a submenu for each item at the spot at the head of a menu, in place of those before."""
        for action in menu.actions():
            if (inner := _inner(menu, action)) is not None:
                menu.removeAction(action)
                inner.deleteLater()
        study = self.models.workbench.study
        first = next(iter(menu.actions()), None)
        if spot.mark is not None:
            inner = _ItemMenu(f"Mark {spot.mark.name}".replace("&", "&&"), menu)
            fill(inner, mark_offers(self.models, spot.mark))
            menu.insertMenu(first, inner) if first is not None else menu.addMenu(inner)
        for item in items_at(spot, study.trace):
            inner = _ItemMenu(item.title[0].upper() + item.title[1:].replace("&", "&&"), menu)
            self._fill(inner, item, spot)
            menu.insertMenu(first, inner) if first is not None else menu.addMenu(inner)

    def _fill(self, menu: QMenu, item: SpotItem, spot: Spot) -> None:
        add = menu.addAction
        add("&Select", lambda: self._select(item))
        add("&Filter to it", lambda: look_at(self.models, self._expression(item)))
        add("&Hide it", lambda: self._hide(item))
        if item.kind == "job" and spot.job is not None:
            self._add_runs(menu, spot.job, spot.schedule, item)
            add("Answer for the &user…", partial(answer_for, self.models, spot.job, self.window))
            add("&Align runs at its start", partial(align_at_start, self.models, spot.job, spot.schedule))
        else:
            add("&Go to it in all runs", lambda: self._go(item))
        if item.kind == "node":
            offer_folding(self.models, menu, spot)
        else:
            add("&Mark it…", lambda: ask_for_mark(self.models, item.selection(), None, self.window))
        add("&Copy its number" if item.kind == "job" else "&Copy its name", partial(_copy_text, item.name))

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

    def _add_runs(self, menu: QMenu, job: int, here: Schedule | None, item: SpotItem) -> None:
        """A job under each run: when it starts there, and that against the run whose chart this is."""
        inner = menu.addMenu("Find in other &runs")
        for one in self.models.workbench.finished():
            schedule, name = one.chart_data.schedule, one.result.name.replace("&", "&&")
            if not schedule.ran[job]:
                inner.addAction(f"{name}: did not run").setEnabled(False)
            elif schedule is not here:
                text = f"{name}: {_start_of(schedule, job, here)}"
                inner.addAction(text, partial(self._go_in, one.result.run_id, schedule, job, item))
        inner.addSeparator()
        inner.addAction("In &all of them", lambda: self._go(item))

    def _go_in(self, run_id: int, schedule: Schedule, job: int, item: SpotItem) -> None:
        """Show the job in a run, from its submission to its end."""
        self.models.selection.select(item.selection())
        shift = self.models.view.options.offset(run_id)
        span = float(schedule.submit[job]) - shift, float(schedule.end[job]) - shift
        self.models.clock.fit_range(*span)
        self.bring(run_id)


class _ItemMenu(QMenu):
    """The submenu of an item."""


def _inner(menu: QMenu, action: QAction) -> _ItemMenu | None:
    """The submenu of an item that an action opens; `QAction.menu` is left alone, see `menu_tree`."""
    inner: Iterable[_ItemMenu] = menu.findChildren(_ItemMenu)
    return next((one for one in inner if one.menuAction() == action), None)


def _start_of(schedule: Schedule, job: int, here: Schedule | None) -> str:
    start, axis = int(schedule.start[job]), axis_of(schedule.trace)
    told = axis.spell(float(start))
    if here is None or not here.ran[job]:
        return told
    return f"{told}, {format_change(start - int(here.start[job]))}"


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
