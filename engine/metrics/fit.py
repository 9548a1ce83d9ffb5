"""Settings of a site estimated from its log, with evidence: launch and completion delays, absent nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.arrays import Ints, Mask
from engine.schedule.accuracy import WEEK
from engine.schedule.schedule import Schedule
from engine.slurm.site.site import Site
from engine.trace import Trace
from engine.words import format_count, plural

_FEWEST = 20  # jobs that an estimate is made of
_HANDED_OVER = 0.1  # the part of hand-overs of a node that are as fast as the site can be
_LONGEST = 600  # s: a delay beyond is none of the site's
_AT_ONCE = 10  # s: a job that waits no longer in the simulation found its nodes free


@dataclass(frozen=True)
class FittedSetting:
    """A setting of a site estimated from its log: `launch` or `completion`, s, or the nodes `away` in a week.

    `jobs` is the number of jobs used, `low` and `high` are the quartiles of their values. It is `accepted`
    where both quartiles are above 0, unless a reader decides otherwise. Nodes that were away have their
    `closed` span, s from the log's zero, and their numbers.
    """

    name: str
    value: int
    jobs: int
    low: float
    high: float
    accepted: bool
    text: str
    closed: tuple[int, int, tuple[int, ...]] | None = None

    @property
    def evidence(self) -> str:
        """What the estimate is made of."""
        unit = "nodes" if self.closed else "s"
        quartiles = f"quartiles {self.low:.0f} and {self.high:.0f} {unit}".replace("-", "−")
        return f"{self.text} ({plural(self.jobs, 'job')}; {quartiles})"


@dataclass(frozen=True)
class SiteFit:
    """Estimates from the jobs that were submitted before `split`, s from the zero.

    `plain` is the site without them. Absent nodes are taken from all weeks, also later ones: no model could
    predict failures.
    """

    split: int
    estimates: tuple[FittedSetting, ...]
    plain: Site

    @property
    def site(self) -> Site:
        """The site with what was accepted.

        A node that is handed over is empty for both delays, so that an accepted launch delay is taken from
        the completion delay.
        """
        # The first two estimates are the delays, whatever follows them.
        launch, completion = (estimate.value if estimate.accepted else 0 for estimate in self.estimates[:2])
        away = tuple(
            estimate.closed
            for estimate in self.estimates
            if estimate.accepted and estimate.closed is not None
        )
        completion = max(completion - launch, 0)
        fitted = bool(launch or completion or away)
        return replace(
            self.plain,
            launch=launch,
            completion=completion,
            away=away,
            fitted_until=self.split if fitted else 0,
        )

    def accepting(self, accepted: Sequence[bool]) -> SiteFit:
        """The same estimates, each accepted or not."""
        pairs = zip(self.estimates, accepted, strict=True)
        return replace(self, estimates=tuple(replace(estimate, accepted=taken) for estimate, taken in pairs))


def fit_site(site: Site, schedule: Schedule) -> SiteFit:
    """Fit a site to the first half of the weeks of its log, given its schedule without these settings.

    A log of a single week is cut in the middle.
    """
    trace = schedule.trace
    first, last = int(trace.submit[0]), int(trace.submit[-1])
    weeks = (last - first) // WEEK + 1
    # The log is split between two weeks, so that both halves consist of whole weeks.
    split = first + (weeks // 2) * WEEK if weeks > 1 else (first + last + 1) // 2
    early = schedule.ran & (trace.wait >= 0) & (trace.submit < split)
    launch, completion = _launch(schedule, early), _completion(schedule, early)
    # A node that is handed over waits for both: nothing is left for the completion.
    if launch.accepted and completion.value <= launch.value:
        completion = replace(completion, accepted=False)
    return SiteFit(split, (launch, completion, *_away(trace, schedule.cluster.nodes)), site)


def fit_lines(fit: SiteFit) -> list[str]:
    """Each estimate in words, a line each."""
    lines = []
    for estimate in fit.estimates:
        unit = "nodes" if estimate.name == "away" else "s"
        verdict = "accepted" if estimate.accepted else "not accepted"
        lines.append(f"{estimate.name} {estimate.value:,} {unit}, {verdict}: {estimate.evidence}")
    return lines


def fit_verdict(fit: SiteFit, plain: Schedule, fitted: Schedule) -> str:
    """The match of the jobs that the fit did not use, without the estimates and with those accepted.

    `plain` and `fitted` are the schedules of the site and of the fitted site, which is the same if none was.
    """
    (before, jobs), (after, _) = off_on(plain, fit.split), off_on(fitted, fit.split)
    ends = [f"{100 * off:+.1f} %".replace("-", "−") if off is not None else "–" for off in (before, after)]
    if not any(estimate.accepted for estimate in fit.estimates):
        return (
            "no estimate was accepted, so the site stays as its files say: the mean wait of "
            f"{plural(jobs, 'job')} of the other half is off by {ends[0]}"
        )
    return (
        f"the mean wait of {plural(jobs, 'job')} that the fit did not use is off by {ends[0]} without the "
        f"fit, and by {ends[1]} with the accepted estimates"
    )


def off_on(schedule: Schedule, split: int) -> tuple[float | None, int]:
    """The relative difference of mean waits, of jobs submitted from then on, and their number."""
    trace = schedule.trace
    jobs = schedule.ran & (trace.wait >= 0) & (trace.submit >= split)
    mean = float(trace.wait[jobs].mean()) if jobs.any() else 0.0
    return (float(schedule.wait[jobs].mean()) - mean) / mean if mean > 0 else None, int(jobs.sum())


def _launch(schedule: Schedule, early: Mask) -> FittedSetting:
    """The launch delay: the wait of jobs submitted to an empty queue, less their wait in the simulation."""
    trace = schedule.trace
    start = np.sort((trace.submit + trace.wait)[trace.wait >= 0])
    submit = trace.submit[trace.wait >= 0]
    # As many were submitted before as had started: the queue was empty.
    before = np.searchsorted(submit, trace.submit, "left") - np.searchsorted(start, trace.submit, "left")
    alone = early & (before <= 0) & (schedule.wait <= _AT_ONCE) & (trace.wait <= _LONGEST)
    more = (trace.wait - schedule.wait)[alone]
    text = "extra wait by the log of jobs submitted to an empty queue"
    return _estimate("launch", more, text)


def _completion(schedule: Schedule, early: Mask) -> FittedSetting:
    """The completion delay: how long a needed node stays empty, less that in the simulation."""
    trace = schedule.trace
    start = trace.submit + trace.wait
    text = "extra idle time by the log of nodes that a waiting job takes over, among the fastest"
    if trace.recorded_nodes is None:
        return _estimate("completion", np.zeros(0, np.int64), text)
    # The same gaps are measured in log and simulation: only what the log has beyond these is a delay.
    there = trace.recorded_nodes
    real = _gaps(there.offset, there["node"], start, trace, early, trace.recorded_runtime)
    here = schedule.pieces
    model = _gaps(here.offset, here["node"], schedule.start, trace, early, trace.runtime)
    if len(real) < _FEWEST or len(model) < _FEWEST:
        return _estimate("completion", np.zeros(0, np.int64), text)
    # Slow handovers have other causes, such as jobs that wait for something else; the fastest show the
    # delay.
    fastest = np.sort(real)[: max(int(_HANDED_OVER * len(real)), 1)]
    usual = float(np.quantile(model, _HANDED_OVER / 2))
    fit = _estimate("completion", np.rint(fastest - usual).astype(np.int64), text, fewest=2)
    return replace(fit, jobs=len(real))


def _gaps(offset: Ints, node: Ints, start: Ints, trace: Trace, early: Mask, runtime: Ints) -> Ints:
    """The times that nodes are empty between a job and the next one, if that waited already, s."""
    # Each row is a job on a node; in order of node and start, neighbours follow each other on a node.
    job = np.repeat(np.arange(len(trace)), np.diff(offset))
    kept = early[job]
    job, node = job[kept], node[kept]
    order = np.lexsort((start[job], node))
    job, node = job[order], node[order]
    earlier, later = job[:-1], job[1:]
    end = start[earlier] + runtime[earlier]
    gap = start[later] - end
    # A gap tells of a delay only where the next job waited before the node became free, and where it is no
    # pause of days.
    chosen = (
        (node[:-1] == node[1:])
        & (earlier != later)
        & (gap >= 0)
        & (gap <= _LONGEST)
        & (trace.submit[later] < end)
    )
    return np.asarray(gap[chosen], np.int64)


def _estimate(name: str, samples: Ints, text: str, fewest: int = _FEWEST) -> FittedSetting:
    if len(samples) < fewest:
        return FittedSetting(name, 0, len(samples), 0.0, 0.0, False, text)
    low, middle, high = np.quantile(samples, [0.25, 0.5, 0.75]).tolist()
    value = max(round(middle), 0)
    return FittedSetting(name, value, len(samples), low, high, value > 0 and low > 0, text)


def _away(trace: Trace, nodes: int) -> Iterator[FittedSetting]:
    """Nodes that no job had in a week in which jobs waited."""
    where = trace.recorded_nodes
    if where is None or not len(trace):
        return
    # One row for each node of each job.
    job = np.repeat(np.arange(len(trace)), np.diff(where.offset))
    start = (trace.submit + trace.wait)[job]
    end = start + trace.recorded_runtime[job]
    first, last = int(trace.submit[0]), int(trace.submit[-1])
    # Weeks without a job on a node say nothing unless enough jobs waited, and other nodes were used.
    for week in range((last - first) // WEEK + 1):
        begin, until = first + week * WEEK, min(first + (week + 1) * WEEK, last + 1)
        used = np.unique(where["node"][(start < until) & (end > begin)])
        waited = int(((trace.submit < until) & (trace.submit + trace.wait > begin) & (trace.wait > 60)).sum())
        empty = np.setdiff1d(np.arange(nodes), used)
        if len(empty) and waited >= _FEWEST and len(used):
            late = f"{format_count(waited)} waited for over a minute"
            text = f"in week {week + 1} no job was on them, though {late}"
            closed = (begin, until, tuple(empty.tolist()))
            yield FittedSetting("away", len(empty), waited, len(empty), len(empty), True, text, closed)
