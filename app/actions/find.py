"""Find: a job, user, queue, node, run or time by what is typed; it is selected, and the charts go there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.actions.command import Command
from app.actions.palette import PaletteEntry, show_palette
from app.model.finding import KINDS, Found, FoundKind, find
from app.model.mark_edits import go_to_mark
from app.model.models import Models
from app.panels.charts.chart_set import ChartSet
from app.panels.made_later import MadeLater
from engine.schedule.nodes import logged_on
from views.data.gantt.rows import NODE_ROWS, rows_of
from views.data.results import Result
from views.gantt.folds import toggled
from views.gantt.zoom import part_of_node
from views.state.selection import Selection
from views.tables.groups_table import WORST, GroupsTable
from views.tables.spec import USERS
from views.text.ticks import axis_of
from views.text.typed_times import TypedTime
from views.timechart.marks import format_span


def run_looked_at(models: Models) -> Result | None:
    """The run with metrics that was clicked last, else the first such run; None while no run has metrics."""
    judged = [run.result for run in models.workbench.finished() if run.result.violations is not None]
    chosen = (result for result in judged if result.run_id == models.view.options.looked_at)
    return next(chosen, judged[0] if judged else None)


def worst_user(models: Models) -> int | None:
    """The code of the user with the greatest weighted tardiness under the run that is looked at.

    Users are taken as they are judged: by their jobs that were run. None: nobody is late.
    """
    run = run_looked_at(models)
    return None if run is None or run.violations is None else _greatest(run.violations.weighted_tardiness)


def most_delayed(models: Models) -> int | None:
    """The job that ends latest after its expected end under the run that is looked at.

    It is of the selected users; where no user is selected it is of all. None: no job is late.
    """
    run, users = run_looked_at(models), models.selection.value.users
    if run is None or run.violations is None:
        return None
    late = run.violations.tardiness
    if users:
        late = np.where(np.isin(run.schedule.trace.user.codes, sorted(users)), late, 0)
    return _greatest(late)


def select_worst_user(models: Models, table: GroupsTable) -> None:
    """Select the user who is served worst, and sort the table of users by that criterion."""
    user, run = worst_user(models), run_looked_at(models)
    if user is None or run is None:
        models.messages.say("No user is late." if run is not None else "No results yet.")
        return
    table.sort_worst_first(WORST, run.run_id)
    models.view.choose(tab=USERS.title, tabs_open=True)
    models.selection.select(Selection(users=frozenset({user})))
    if table.isVisible():  # its arrow keys go on from there; elsewhere the page keeps the keys
        table.view.setFocus(Qt.FocusReason.ShortcutFocusReason)
    name = models.workbench.study.trace.user.shown[user]
    models.messages.say(f"User {name} has the greatest weighted tardiness under {run.name}.")


def select_most_delayed(models: Models) -> None:
    """Select the most delayed job of the selected users."""
    job, run = most_delayed(models), run_looked_at(models)
    if job is None or run is None:
        models.messages.say(f"No job is late under {run.name}." if run is not None else "No results yet.")
        return
    models.selection.select_job(models.workbench.study.trace, job)
    models.messages.say(f"The most delayed job under {run.name}.")


def _greatest(values: NDArray[np.float64] | NDArray[np.int64]) -> int | None:
    """The index of the greatest value; None where none is above 0."""
    best = int(np.argmax(values)) if len(values) else 0
    return best if len(values) and values[best] > 0 else None


_HINT = "A job, user, queue, node, run, mark or time: 4711, alice, 21 Mar 14:00, 2013-02, 3 weeks in"
_NOTHING = "Nothing in this trace matches."
_HINT_OF_TIMES = "21 Mar 14:00, 2013-02, 3 weeks in, or a range: 1 Feb to 14 Feb"
_NOTHING_OF_TIMES = f"This is not a time of the trace. Try {_HINT_OF_TIMES}"


@dataclass(frozen=True)
class Finder:
    """Finds what is typed, and goes there; `pick_run` picks a run by its id, as a click in the list does.

    `users` is the table that lists who is served worst.
    """

    models: Models
    charts: ChartSet
    users: MadeLater[GroupsTable]
    pick_run: Callable[[int], object]

    def anything(self, typed: str) -> list[PaletteEntry]:
        """The matches, as choices of a palette."""
        return [*self._choices(typed, KINDS), *self._marks(typed)]

    def times(self, typed: str) -> list[PaletteEntry]:
        """The times that fit alone."""
        return self._choices(typed, ("time",))

    def _choices(self, typed: str, kinds: tuple[FoundKind, ...]) -> list[PaletteEntry]:
        study = self.models.workbench.study
        matches = find(typed, study, self.models.clock.bounds, kinds)
        return [PaletteEntry(match.name, match.about, partial(self.go, match)) for match in matches]

    def _marks(self, typed: str) -> list[PaletteEntry]:
        """Marks whose names have what was typed in them."""
        study, wanted = self.models.workbench.study, typed.strip().lower()
        if not wanted:
            return []
        axis = axis_of(study.trace)
        fit = [mark for mark in self.models.view.options.marks if wanted in f"mark {mark.name}".lower()]
        return [
            PaletteEntry(
                mark.name, f"mark, {format_span(mark, axis)}", partial(go_to_mark, self.models, mark)
            )
            for mark in fit
        ]

    def go(self, match: Found) -> None:
        """Select what was found, and zoom the charts to it."""
        value, selection = match.value, self.models.selection
        study = self.models.workbench.study
        # Times, runs and nodes are gone to in ways of their own; all else is a selection.
        if isinstance(value, TypedTime):
            self._go_to_time(value)
        elif match.kind == "run":
            self.pick_run(value)
        elif match.kind == "node":
            self._go_to_node(value)
        else:
            if match.kind == "job":
                user = int(study.trace.user.codes[value])
                # The user of a job is selected with it, as by a click on it.
                selection.select(Selection(jobs=frozenset({value}), users=frozenset({user})))
            elif match.kind == "user":
                selection.select(Selection(users=frozenset({value})))
            else:
                selection.select(Selection(queues=frozenset({value})))
            self.charts.fit_selection()

    def _go_to_time(self, time: TypedTime) -> None:
        """Inspect an instant within its day, or select a range."""
        clock, selection = self.models.clock, self.models.selection
        if time.is_instant:
            clock.show_day(time.start)
            selection.select_instant(time.start)
        else:
            start, end = max(time.start, clock.bounds[0]), min(time.end, clock.bounds[1])
            clock.fit_range(start, end)
            selection.select_time_range(start, end)

    def _go_to_node(self, node: int) -> None:
        """Show the rows around a node, and select the jobs that ran on it by the log, else in a run."""
        models, study = self.models, self.models.workbench.study
        # A node can only be shown in rows of nodes, and not in a folded group: both are changed first, so
        # that the part below is computed for the rows as they then are.
        if models.view.options.rows not in NODE_ROWS:
            models.view.choose(rows="nodes")
        rows = rows_of(study.cluster, models.view.options.rows, models.view.options.folded)
        group = rows.group_of_node(node)
        if group is not None and group.folded:
            models.view.choose(folded=toggled(models.view.options.folded, group.name))
            rows = rows.fold(models.view.options.folded)
        models.clock.set_window(*models.clock.window, part_of_node(rows, node))
        jobs = logged_on(study.trace, study.cluster, node)
        # Without places in the log the first run on such a machine tells which jobs ran there.
        if jobs is None:
            schedules = (run.chart_data.schedule for run in models.workbench.finished())
            same = next(
                (schedule for schedule in schedules if schedule.cluster.groups == study.cluster.groups), None
            )
            jobs = None if same is None else same.jobs_on(node)
        if jobs is not None:
            models.selection.select_nodes(frozenset({node}), study.trace, frozenset(jobs.tolist()))


def find_commands(finder: Finder, window: QWidget) -> list[Command]:
    """The commands that find anything, go to a time, and go to the most delayed job."""
    return [
        Command(
            "find",
            "&Find…",
            lambda: show_palette(finder.anything, _HINT, _NOTHING, window),
            "Ctrl+F",
            "A job, user, queue, node, run, mark or time, by what is typed",
        ),
        Command(
            "go to time",
            "&Go to a time…",
            lambda: show_palette(finder.times, _HINT_OF_TIMES, _NOTHING_OF_TIMES, window),
            "Ctrl+G",
            "A date, a time of day, or a range of time, as it is typed",
        ),
        Command(
            "worst user",
            "&Worst-served users",
            lambda: select_worst_user(finder.models, finder.users()),
            "Ctrl+U",
            "List the users of the shown run, the greatest weighted tardiness first",
        ),
        Command(
            "most delayed job",
            "&Most delayed job",
            lambda: select_most_delayed(finder.models),
            "Ctrl+Shift+U",
            "Select the job that ends latest after its expected end, among the selected users or all users",
        ),
    ]
