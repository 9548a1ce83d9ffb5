"""Alignment of runs: the charts of a run are shifted so that an event is above the same event of
another run.
"""

from __future__ import annotations

from app.model.chart_data import ComparedRun
from app.model.documents.document import Picked
from app.model.models import Models
from app.model.picked_objects import selection_of
from engine.schedule.schedule import Schedule
from views.data.marks import TimeMark


def align_at_start(models: Models, job: int, here: Schedule | None = None) -> None:
    """Shift the charts of all runs so that a job starts where it does under the run of `here`.

    Without that, under the first run that has it. Those that do not run the job stay where they are.
    """
    runs = [run for run in models.workbench.finished() if run.chart_data.schedule.ran[job]]
    # The chart that was clicked on stays, and the others move to it.
    still = next((run for run in runs if run.chart_data.schedule is here), next(iter(runs), None))
    if still is None:
        return
    event = _start(still, job)
    clock, options = models.clock, models.view.options
    before = options.offset(still.result.run_id)
    offsets = {run.result.run_id: _start(run, job) - event for run in runs}
    # Offsets are relative to that chart, whose own becomes 0: the clock takes over what it had.
    models.view.choose(offsets=_kept(offsets))
    start, end = clock.start + before, clock.end + before
    if before and start <= event <= end:
        clock.set_window(start, end)
    # The start was not in sight: its day is shown.
    elif not start <= event <= end:
        clock.show_day(event)


def align_with_mark(models: Models, run_id: int, time: float, mark: TimeMark) -> None:
    """Shift the charts of a run so that a time, s, is at the position of a mark in unshifted runs."""
    offsets = dict(models.view.options.offsets)
    models.view.choose(offsets=_kept({**offsets, run_id: time - mark.start}))


def end_alignment(models: Models) -> None:
    """Show all runs at the same time again."""
    models.view.choose(offsets=())


def job_of_mark(models: Models, mark: TimeMark) -> int | None:
    """The job that a mark is on, as an index in the trace; None: it is on none, or several."""
    return selection_of(Picked(jobs=mark.jobs), models.workbench.study.trace).single_job


def _start(run: ComparedRun, job: int) -> float:
    return float(run.chart_data.schedule.start[job])


def _kept(offsets: dict[int, float]) -> tuple[tuple[int, float], ...]:
    return tuple(sorted((run, offset) for run, offset in offsets.items() if offset))
