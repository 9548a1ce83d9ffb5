"""A run of the open study on its way: what there is of it, and its phase."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

from app.model.chart_data import ChartData, ComparedRun, StoppedRunError
from app.model.preview import Preview
from app.model.work_keys import layout_key, phases_key, preview_key, run_key
from engine.arrays import Ints
from engine.own.code import CodeFaultError
from engine.schedule.schedule import Schedule
from views.text.counts import format_count, format_seconds, plural
from views.work.executor import Executor, Task

if TYPE_CHECKING:
    from engine.slurm.scheduler.phases import PhaseSpread


_LISTED = 20
"""Jobs that were not run which a tooltip names."""

_STOPPED = "The schedule up to what the code did wrong"


class Phase(Enum):
    """The progress of a run; the value is the text in the window."""

    HELD = "waiting for the engine"  # until its kernels are compiled
    QUEUED = "waiting for a processor"
    RUNNING = "simulating"
    PREVIEW = "simulating the whole run"  # while the jobs in view are shown
    DRAWN = "comparing"  # it has a schedule, which is not compared with the others yet
    JUDGED = "done"
    HIDDEN = "not shown"  # a what-if of a site whose model misleads
    FAILED = "failed"
    CANCELLED = "cancelled"


class LiveRun:
    """A run under a policy and machine, or explored from it: its task, schedule, comparison and error.

    An edit of the run replaces it by a new object, so that late results of the old run are dropped.
    `compared` may lag behind `chart_data` while the run is explored. `spread` has the waits of a site's run
    over phases, once it is repeated. `hidden` says why a what-if is shown only if asked for; else empty.
    """

    def __init__(self, run_id: int, executor: Executor, chart_data: ChartData | None = None) -> None:
        self.run_id = run_id
        self.chart_data = chart_data
        self.preview: Preview | None = None
        self.compared: ComparedRun | None = None
        self.error = ""  # of the last simulation; what was there before it is shown still
        self.fault: CodeFaultError | None = None  # the error, if own code is at fault at an instant
        self.stopped: Preview | None = None  # what had started before the fault
        self.failed_text: str | None = None  # the digest of the own code that the error is of
        self.spread: PhaseSpread | None = None
        self.hidden = ""
        self._executor = executor

    @property
    def verdict(self) -> str:
        """How far the run of a site is to be believed, once it is compared; empty for other policies."""
        verdict = self.compared.result.verdict if self.compared is not None else None
        return "" if verdict is None else verdict.sentence

    @property
    def schedule(self) -> Schedule | None:
        """The whole schedule that was simulated last."""
        return self.chart_data.schedule if self.chart_data is not None else None

    @property
    def task(self) -> Task[Any] | None:
        """The task that simulates it, or previews it, while that is queued or running."""
        if self._executor.holds(run_key(self.run_id)):
            return None
        return self._simulation or self._executor.task(preview_key(self.run_id))

    @property
    def repeating(self) -> Task[Any] | None:
        """The task that repeats a site's run over phases, while it is queued or running."""
        return self._executor.task(phases_key(self.run_id))

    @property
    def phase(self) -> Phase:
        """The progress of the run."""
        # The order of these questions is that of a run's life: held, queued, running or previewed, settled.
        if self._simulation is not None and self._executor.holds(run_key(self.run_id)):
            return Phase.HELD
        task = self.task
        if task is not None and task.began is None and self.preview is None:
            return Phase.QUEUED
        if task is not None:
            return Phase.RUNNING if self.preview is None else Phase.PREVIEW
        return self.settled_phase

    @property
    def settled_phase(self) -> Phase:
        """The phase without regard to running tasks."""
        # An error comes before all else: the schedule that is still there is of before it.
        if self.error:
            return Phase.FAILED
        if self.chart_data is None:
            return Phase.CANCELLED
        if self.hidden:
            return Phase.HIDDEN
        return Phase.DRAWN if self.compared is None else Phase.JUDGED

    @property
    def previewed(self) -> bool:
        """True if a part of it is shown under another policy, or will be soon."""
        return self.preview is not None or self._executor.task(preview_key(self.run_id)) is not None

    @property
    def previews_more(self) -> bool:
        """True while a task computes more of a preview whose first part is shown already."""
        task = self._executor.task(preview_key(self.run_id))
        return task is not None and self.preview is not None and task.work is self.preview.rest

    @property
    def words(self) -> str:
        """The phase in a word or two; an error in full."""
        return self._words(self.phase)

    @property
    def message(self) -> str:
        """The phase as the message of an empty chart."""
        phase = self.phase
        if phase is Phase.FAILED:
            return self.error
        if phase is Phase.HIDDEN:
            return f"Not shown: {self.hidden}"
        going_on = phase in (Phase.HELD, Phase.QUEUED, Phase.RUNNING)
        return self._words(phase).capitalize() + ("…" if going_on else "")

    def _words(self, phase: Phase) -> str:
        if phase is Phase.FAILED:
            return self.error
        if phase is Phase.JUDGED and self.schedule is not None and not self.schedule.policy.simulated:
            return "from the log" if self.schedule.policy.recorded else "from a file"
        return str(phase.value)

    def take_error(self, error: Exception | None, text: str | None = None) -> None:
        """Keep why the last simulation failed; None: it did not. `text`: the digest of the code that ran."""
        self.error = "" if error is None else str(error)
        self.failed_text = None if error is None else text
        self.fault = error if isinstance(error, CodeFaultError) and error.time is not None else None
        self.stopped = None
        # What had started before the fault is shown like a preview that ends there.
        if isinstance(error, StoppedRunError) and error.time is not None:
            begin = error.chart_data.schedule.first_submit
            self.stopped = Preview(error.chart_data, (begin, error.time), 0.0, 0.0, note=_STOPPED)

    def stop(self) -> None:
        """Neither simulate nor preview it any more; what it was before is shown."""
        self._executor.cancel(preview_key(self.run_id))
        self._executor.cancel(run_key(self.run_id))
        self._executor.cancel(layout_key(self.run_id))
        self.stop_repeating()
        self.preview = None

    def stop_repeating(self) -> None:
        """Do not repeat it over phases any more: its spread is not known."""
        self._executor.cancel(phases_key(self.run_id))

    @property
    def _simulation(self) -> Task[Any] | None:
        return self._executor.task(run_key(self.run_id))


def progress_words(task: Task[Any]) -> str:
    """The progress of a simulation; afterwards its charts are laid out, which takes time for many jobs."""
    if task.began is None:
        return Phase.QUEUED.value
    progress, remaining = task.control.progress, task.remaining
    if progress >= 1:
        return "laying out its charts"
    return f"{100 * progress:.0f} %" + ("" if remaining is None else f", {format_seconds(remaining)} left")


def done_words(schedule: Schedule) -> str:
    """State of a finished run: how many jobs were not run, where there are such, else how long it took."""
    if not schedule.policy.simulated:
        return _source(schedule)
    lost = _lost(schedule)
    return f"done, {', '.join(lost)}" if lost else _took(schedule)


def _lost(schedule: Schedule) -> list[str]:
    """The number of jobs that were not run, in words."""
    counts = (("refused", int(schedule.refused.sum())), ("given up", int(schedule.given_up.sum())))
    return [f"{format_count(count)} {word}" for word, count in counts if count and schedule.policy.simulated]


def _source(schedule: Schedule) -> str:
    return "from the log" if schedule.policy.recorded else "from a file"


def _took(schedule: Schedule) -> str:
    milliseconds = round(schedule.seconds * 1000)
    return f"done in {milliseconds} ms" if milliseconds < 1000 else f"done in {schedule.seconds:.1f} s"


def not_run_words(schedule: Schedule) -> str:
    """The jobs that were not run, by name."""
    simulated = schedule.policy.simulated
    why = f"Too large for {schedule.cluster}" if simulated else "Without a recorded start"
    kinds = [(why, np.flatnonzero(schedule.refused)), ("Given up", np.flatnonzero(schedule.given_up))]
    lines = [f"{why}, {_jobs(schedule, jobs)}" for why, jobs in kinds if len(jobs)]
    if not lines:
        return ""
    took = (_took(schedule) if simulated else _source(schedule)).capitalize()
    return "\n\n".join([took, *lines])


def _jobs(schedule: Schedule, jobs: Ints) -> str:
    """The number of these jobs, and the names of the first."""
    names = ", ".join(schedule.trace.shown_id(job) for job in jobs[:_LISTED])
    more = f" and {format_count(len(jobs) - _LISTED)} more" if len(jobs) > _LISTED else ""
    return f"{plural(len(jobs), 'job')}: {names}{more}"
