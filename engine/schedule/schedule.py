"""A schedule: a trace under a policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.machine.cluster import Cluster
from engine.machine.outages import Outages
from engine.policy.policy import Policy
from engine.schedule.compact import counted, shared
from engine.schedule.own_reasons import Said
from engine.schedule.promises import Promises
from engine.schedule.site_limits import SiteLimits
from engine.trace import Pieces, Trace

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

NOT_RUN = -1
"""Start and end of a job that the schedule does not run: too large for the machine, or given up."""


class Decision(IntEnum):
    """The kind of an entry of the decision log about its `job`.

    The kinds from CPUS to HELD are the reasons why the job did not start at a pass, and are logged when the
    reason differs from that of the pass before. (The missing amount is that of the pass at which it was
    logged.) From PRIORITY on they are those of a site's Slurm, but for RESOURCE, PRICE and POWER. A
    site has CPUS, RAM, FRAGMENTED, RESERVATION (of a job that the backfiller has planned) and UNTRIED, too,
    but neither LIMIT nor BEHIND. There free is
    what is free on the nodes of its partition and features that are clean.
    """

    RESERVED = 0  # it was promised to start by `value` (s) at the latest
    BACKFILLED = 1  # it was started past the waiting job `value` (an index)
    CPUS = 2  # it was short of `value` processors
    RAM = 3  # it was short of `value` MiB of RAM
    FRAGMENTED = 4  # enough was free in all, but not where its tasks could go
    RESERVATION = 5  # it would have been in the way of the reservation of job `value` (an index)
    LIMIT = 6  # a limit of the policy held it: `value` is a Limit
    BEHIND = 7  # `value` jobs were in front of it, and the pass ended before its turn
    STOPPED = 8  # it ran until node `value` failed; not in logs, but in `Schedule.stopped`
    UNTOLD = 9  # it has as many rows as one job gets: further reasons and reservations are not logged
    UNTRIED = 10  # the pass had tried as many jobs as it may before its turn: `value` is an Untried
    PREEMPTED = 11  # it ran until job `value` (an index) preempted it; not in logs, as STOPPED
    PRIORITY = 12  # job `value` (an index) goes first and had no room, so the pass ended for its partition
    RESOURCE = 13  # it was short of another resource than processors and RAM: see `split_short`
    NODES = 14  # it was short of `value` nodes with enough on each: whole ones, or as many different ones
    CLEANING = 15  # enough was free, but some nodes were still cleaned up after other jobs (`value` is 0)
    CLOSED = 16  # enough was free, but on nodes closed while it would run: by `Schedule.closed_by[value]`
    OUTSIDE = 17  # its own reservation, `Schedule.closed_by[value]`, had not begun, or was over
    SITE_LIMIT = 18  # a limit of the site held it: `value` as `SiteLimits.held_by` reads it
    DEPENDENCY = 19  # it waited for the end of job `value` (an index; -1: of a job that is not in the trace)
    BEGIN = 20  # it was not to start before `value` (s)
    HELD = 21  # its user or an admin held it, until `value` (s; -1: not known)
    HEAD = 22  # no reason: from now on jobs of partition `value`, a code of `Trace.queue`, are behind it
    PRICE = 23  # it waited for cheap energy (`value` is 0)
    POWER = 24  # the cap on power left `value` mW too few to it

    @property
    def is_reason(self) -> bool:
        """Whether it says why a job waited."""
        return self >= Decision.CPUS and self is not Decision.HEAD


class LimitKind(IntEnum):
    """The kind of limit that delayed a job."""

    USER_JOBS = 0
    USER_CPUS = 1
    QUEUE_CPUS = 2


class Untried(IntEnum):
    """The limit that kept a pass from trying a job: on all jobs of the pass, or on those of the user.

    The names after OF_USER are those of a site's Slurm, where a pass of the main scheduler or a cycle of the
    backfiller has such limits.
    """

    OF_PASS = 0  # of all
    OF_USER = 1  # of the job's user
    DEPTH = 2  # default_queue_depth: jobs that a short pass of the main scheduler tries
    MAIN_STARTS = 3  # sched_max_job_start: jobs that a pass of the main scheduler starts
    TESTS = 4  # bf_max_job_test: jobs that a cycle of the backfiller tries
    USER_TESTS = 5  # bf_max_job_user: jobs of the user
    PART_TESTS = 6  # bf_max_job_part: jobs of the partition
    CYCLE_STARTS = 7  # bf_max_job_start: jobs that a cycle of the backfiller starts
    WINDOW = 8  # bf_window: it would start later than plans may, and so has no plan
    PART_DEPTH = 9  # partition_job_depth: jobs of the partition that a pass of the main scheduler tries
    USER_PART_TESTS = 10  # bf_max_job_user_part: jobs of the user in the partition
    ASSOC_TESTS = 11  # bf_max_job_assoc: jobs of the association


COLUMNS = 64
"""Resources at most: what RESOURCE and SITE_LIMIT rows name is a multiple of it, and the column."""


def split_short(value: int) -> tuple[int, int]:
    """The resource of a RESOURCE row, its place in `Cluster.resources`, and how much of it was missing."""
    return value % COLUMNS, value // COLUMNS


@dataclass(frozen=True, eq=False)
class DecisionLog:
    """The reasons of waits: a row for each decision, in order of time. Columns have shape (rows,), whole
    numbers.
    """

    time: Ints  # s
    job: Ints  # index into the trace
    kind: Ints  # a Decision
    value: Ints  # meaning depends on the kind, see `Decision`

    def __len__(self) -> int:
        return len(self.time)

    def of_job(self, job: int) -> DecisionLog:
        """The rows that speak of this job."""
        return self._take(_found(self._by_job, job))

    def past_job(self, job: int, start: int, turn: Ints) -> DecisionLog:
        """The rows of jobs that were backfilled past this job, which started at `start`, s.

        `turn`, shape (n,), is the place of each job in the order of submission.

        A row names the first of the overtaken jobs. Later jobs in the queue were overtaken, too, if they were
        submitted before the backfilled job and had not started.
        """
        rows = self._backfilled[: np.searchsorted(self.time[self._backfilled], start)]
        later = (turn[self.job[rows]] > turn[job]) & (turn[self.value[rows]] < turn[job])
        return self._take(rows[later | (self.value[rows] == job)])

    @property
    def cut_short(self) -> int:
        """The number of jobs that reached the maximum number of rows, so that their log is incomplete."""
        return int(np.count_nonzero(self.kind == Decision.UNTOLD))

    def heads(self, partition: int) -> DecisionLog:
        """The HEAD rows of a partition, a code of `Trace.queue`: whom jobs waited behind, and since when."""
        return self._take(self._heads[self.value[self._heads] == partition])

    @cached_property
    def promises(self) -> Promises:
        """All reservations; the first call sorts them."""
        rows = np.flatnonzero(self.kind == Decision.RESERVED)
        rows = rows[np.argsort(self.job[rows], kind="stable")]
        return Promises(*(column[rows].astype(np.int64) for column in (self.job, self.time, self.value)))

    def _take(self, rows: Ints) -> DecisionLog:
        return DecisionLog(self.time[rows], self.job[rows], self.kind[rows], self.value[rows])

    @cached_property
    def _by_job(self) -> tuple[Ints, Ints]:
        return _index(self.job)

    @cached_property
    def _heads(self) -> Ints:
        return np.flatnonzero(self.kind == Decision.HEAD)

    @cached_property
    def _backfilled(self) -> Ints:
        return np.flatnonzero(self.kind == Decision.BACKFILLED)


def _index(key: Ints) -> tuple[Ints, Ints]:
    """Rows in order of their key (from 0), and the first row of each key."""
    from engine.row_groups import grouped

    return grouped(key.astype(np.int64), int(key.max(initial=-1)) + 1)


def _found(index: tuple[Ints, Ints], key: int) -> Ints:
    """The rows of a key, ascending."""
    order, offset = index
    return order[offset[key] : offset[key + 1]] if key < len(offset) - 1 else order[:0]


NO_LOG = DecisionLog(*(np.empty(0, np.int64) for _ in range(4)))
"""The log of a schedule without a decision log; a log without rows is another object."""


@dataclass(frozen=True, eq=False)
class CheckLog:
    """The log of adaptive tuning: k checks of the t tunings of the policy, in order.

    At `time`, s, (k,) `monitor` was compared with `threshold` and the tunable became
    `tunable`, each (k, t); monitors in their own units (`engine.policy.tuning.MONITORS`).
    """

    time: Ints
    monitor: Floats
    threshold: Floats
    tunable: Floats

    def __len__(self) -> int:
        return len(self.time)


@dataclass(frozen=True, eq=False)
class SearchLog:
    """The effect of local search on plans: k rows, each of a search or, for a long simulation, of several
    searches.

    Criteria are means over the searches of a row, in the order of `engine.policy.names.CRITERIA`.
    """

    time: Ints  # (k,) s, of the first search of the row
    searches: Ints  # (k,)
    jobs: Floats  # (k,) that waited, on average
    tried: Ints  # (k,) moves
    kept: Ints  # (k,) accepted moves
    seconds: Floats | None  # (k,) computing time, where it was measured
    gain: Floats  # (k,) sum of D over the accepted moves
    before: Floats  # (k, 7) criteria of the plans before
    after: Floats  # (k, 7) and after
    part_gain: Floats  # (parts,) D in each of as many equal parts of the trials, of all searches
    part_kept: Floats  # (parts,) accepted moves in each part

    def __len__(self) -> int:
        return len(self.time)


@dataclass(frozen=True, eq=False)
class FurtherRuns:
    """Runs besides those that completed the jobs of the trace, k of them.

    Those that a node failure or a preemption cut short are in order of their ends; each such job ran again,
    or was given up. (The run of a job that was cancelled for another job is the last run of that job: see
    `Schedule.cancelled_for`.) The others are of jobs that a variant adds, each like a `job` of the trace.

    `pieces` has the nodes of each run, like that of a schedule for each job.
    """

    job: Ints  # (k,) index into the trace
    start: Ints  # (k,) s from the trace's zero
    end: Ints  # (k,) s, when the node failed, the job was preempted, or it was done
    pieces: Pieces
    by: Ints  # (k,) index of the job that preempted it; -1 where a node failed

    @cached_property
    def preempted(self) -> NDArray[np.bool_]:
        """The runs that ended for another job, shape (k,); the others ended by a failure."""
        return self.by >= 0

    def __len__(self) -> int:
        return len(self.job)

    def joined(self, others: FurtherRuns) -> FurtherRuns:
        """These runs and then the others; both have their amounts in the same columns."""
        first, second = self.pieces, others.pieces
        offset = np.concatenate((first.offset, first.offset[-1] + second.offset[1:]))
        columns = {name: np.concatenate((first[name], second[name])) for name in first.columns}
        names = ("job", "start", "end", "by")
        job, start, end, by = (np.concatenate((getattr(self, name), getattr(others, name))) for name in names)
        return FurtherRuns(job, start, end, Pieces(offset, columns), by)


_NONE = np.empty(0, np.int64)
NO_RUNS = FurtherRuns(
    _NONE, _NONE, _NONE, Pieces(np.zeros(1, np.int64), {"node": _NONE, "cpus": _NONE}), _NONE
)


class PrioritiesAt(Protocol):
    """Priorities of the jobs of a site's schedule, at any of its times."""

    def factors(self, schedule: Schedule, time: int, jobs: Sequence[int]) -> Sequence[Mapping[str, float]]:
        """What the priority of each of the jobs is made of at a time, s: weighted factors as `sprio` lists
        them, by name.
        """


FairBy = Literal["estimate", "actual"]
"""The runtimes of jobs in the simulations for fair starts."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Schedule:
    """Times and places of each job of a trace; entry j belongs to job j of the trace.

    `start` and `end` are seconds from the trace's zero, NOT_RUN (-1) if the job was refused or given up.
    `procs` are the occupied processors (for `recorded` the log's allocation). `pieces` has the nodes: columns
    `node`, `cpus`, `ram` (MiB). All of this belongs to the run that completed; `stopped` holds earlier runs,
    and `added` those of jobs that are not in the trace, but that its variant adds.
    """

    trace: Trace
    cluster: Cluster
    policy: Policy
    start: Ints
    end: Ints
    procs: Ints
    pieces: Pieces
    came: Ints | None = None  # s, simulated submission of each job, if it differs from the log's
    stopped: FurtherRuns = NO_RUNS
    added: FurtherRuns = NO_RUNS
    cancelled_for: Ints | None = None  # the job for which each job was cancelled, or -1; None: no preemption
    log: DecisionLog = NO_LOG
    said: Said | None = None  # with a decision log, where a scheduler of a user's own gave reasons
    site_limits: SiteLimits | None = None  # what SITE_LIMIT rows of the log name
    priorities: PrioritiesAt | None = None  # those of a site's schedule with a decision log
    closed_by: tuple[str, ...] = ()  # reservations that rows name; empty: nodes away, or failed
    estimate: Ints | None = None  # E at submission, s; None where nothing was estimated
    prices_paid: NDArray[np.float64] | None = (
        None  # by each job, NaN if not run; None where they follow from bids
    )
    credits_left: NDArray[np.float64] | None = None  # (users,) after the last pass, where there are budgets
    took: Ints | None = None  # s, when each job took its nodes, where these had to boot; -1 if it did not run
    fair_start: Ints | None = None  # s, if fair start times were computed
    fair_by: FairBy = "estimate"  # what they take runtimes to be
    checks: CheckLog | None = None  # where the policy tunes anything
    searches: SearchLog | None = None  # where plans are searched, and the log was kept
    passes: int = 0
    seconds: float = 0.0  # computing time of the simulation

    @property
    def submit(self) -> Ints:
        """The submission of each job under this schedule, shape (n,), s; for jobs that were never submitted,
        as logged.
        """
        return self.trace.comes if self.came is None else self.came

    @cached_property
    def turn(self) -> Ints:
        """The place of each job in the order of submission, shape (n,), from 0."""
        if self.came is None and self.trace.came is None:
            return counted(len(self.start))
        turn = np.empty(len(self.start), np.int64)
        turn[np.argsort(self.submit, kind="stable")] = counted(len(turn))
        return turn

    @cached_property
    def further(self) -> FurtherRuns:
        """What holds the machine besides the runs that completed jobs: stopped runs, then those added."""
        if not len(self.added):
            return self.stopped
        return self.stopped.joined(self.added) if len(self.stopped) else self.added

    @cached_property
    def ran(self) -> NDArray[np.bool_]:
        """The jobs that were run, shape (n,)."""
        return np.asarray(self.start != NOT_RUN)

    @property
    def fair_sample(self) -> int | None:
        """The number of jobs whose fair starts are known, where a site's are those of a sample."""
        if self.fair_start is None or self.policy.site is None:
            return None
        known = self.ran & (self.fair_start != NOT_RUN)
        return None if bool((known == self.ran).all()) else int(known.sum())

    @cached_property
    def given_up(self) -> NDArray[np.bool_]:
        """The jobs given up after more failures than the policy's restarts, shape (n,)."""
        stopped = np.zeros(len(self.start), np.bool_)
        stopped[self.stopped.job] = True
        return stopped & ~self.ran

    @property
    def times_stopped(self) -> Ints:
        """How often a failure stopped each job, shape (n,)."""
        return np.bincount(self.stopped.job[~self.stopped.preempted], minlength=len(self.start))

    @property
    def times_preempted(self) -> Ints:
        """How often each job was requeued or cancelled for another job while it ran, shape (n,)."""
        times = np.bincount(self.stopped.job[self.stopped.preempted], minlength=len(self.start))
        return times if self.cancelled_for is None else times + (self.cancelled_for >= 0)

    @cached_property
    def refused(self) -> NDArray[np.bool_]:
        """The jobs that never started because they are too large for the machine, shape (n,)."""
        refused = ~(self.ran | self.given_up)
        return refused if self.trace.left_out is None else refused & ~self.trace.left_out

    @cached_property
    def runtime(self) -> Ints:
        """D of the schedule, in seconds; 0 for jobs that were not run.

        For a job that continued after failures it is the total of its runs.
        """
        runtime = self.end - self.start
        if self.policy.on_failure == "continue":
            np.add.at(runtime, self.stopped.job, self.stopped.end - self.stopped.start)
            runtime[~self.ran] = 0
        return shared(runtime, self.trace.runtime)

    @cached_property
    def wait(self) -> Ints:
        """Q in seconds; MISSING (-1) for jobs that were not run.

        It is the response minus the runtime, so runs lost in a failure are part of it.
        """
        return np.where(self.ran, self.end - self.runtime - self.submit, -1)

    @cached_property
    def outages(self) -> Outages:
        """The outages of nodes."""
        return self.cluster.outages(self.trace.submit)

    @property
    def failed_nodes(self) -> int | None:
        """The place in `closed_by` of nodes that failed; None where none fails."""
        return len(self.closed_by) - 1 if self.closed_by and self.cluster.failures is not None else None

    def failed_node(self, run: int) -> int:
        """The node of a stopped run whose failure stopped it: the first of several."""
        failing = self.outages.node[self.outages.start == self.stopped.end[run]]
        own = self.stopped.pieces.take(np.array([run]))["node"]
        return int(own[np.isin(own, failing)].min())

    def jobs_on(self, node: int) -> Ints:
        """The jobs that ran on a node, or were stopped there, ascending; None on a pool."""
        jobs, stopped = [], self.stopped
        for job, pieces in ((np.arange(len(self.start)), self.pieces), (stopped.job, stopped.pieces)):
            rows = np.flatnonzero(pieces["node"] == node)
            jobs.append(job[np.searchsorted(pieces.offset, rows, "right") - 1])
        return np.unique(np.concatenate(jobs)).astype(np.int64)

    @property
    def first_submit(self) -> int:
        """Submission of the first job, in seconds."""
        return int(self.trace.submit[0])

    @cached_property
    def last_end(self) -> int:
        """End of the job that ends last, in seconds."""
        return int(self.end.max(initial=self.first_submit))
