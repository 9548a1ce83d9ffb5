"""The decision log of a site's schedule: the rows that the kernels wrote, in the numbers of the trace."""

from __future__ import annotations

import numpy as np

from engine.machine.cluster import Cluster
from engine.schedule.schedule import COLUMNS, NOT_RUN, Decision, DecisionLog
from engine.schedule.site_limits import SiteLimits
from engine.simulation.log_buffer import decision_log
from engine.slurm.scheduler.array_turns import with_turns
from engine.slurm.scheduler.bounds import UNBOUNDED
from engine.slurm.scheduler.closed_nodes import TICKS
from engine.slurm.scheduler.limits import LimitNames
from engine.slurm.scheduler.state import Ints, SiteBounds, SiteRun
from engine.trace import Trace
from engine.trace.dependencies import NOBODY, predecessors

_OF_JOBS = (Decision.BACKFILLED, Decision.RESERVATION, Decision.PRIORITY)
"""Kinds whose values are jobs."""

_NOTICED = 60
"""s in which slurmctld sees that a reservation has begun, or a job ended: each minute a pass looks at all."""


def site_decisions(
    run: SiteRun,
    trace: Trace,
    chosen: Ints,
    launch: int,
    cluster: Cluster,
    limits: SiteLimits,
    end: Ints,
    runs: tuple[Ints, Ints, Ints],
) -> DecisionLog:
    """The log of a run of the `chosen` jobs of a trace, indices of shape (k,), given when all end, (n,), s.

    `runs` are the job, start and end of all runs, also of those that were cut short, (r,).

    Starts are `launch` s later than their decisions, and so are the rows that tell of them. Before its rows a
    job has those of what the log says kept it from the queue.
    """
    # Kernels number the jobs that they were given: from here on they are those of the trace.
    log = decision_log(run.notes.log)
    kind, job, value = (column.astype(np.int64) for column in (log.kind, log.job, log.value))
    job, time = chosen[job], log.time.astype(np.int64)
    named = np.isin(kind, _OF_JOBS)
    value[named] = chosen[value[named]]
    # slurmctld decides before the job starts, and a row about a start has the time of the start.
    time[kind == Decision.BACKFILLED] += launch
    # Memory has a kind of row of its own in all logs of decisions.
    if "ram" in cluster.resources:
        ram = (kind == Decision.RESOURCE) & (value % COLUMNS == cluster.resources.index("ram"))
        kind[ram], value[ram] = Decision.RAM, value[ram] // COLUMNS
    inside = np.full(len(trace), -1, np.int64)
    inside[chosen] = run.jobs.inside
    # What the trace says of the time before a job was eligible comes in front.
    first = _before_the_queue(trace, chosen, inside, run.closures.first // TICKS, end)
    first = with_turns(trace, limits, first, runs)
    columns = [np.concatenate(pair) for pair in zip(first, (time, job, kind, value), strict=True)]
    # Stable, so that rows of one second stay in the order in which they were decided.
    order = np.argsort(columns[0], kind="stable")
    return DecisionLog(*(np.ascontiguousarray(column[order]) for column in columns))


def _before_the_queue(
    trace: Trace, chosen: Ints, inside: Ints, opens: Ints, end: Ints
) -> tuple[Ints, Ints, Ints, Ints]:
    """Rows (time, job, kind, value) of jobs that might not start at their submission, as the log says.

    Of jobs that follow others in the simulation there are none: these are submitted when they may start.
    `inside` are the reservations in which jobs run, (n,), or -1; these begin at `opens`, s.
    """
    if trace.held is None:
        none = np.zeros(0, np.int64)
        return none, none, none, none
    follows = predecessors(trace)
    held = trace.held > 0
    if trace.dependencies:
        held &= follows == NOBODY
    job = chosen[held[chosen]]
    until = trace.comes + trace.held
    kind = np.where(_by_hand(trace), Decision.HELD, Decision.BEGIN).astype(np.int64)
    value = until.astype(np.int64)
    # Of reasons that exclude each other the most exact one is named that is true in this schedule too. The
    # log gives the time alone.
    outside = inside >= 0
    # A job that the log holds after its reservation opened, or the job before it ended, waits for more.
    outside[outside] = until[outside] <= opens[inside[outside]] + _NOTICED
    kind[outside], value[outside] = Decision.OUTSIDE, inside[outside]
    after = (follows != NOBODY) & ((end[follows] == NOT_RUN) | (end[follows] + _NOTICED >= until))
    kind[after], value[after] = Decision.DEPENDENCY, follows[after]
    return trace.comes[job], job, kind[job], value[job]


def _by_hand(trace: Trace) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """The jobs, (n,), of which the log says that their user or an admin held them."""
    if trace.reason is None:
        return np.zeros(len(trace), np.bool_)
    held = np.array(["held" in name.lower() for name in trace.reason.names], np.bool_)
    return np.asarray(held[trace.reason.codes])


def limits_of(names: LimitNames, bounds: SiteBounds, minute: int) -> SiteLimits:
    """The limits that rows of the log name, by the bounds of all jobs; a `minute` counts so much in these."""
    return SiteLimits(
        owner=names.words,
        scope=names.owners,
        resource=names.resources,
        most_jobs=bounds.most_jobs,
        most=bounds.most,
        most_spent=np.asarray(bounds.most_spent / minute, np.float64),
        most_ahead=np.where(bounds.most_ahead == UNBOUNDED, np.inf, bounds.most_ahead / minute),
        offset=bounds.offset,
        bound=bounds.bound,
        holds=bounds.holds,
        total=bounds.total,
    )
