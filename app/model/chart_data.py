"""The data for the charts of a run, computed in threads."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from engine.errors import InputError
from engine.schedule.schedule import Schedule
from engine.simulation.control import Control
from engine.study import Run, Study
from engine.words import no_job_fits
from views.data.results import Result
from views.work.lazy import Lazy

if TYPE_CHECKING:
    from engine.fairness.violations import Steps
    from engine.filter import Expression
    from engine.machine.cluster import Cluster
    from engine.metrics.evaluation import Evaluation
    from engine.metrics.queue_depth import QueueDepth
    from engine.metrics.series import UsageSeries
    from engine.schedule.accuracy import Accuracy
    from engine.schedule.processors import Boxes
    from engine.trace import Trace


@dataclass(frozen=True, eq=False)
class ChartData:
    """The data for the charts of a run, computed in a thread once for each schedule."""

    schedule: Schedule
    boxes: Boxes
    usage: UsageSeries
    seconds: float  # that all this took
    accuracy: Accuracy | None = None  # of the site whose policy it is


Accurate = Callable[[Schedule], "Accuracy | None"]
"""Gives the accuracy of the site whose schedule it is, if it is one."""


@dataclass(frozen=True, eq=False)
class ComparedRun:
    """A finished run compared with the others: its result, its rows of the heatmap, its chart data."""

    result: Result
    steps: Steps
    depth: Lazy[QueueDepth]
    chart_data: ChartData
    evaluation: Evaluation

    def called(self, title: str) -> ComparedRun:
        """The same under another title."""
        return self if title == self.result.title else replace(self, result=self.result.called(title))


@dataclass(frozen=True, eq=False)
class ComparedRuns:
    """Runs of a study by their ids, compared under the same share of its machine.

    The schedule that determines fair shares is simulated again where it is needed and no run has it.
    """

    trace: Trace | None = None
    cluster: Cluster | None = None
    share: str = ""
    runs: dict[int, ComparedRun] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Simulated:
    """A schedule whose charts are not laid out yet; it took so many `seconds`."""

    schedule: Schedule
    seconds: float


def schedule_of_run(study: Study, run: Run, fair_starts: bool, control: Control) -> Schedule:
    """The schedule of a run with its decision log. Raises InputError if no job fits on its machine."""
    from engine.given import schedule_of

    found = schedule_of(
        study.trace, run.cluster, run.policy, log=True, fair_starts=fair_starts, control=control
    )
    if not found.ran.any():
        raise InputError(f"{no_job_fits(len(study.trace))} on this machine, {run.cluster}")
    return found


def timed(simulate: Callable[[], Schedule]) -> Simulated:
    """Simulate, and take the time. Raises what `simulate` does."""
    began = time.perf_counter()
    schedule = simulate()
    return Simulated(schedule, time.perf_counter() - began)


def lay_out(simulated: Simulated, accurate: Accurate | None = None) -> ChartData:
    """Work out what the charts of a schedule show. Raises what `accurate` does."""
    from engine.metrics.series import usage
    from engine.schedule.processors import assign_processors

    began, schedule = time.perf_counter(), simulated.schedule
    _ = schedule.refused  # computed here, because the GUI thread reads it
    boxes, use = assign_processors(schedule), usage(schedule).looked_through()
    seconds = simulated.seconds + time.perf_counter() - began
    return ChartData(schedule, boxes, use, seconds, accurate(schedule) if accurate is not None else None)


def draw(simulate: Callable[[], Schedule], accurate: Accurate | None = None) -> ChartData:
    """Simulate, and work out what the charts of the schedule show. Raises what both functions do."""
    return lay_out(timed(simulate), accurate)


def compare_runs(
    study: Study,
    chart_data: dict[int, ChartData],
    before: ComparedRuns,
    share: str,
    only: Expression | None,
    ghost: Result | None,
    control: Control,
) -> ComparedRuns:
    """Compare runs on the jobs that all of them ran; results that are unchanged from `before` are reused.
    Raises Cancelled.
    """
    from engine.metrics.evaluation import evaluate
    from engine.policy.share import parse_share
    from engine.simulation.run import reference_schedule

    if not chart_data:
        return ComparedRuns(share=share)
    schedules = [drawn.schedule for drawn in chart_data.values()]
    same = before.trace is study.trace and before.cluster == study.cluster and share == before.share
    kept = [compared.evaluation for compared in before.runs.values()] if same else []
    reference = kept[0].schedule if kept else None  # their shares are known
    if reference is None:
        reference = reference_schedule(study.trace, study.cluster, schedules, control)
    evaluations = evaluate(schedules, parse_share(share), reference, only=only, known=kept)
    del reference
    runs = {}
    for (run_id, data), evaluation in zip(chart_data.items(), evaluations, strict=True):
        earlier = before.runs.get(run_id)
        same = earlier is not None and earlier.evaluation is evaluation
        now = earlier if earlier and same else compared_run(run_id, data, evaluation, ghost)
        run = study.run(run_id)
        runs[run_id] = now.called(run.title if run is not None else "")
    return ComparedRuns(study.trace, study.cluster, share, runs)


def compared_run(
    run_id: int, chart_data: ChartData, evaluation: Evaluation, ghost: Result | None
) -> ComparedRun:
    """A run whose violated expected end times and metrics are known; `ghost` is the run that is explored."""
    from engine.fairness.violations import violation_steps
    from engine.metrics.queue_depth import queue_depth

    schedule = evaluation.schedule
    result = Result(
        run_id,
        schedule,
        lambda: evaluation.summary,
        evaluation.users,
        evaluation.violations,
        evaluation.jobs,
        chart_data.boxes,
        ghost if ghost is not None and ghost.run_id == run_id else None,
        accuracy=chart_data.accuracy,
    )
    steps = violation_steps(schedule, evaluation.violations, evaluation.jobs)
    _ = steps.totals  # as of `refused` above
    depth = Lazy(lambda: queue_depth(schedule))  # for the timeline, which few look at
    return ComparedRun(result, steps, depth, chart_data, evaluation)
