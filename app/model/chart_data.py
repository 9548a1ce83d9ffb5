"""The data for the charts of a run, computed in threads."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from engine.compiler.compile_request import run_clock
from engine.errors import InputError
from engine.own.code import CodeFaultError
from engine.schedule.schedule import Schedule
from engine.simulation.control import Control
from engine.study import Run, Study
from engine.words import no_job_fits
from views.data.results import Result
from views.work.lazy import LazyValue

if TYPE_CHECKING:
    from engine.fairness.violations import UserSteps
    from engine.filter import Expression
    from engine.machine.cluster import Cluster
    from engine.metrics.evaluation import Evaluation
    from engine.metrics.own_metric import OwnMetric
    from engine.metrics.queue_depth import QueueDepth
    from engine.metrics.series import UsageSeries
    from engine.schedule.processors import Boxes
    from engine.slurm.scheduler.phases import PhaseSpread
    from engine.slurm.scheduler.verdicts import Accurate, RunVerdict
    from engine.trace import Trace

Value = float | int | None


@dataclass(frozen=True, eq=False)
class ChartData:
    """The data for the charts of a run, computed in a thread once for each schedule."""

    schedule: Schedule
    boxes: Boxes
    usage: UsageSeries
    seconds: float  # that all this took
    computing: float  # s of a processor in the threads that did it, which other programs do not lengthen


@dataclass(frozen=True, eq=False)
class ComparedRun:
    """A finished run compared with the others: its result, its rows of the heatmap, its chart data."""

    result: Result
    steps: UserSteps
    depth: LazyValue[QueueDepth]
    chart_data: ChartData
    evaluation: Evaluation
    own_faults: list[str] = field(default_factory=list)  # what own metrics did wrong, once it is measured

    def called(self, title: str, label: str, number: int) -> ComparedRun:
        """The same under another title, label and number."""
        return self._with(self.result.called(title, label, number))

    def judged(self, verdict: RunVerdict | None) -> ComparedRun:
        """The same with another verdict."""
        return self._with(self.result.judged(verdict))

    def _with(self, result: Result) -> ComparedRun:
        return self if result is self.result else replace(self, result=result)


@dataclass(frozen=True, eq=False)
class ComparedRuns:
    """Runs of a study by their ids, compared under the same share of its machine.

    The schedule that determines fair shares is simulated again where it is needed and no run has it. What-ifs
    of a site whose model misleads are left out unless asked for: `hidden` says why.
    """

    trace: Trace | None = None
    cluster: Cluster | None = None
    share: str = ""
    runs: dict[int, ComparedRun] = field(default_factory=dict)
    hidden: dict[int, str] = field(default_factory=dict)
    own: tuple[OwnMetric, ...] = ()  # the metrics of the user's own that the runs are measured by


@dataclass(frozen=True, eq=False)
class SimulatedSchedule:
    """A schedule whose charts are not laid out yet; it took so many `seconds`."""

    schedule: Schedule
    seconds: float
    computing: float = 0.0


def schedule_of_run(study: Study, run: Run, fair_starts: bool, control: Control) -> Schedule:
    """The schedule of a run with its decision log. Raises InputError if no job fits on its machine."""
    from engine.run_source import schedule_of

    schedule = schedule_of(
        study.trace, run.cluster, run.policy, log=True, fair_starts=fair_starts, control=control
    )
    if not schedule.ran.any():
        raise InputError(f"{no_job_fits(len(study.trace))} on this machine, {run.cluster}")
    return schedule


def timed(simulate: Callable[[], Schedule]) -> SimulatedSchedule:
    """Simulate, and take the time. Raises what `simulate` does."""
    began, computed = run_clock(), time.thread_time()
    schedule = simulate()
    return SimulatedSchedule(schedule, run_clock() - began, time.thread_time() - computed)


class StoppedRunError(CodeFaultError):
    """What own code did wrong in a run, with the charts of what had started before that."""

    def __init__(self, fault: CodeFaultError, chart_data: ChartData) -> None:
        super().__init__(str(fault), fault.job, fault.time)
        self.chart_data = chart_data


def simulated_or_stopped(simulate: Callable[[], Schedule]) -> SimulatedSchedule:
    """As `timed`, but where own code is at fault the error has the charts up to its instant.

    Raises what `simulate` does, and StoppedRunError.
    """
    from engine.simulation.own.own_error import StoppedError

    try:
        return timed(simulate)
    except StoppedError as fault:
        # Without any job started there is nothing to be shown up to the fault.
        if not fault.schedule.ran.any():
            raise
        raise StoppedRunError(fault, lay_out(SimulatedSchedule(fault.schedule, 0.0))) from None


def lay_out(simulated: SimulatedSchedule) -> ChartData:
    """Work out what the charts of a schedule show."""
    from engine.metrics.power import usage_and_power
    from engine.schedule.processors import assign_processors

    began, computed, schedule = run_clock(), time.thread_time(), simulated.schedule
    _ = schedule.refused  # computed here, because the GUI thread reads it
    boxes, use = assign_processors(schedule), usage_and_power(schedule).looked_through()
    # Both parts count: previews are chosen by how long the user waits for charts, not for the schedule.
    seconds = simulated.seconds + run_clock() - began
    computing = simulated.computing + time.thread_time() - computed
    return ChartData(schedule, boxes, use, seconds, min(computing, seconds))


def draw(simulate: Callable[[], Schedule]) -> ChartData:
    """Simulate, and work out what the charts of the schedule show. Raises what `simulate` does."""
    return lay_out(timed(simulate))


def compare_runs(
    study: Study,
    chart_data: dict[int, ChartData],
    before: ComparedRuns,
    share: str,
    only: Expression | None,
    ghost: Result | None,
    control: Control,
    *,
    spreads: Mapping[int, PhaseSpread] | None = None,
    accurate: Accurate | None = None,
    doubtful: bool = False,
    awaited: bool = False,
) -> ComparedRuns:
    """Compare runs on the jobs that all of them ran; results that are unchanged from `before` are reused.

    `spreads` are those of sites that were repeated, by run, and `accurate` gives the accuracy of the first.
    What-ifs of a site whose model misleads are compared only if they are asked for (`doubtful`). While the
    first site is `awaited`, which tells how far the others are believed, no run has a verdict. Raises
    Cancelled, and what `accurate` does.
    """
    from engine.metrics.evaluation import evaluate
    from engine.metrics.own_metric import offered_metrics
    from engine.policy.share import parse_share
    from engine.quantities.own_quantity import work_out
    from engine.simulation.run import reference_schedule
    from engine.slurm.scheduler.verdicts import site_accuracy, site_verdicts

    ids, names = list(chart_data), {run.id: study.name(run) for run in study.runs}
    verdicts = site_verdicts(
        [names.get(run_id, "") for run_id in ids],
        [data.schedule for data in chart_data.values()],
        {ids.index(run_id): spread for run_id, spread in (spreads or {}).items() if run_id in chart_data},
        (lambda *_: None) if awaited else accurate or site_accuracy,
    )
    # A change to a site is believed as far as its model is: what misleads leaves before anything is compared.
    hidden = {} if doubtful else {ids[place]: why for place, why in verdicts.hidden.items()}
    chart_data = {run_id: data for run_id, data in chart_data.items() if run_id not in hidden}
    if not chart_data:
        return ComparedRuns(share=share, hidden=hidden)
    schedules = [drawn.schedule for drawn in chart_data.values()]
    # Evaluations are reused while the trace, the machine and the share are those of before.
    same = before.trace is study.trace and before.cluster == study.cluster and share == before.share
    kept = [compared.evaluation for compared in before.runs.values()] if same else []
    reference = kept[0].schedule if kept else None  # their shares are known
    if reference is None:
        reference = reference_schedule(study.trace, study.cluster, schedules, control)
    work_out(schedules)  # here, in a thread: no chart is to wait for code of the user's own
    evaluations = evaluate(schedules, parse_share(share), reference, only=only, known=kept)
    del reference
    own, runs = offered_metrics(), {}
    for (run_id, data), evaluation in zip(chart_data.items(), evaluations, strict=True):
        earlier = before.runs.get(run_id)
        same = earlier is not None and earlier.evaluation is evaluation and before.own == own
        # The comparison of before is kept where nothing of it changed: charts then see the same object, and
        # do not paint anew.
        now = earlier if earlier and same else compared_run(run_id, data, evaluation, ghost, own)
        run = study.run(run_id)
        named = now if run is None else now.called(run.title, study.label(run), study.number(run))
        # The name may have changed without the rest, so it is put on either.
        runs[run_id] = named.judged(None if awaited else verdicts.runs[ids.index(run_id)])
    return ComparedRuns(study.trace, study.cluster, share, runs, hidden, own)


def compared_run(
    run_id: int,
    chart_data: ChartData,
    evaluation: Evaluation,
    ghost: Result | None,
    own: Sequence[OwnMetric] = (),
) -> ComparedRun:
    """A run whose violated expected end times and metrics are known; `ghost` is the run that is explored.

    It is measured by the metrics of the user's `own`, too: one whose code fails has no value, and
    `own_faults` says why.
    """
    from engine.fairness.violations import violation_steps
    from engine.metrics.queue_depth import queue_depth

    schedule, faults = evaluation.schedule, list[str]()

    def measured() -> Mapping[str, Value]:
        return {**evaluation.summary, **_own_values(evaluation, own, faults)}

    result = Result(
        run_id,
        schedule,
        LazyValue(measured) if own else lambda: evaluation.summary,
        evaluation.users,
        evaluation.violations,
        evaluation.jobs,
        chart_data.boxes,
        ghost if ghost is not None and ghost.run_id == run_id else None,
        over_phases=evaluation.over_phases,
        losing=evaluation.losing,
    )
    steps = violation_steps(schedule, evaluation.violations, evaluation.jobs)
    _ = steps.totals  # as of `refused` above
    depth = LazyValue(lambda: queue_depth(schedule))  # for the timeline, which few look at
    return ComparedRun(result, steps, depth, chart_data, evaluation, faults)


def _own_values(evaluation: Evaluation, own: Sequence[OwnMetric], faults: list[str]) -> dict[str, Value]:
    """The values of metrics of the user's own, None where the code fails, which `faults` gets."""
    from engine.metrics.own_metric import own_value

    values: dict[str, Value] = {}
    for metric in own:
        name = metric.metric.name
        try:
            values[name] = own_value(metric, evaluation.schedule, evaluation.jobs)
        except InputError as error:
            values[name] = None
            faults.append(str(error))
        if metric.declared.by == "user":
            evaluation.users.column(name)  # here, in a thread: no table is to wait for code of the user's own
    return values
