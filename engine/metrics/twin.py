"""The accuracy of a simulated site: recorded and simulated waits and starts, by group and by job."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from engine.arrays import Ints, Mask
from engine.metrics.groups import job_classes
from engine.schedule.accuracy import WEEK, TwinAccuracy, accuracy_of
from engine.schedule.explain import explain
from engine.schedule.ranks import rank_correlation
from engine.schedule.schedule import Schedule
from engine.shown_text import shown_name
from engine.trace import Trace
from engine.trace.dependencies import NOBODY, predecessors
from engine.trace.names import Names

NOT_JUDGED = "the site was fitted to the whole log, so that no job is left to judge it by"
GROUPS = ("queue", "account", "size", "week")


@dataclass(frozen=True)
class Nearness:
    """Recorded and simulated values over the jobs that both ran. Times in s, shares from 0 to 1.

    `by` is a name in GROUPS, or empty for all jobs. `off` is the difference of mean waits relative to the
    recorded mean, None if that is 0. `cycle` is the share of jobs that start within a backfill cycle of their
    recorded start, `tenth` within a cycle or a tenth of the recorded wait.
    """

    by: str
    name: str
    jobs: int
    recorded: tuple[float, float, float]  # mean, median and 95 % of waits
    simulated: tuple[float, float, float]
    off: float | None
    cycle: float
    tenth: float

    @property
    def shown(self) -> str:
        """The name of the group where people read it."""
        return shown_name(self.name)


@dataclass(frozen=True)
class Differing:
    """A job that starts at another time than it did, by `simulated` - `recorded` s of wait.

    `passed` jobs started after it by the log and before it here; `passes` jobs the other way round. `why` is
    what it waits for longest in the simulation, in words; empty where it does not wait, or that is not kept.
    """

    job: int
    recorded: int
    simulated: int
    passed: int
    passes: int
    why: str = ""


@dataclass(frozen=True)
class Twin:
    """A site's schedule and the recorded schedule of its log.

    `whole` is of all jobs; `accuracy` of those that nothing was fitted to, None if there are none. `groups`
    has no weeks for a log shorter than a week.
    """

    accuracy: TwinAccuracy | None
    whole: Nearness
    groups: tuple[Nearness, ...]
    correlation: float | None  # of waits, by rank
    start_difference: float  # median, s
    makespan: tuple[int, int]  # recorded and simulated, s
    utilization: tuple[float, float]  # the share of the machine that is used within it, the same
    order_kept: bool | None  # accounts have the log's order by mean wait; None for a single account
    differing: tuple[Differing, ...]
    unlike: tuple[tuple[str, int], ...]  # features of jobs that are not modelled, and the number of jobs

    @property
    def weeks(self) -> tuple[Nearness, ...]:
        """The weeks of the log."""
        return tuple(group for group in self.groups if group.by == "week")

    @property
    def verdict(self) -> str:
        """A sentence on the accuracy, to accompany experiments with this twin."""
        return self.accuracy.verdict if self.accuracy is not None else NOT_JUDGED


def twin_of(schedule: Schedule, cycle: int, most: int = 10) -> Twin | None:
    """Compare a site's schedule with the log's; None where the log gives no starts. `cycle` in s."""
    trace = schedule.trace
    both = schedule.ran & (trace.wait >= 0)
    if not both.any():
        return None
    names = {
        "queue": trace.queue,
        "account": trace.group,
        "size": job_classes(trace),
        "week": weeks_of(trace),
    }
    if trace.submit[-1] - trace.submit[0] < WEEK:
        del names["week"]  # the whole log would be its only week
    groups = tuple(group for by in names for group in _by(schedule, by, names[by], both, cycle) if group.jobs)
    recorded, simulated = trace.submit + trace.wait, schedule.start
    accounts = [group for group in groups if group.by == "account"]
    order = None
    # A single account has no order to get wrong.
    if len(accounts) > 1:
        order = sorted(accounts, key=lambda a: a.recorded[0]) == sorted(
            accounts, key=lambda a: a.simulated[0]
        )
    first = int(trace.submit[both].min())
    makespan = (
        int((recorded + trace.recorded_runtime)[both].max()) - first,
        int(schedule.end[both].max()) - first,
    )
    return Twin(
        accuracy=accuracy_of(schedule),
        whole=_nearness(schedule, "", "all jobs", both, cycle),
        groups=groups,
        correlation=rank_correlation(schedule.wait[both], trace.wait[both]),
        start_difference=float(np.median(np.abs(simulated - recorded)[both])),
        makespan=makespan,
        utilization=_utilization(schedule, both, makespan),
        order_kept=order,
        differing=tuple(_differing(schedule, both, most)),
        unlike=(*unlike(trace), *_unlike_limits(schedule)),
    )


def _utilization(schedule: Schedule, jobs: Mask, makespan: tuple[int, int]) -> tuple[float, float]:
    trace, room = schedule.trace, max(schedule.cluster.cpus, 1)
    recorded = float((np.maximum(trace.recorded_procs, trace.procs) * trace.recorded_runtime)[jobs].sum())
    simulated = float((schedule.procs * schedule.runtime)[jobs].sum())
    return recorded / (room * max(makespan[0], 1)), simulated / (room * max(makespan[1], 1))


def weeks_of(trace: Trace) -> Names:
    """The week of each job's submission, counted from that of the first job."""
    number = (trace.submit - trace.submit[0]) // WEEK
    weeks, codes = np.unique(number, return_inverse=True)
    return Names(codes.astype(np.int32), tuple(f"week {week + 1}" for week in weeks.tolist()))


def unlike(trace: Trace) -> Iterator[tuple[str, int]]:
    """Properties of jobs in the log that the simulated Slurm ignores, and the number of jobs with them."""
    counts = {
        "follow other jobs, and come when the log says": _not_followed(trace),
        "were submitted to several partitions, of which the first is taken": int(
            np.isin(trace.queue.codes, [k for k, name in enumerate(trace.queue.names) if "," in name]).sum()
        ),
        "have tasks of different sizes, which are placed one size after the other": int(
            (np.diff(trace.tasks.offset) > 1).sum()
        ),
        "never started by the log": int((trace.wait < 0).sum()),
    }
    for note in trace.notes:  # on dependencies in the log that it cannot keep
        if note.rule == "dependencies":
            text = note.text.removeprefix("jobs that ")
            counts[text] = counts.get(text, 0) + note.count
    return ((text, count) for text, count in counts.items() if count)


def _not_followed(trace: Trace) -> int:
    """The number of jobs whose dependency in the log does not decide when they come."""
    count = int((trace.preceding > 0).sum())
    return count - int((predecessors(trace) != NOBODY).sum()) if trace.dependencies else count


def _unlike_limits(schedule: Schedule) -> Iterator[tuple[str, int]]:
    """Limits of the site that are not simulated, or that keep jobs from starting at all."""
    trace, site = schedule.trace, schedule.policy.site
    if site is None:
        return
    from engine.slurm.scheduler.limits import job_kinds, limits_left_out
    from engine.slurm.scheduler.preempt import MOST_TIMES
    from engine.slurm.scheduler.preempt_rules import PreemptionRules
    from engine.slurm.scheduler.submit_limits import beyond_submitted

    # Each line is a reason why the jobs named in it may wait otherwise in the log than here.
    kinds = job_kinds(trace)
    known = {reservation.name for reservation in site.reservations}
    if unknown := 0 if trace.reservation is None else _named(trace.reservation, known):
        yield "asked for a reservation whose nodes and times no file gives", unknown
    yield from PreemptionRules(site).left_out(kinds)
    yield from limits_left_out(site, kinds)
    # A job that never ends here stays submitted for good.
    end = np.where(schedule.ran, schedule.end, np.iinfo(np.int64).max)
    refused = beyond_submitted(site, kinds, schedule.submit, end)
    if refused:
        yield "were submitted beyond a limit of submitted jobs, which is not simulated", refused
    if often := int((schedule.times_preempted >= MOST_TIMES).sum()):
        yield f"were preempted {MOST_TIMES} times here, and not after that", often
    never = int((~schedule.ran & (trace.wait >= 0)).sum())
    if never:
        yield "ran by the log and never start here: they fit on no nodes, or ask for more than a limit", never


def _named(names: Names, known: set[str]) -> int:
    """The number of jobs with a non-empty name but the known ones."""
    unknown = np.array([bool(name) and name not in known for name in names.names], np.bool_)
    return int(unknown[names.codes].sum())


def _by(schedule: Schedule, by: str, names: Names, both: Mask, cycle: int) -> Iterator[Nearness]:
    for code, name in enumerate(names.names):
        jobs = both & (names.codes == code)
        if jobs.any():
            yield _nearness(schedule, by, name, jobs, cycle)


def _nearness(schedule: Schedule, by: str, name: str, jobs: Mask, cycle: int) -> Nearness:
    recorded, simulated = schedule.trace.wait[jobs], schedule.wait[jobs]
    # Starts differ by as much as waits do, since the submission is the same.
    apart = np.abs(simulated - recorded)
    mean = float(recorded.mean())
    return Nearness(
        by,
        name,
        int(jobs.sum()),
        _waits(recorded),
        _waits(simulated),
        (float(simulated.mean()) - mean) / mean if mean > 0 else None,
        float((apart <= cycle).mean()),
        float((apart <= np.maximum(cycle, recorded / 10)).mean()),
    )


def _waits(wait: Ints) -> tuple[float, float, float]:
    return float(wait.mean()), float(np.median(wait)), float(np.quantile(wait, 0.95))


def _differing(schedule: Schedule, both: Mask, most: int) -> Iterator[Differing]:
    """The jobs whose waits differ most, the worst first."""
    recorded = schedule.trace.submit + schedule.trace.wait
    # Jobs without both starts get -1, which sorts them behind all that differ.
    apart = np.where(both, np.abs(schedule.start - recorded), -1)
    for job in np.argsort(-apart, kind="stable")[:most].tolist():
        if apart[job] <= 0:
            return
        # Jobs that changed places with this job: later in the log and sooner here, or the other way round.
        later = both & (recorded > recorded[job])
        sooner = both & (recorded < recorded[job])
        yield Differing(
            job,
            int(schedule.trace.wait[job]),
            int(schedule.wait[job]),
            int((later & (schedule.start < schedule.start[job])).sum()),
            int((sooner & (schedule.start > schedule.start[job])).sum()),
            _longest_cause(schedule, job),
        )


def _longest_cause(schedule: Schedule, job: int) -> str:
    causes = explain(schedule, job).summary
    return max(causes, key=lambda cause: cause.seconds).text if causes else ""
