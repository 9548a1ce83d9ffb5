"""Edits of the runs of a study that can be undone, and the schedules of runs that such edits took out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject
from PySide6.QtGui import QUndoCommand, QUndoStack

from app.model.chart_data import ChartData
from app.model.value_edit import ValueEdit
from engine.machine.cluster import Cluster
from engine.policy.policy import Policy
from engine.study import LineUp, Run, Study
from engine.words import clip

_MOST_JOBS = 400_000
"""Maximum number of jobs in all schedules cached for undo, at some 250 bytes each: 100 MB."""


@dataclass(frozen=True)
class RunSlot:
    """A run, or None where the study lacks it, and its index among the runs of the study."""

    run_id: int
    index: int
    run: Run | None


Swap = Callable[[RunSlot, bool], RunSlot]
"""Puts a run into the study and returns the previous run; the flag allows a cached schedule."""


class RunEdit(QUndoCommand):
    """An edit of a run: it swaps the run of the study with the run on the other side of the edit.

    Undo restores the last state of a run, explored or not. An edit that is already `done` is pushed without
    swapping; `after` is then what redo brings, which may not be simulated yet when the edit is taken back.
    """

    def __init__(
        self, text: str, swap: Swap, slot: RunSlot, done: bool, after: RunSlot | None = None
    ) -> None:
        super().__init__(text.replace("&", "&&"))  # the text of the menu entry
        self._swap, self._slot, self._done, self._after = swap, slot, done, after
        self._is_new = True

    def redo(self) -> None:
        """Do the edit, or do it again."""
        # Qt calls `redo` when a command is pushed. An edit that is done already must not be done twice then.
        if not (self._is_new and self._done):
            self._slot = self._swap(self._slot, not self._is_new)
        self._is_new = False

    def undo(self) -> None:
        """Take the edit back."""
        slot = self._swap(self._slot, True)
        # An explored run may not be simulated to its last step when the edit is undone: redo brings the
        # policy that was chosen, not the policy in between.
        self._slot = self._after or slot


class RunEdits(QUndoStack):
    """The edits of the runs of a study, applied by `swap`: Qt's undo stack, with a method for each kind of
    edit.

    Changes of the filter and of the measured range are pushed onto it too: all edits have a common order.
    """

    def __init__(self, swap: Swap, parent: QObject) -> None:
        super().__init__(parent)
        self._swap = swap

    def add(self, study: Study, policy: Policy, cluster: Cluster | None, title: str) -> int:
        """Add a run after the others, on the study's machine unless another is given; returns its id."""
        run = study.add(policy, cluster, title).runs[-1]
        self._push(f"the addition of {_name(study, run)}", RunSlot(run.id, len(study.runs), run))
        return run.id

    def change(self, study: Study, run: Run, policy: Policy, cluster: Cluster | None) -> None:
        """Give a run another policy, and another machine if given; nothing happens if they are unchanged."""
        changed = study.edit(run.id, policy, cluster or run.cluster).run(run.id)
        if changed is not None and changed != _key(run):
            text = f"the change of {_name(study, run)} to {_name(study, changed)}"
            self._push(text, RunSlot(run.id, study.runs.index(run), changed))

    def remove(self, study: Study, run: Run) -> None:
        """Remove a run."""
        slot = RunSlot(run.id, study.runs.index(run), None)
        self._push(f"the removal of {_name(study, run)}", slot)

    def keep_explored(self, study: Study, run: Run, before: Policy, now: Policy) -> None:
        """Record a step of exploring a run, from a policy to another, as a change."""
        # The run has the explored policy by now, so the edit is built from both policies and marked as done.
        earlier, later = replace(_key(run), policy=before), replace(run, policy=now)
        text = f"the change of {_name(study, earlier)} to {_name(study, later)}"
        index = study.runs.index(run)
        after = RunSlot(run.id, index, _key(later))
        self.push(RunEdit(text, self._swap, RunSlot(run.id, index, earlier), True, after))

    def rename(self, study: Study, run: Run, title: str, show: Callable[[LineUp], object]) -> None:
        """Give a run a title, or take it away: `show` puts titles and order into the study."""
        now = tuple((key, title if key == run.id else old_title) for key, old_title in study.line_up)
        text = f"the renaming of {_name(study, run)} to {_name(study, replace(run, title=title))}"
        self._line_up(text, study, now, show)

    def move(self, study: Study, run: Run, order: Sequence[int], show: Callable[[LineUp], object]) -> None:
        """Move a run, so that the ids are in this order."""
        now = study.lined_up(tuple((run_id, dict(study.line_up)[run_id]) for run_id in order)).line_up
        self._line_up(f"the move of {_name(study, run)}", study, now, show)

    def _line_up(self, text: str, study: Study, now: LineUp, show: Callable[[LineUp], object]) -> None:
        before = study.line_up
        if now != before:
            show(now)
            self.push(ValueEdit(text, show, before, now))

    def _push(self, text: str, slot: RunSlot) -> None:
        self.push(RunEdit(text, self._swap, slot, done=False))


class RecentSchedules:
    """The schedules of runs that were edited last, with what is drawn of them, for runs that come back."""

    def __init__(self, most_jobs: int = _MOST_JOBS) -> None:
        self._most_jobs = most_jobs
        self._kept: dict[Run, ChartData] = {}  # the oldest first

    def keep(self, run: Run, chart_data: ChartData) -> None:
        """Keep what is drawn of a run; the oldest go where there are too many jobs in all."""
        run = _as_simulated(run)
        # Taken out and put back, so that the dictionary is ordered by the last use.
        self._kept.pop(run, None)
        self._kept[run] = chart_data
        while sum(len(data.schedule.start) for data in self._kept.values()) > self._most_jobs:
            del self._kept[next(iter(self._kept))]

    def take(self, run: Run, fair_starts: bool) -> ChartData | None:
        """The cached results of a run; None if it has to be simulated, also if its fair starts are
        missing.
        """
        # Taken, not copied: while the run is in the study the schedule is held there, and counts only once.
        chart_data = self._kept.pop(_as_simulated(run), None)
        if chart_data is not None and fair_starts and chart_data.schedule.fair_start is None:
            return None
        return chart_data


def _key(run: Run) -> Run:
    """A run without its schedule, which is equal to others under the same policy and number."""
    return replace(run, schedule=None)


def _as_simulated(run: Run) -> Run:
    """The same without its title too."""
    return replace(run, schedule=None, title="")


def _name(study: Study, run: Run) -> str:
    return clip(study.name(run), 50)
