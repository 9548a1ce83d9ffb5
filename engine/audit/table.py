"""A schedule as the audit sees it: rows joined to the jobs of the trace, on the trace's clock."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.audit.clock import DIGITS, find_offset
from engine.audit.columns import Floats, Raw, read_columns
from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.schedule.node_list import read_node_lists
from engine.schedule.schedule import NOT_RUN, Schedule
from engine.trace import MISSING, Pieces, Trace
from engine.trace.dependencies import NOBODY, predecessors
from engine.words import counted

Ints = NDArray[np.int64]


class GivenDurations(NamedTuple):
    """Waits or runtimes (s) that a schedule gives besides its times, and those computed from its times.

    Both have shape (rows,); NaN where not given, or where the times were computed from them.
    """

    name: str
    stated: Floats
    by_times: Floats


class Submissions(NamedTuple):
    """Submissions that a schedule gives besides its times, also of jobs that it does not run."""

    job: Ints  # (rows,) of the trace
    time: Floats  # (rows,) s from the trace's zero; NaN where they are not given


NOTHING_SAID = Submissions(np.zeros(0, np.int64), np.zeros(0))


@dataclass(frozen=True, eq=False, kw_only=True)
class ScheduleTable:
    """The runs that a schedule says took place, one a row, in the order of the schedule.

    Row k runs job `job[k]` of the trace from `start[k]` to `end[k]` (s from the trace's
    zero, may be fractional) on `procs[k]` processors, which may have any value:
    fractional or negative. Where the schedule does not give an end or a number of processors,
    it is filled in from the trace and `has_end` or `has_procs` is False. `pieces` are the
    nodes of each job of the trace.
    """

    source: str
    trace: Trace
    job: Ints  # (rows,)
    start: Floats  # (rows,) s
    end: Floats  # (rows,) s
    procs: Floats  # (rows,)
    has_end: NDArray[np.bool_]  # (rows,)
    has_procs: NDArray[np.bool_]  # (rows,)
    spans: tuple[GivenDurations, ...] = ()  # durations that it gives in addition to times
    submitted: Submissions = NOTHING_SAID
    unknown: tuple[str, ...] = ()  # ids that the trace does not have
    logged: bool = False  # the log's own schedule, with its own runtimes and processors
    offset: float = 0.0  # s, taken from the schedule's times
    offset_from: str = "the schedule is on the trace's clock"
    notes: tuple[str, ...] = ()
    pieces: Pieces | None = None
    schedule: Schedule | None = None  # the schedule in memory, whose decision log is checked too

    @cached_property
    def first_row(self) -> Ints:
        """The first row of each job of the trace, shape (n,), -1 where it has none."""
        row = np.full(len(self.trace), -1, np.int64)
        row[self.job[::-1]] = np.arange(len(self.job))[::-1]
        return row

    @property
    def runtime(self) -> Ints:
        """The runtime that each job of the trace should have, shape (n,), s."""
        return self.trace.recorded_runtime if self.logged else self.trace.runtime

    @property
    def ram(self) -> Ints:
        """The MiB that each job of the trace needs, shape (n,): the request of its tasks, else 0."""
        if self.logged:
            return np.maximum(self.trace.ram, 0)
        tasks = self.trace.tasks
        return per_job(tasks, tasks["count"] * np.maximum(tasks["ram"], 0))


def asked(table: ScheduleTable, resource: str) -> Ints:
    """The amount of a resource that each job of the trace needs, shape (n,)."""
    tasks = table.trace.tasks
    if resource in ("cpus", "ram") or resource not in tasks.columns:
        known = {"cpus": table.trace.procs, "ram": table.ram}
        return known.get(resource, np.zeros(len(table.trace), np.int64))
    return per_job(tasks, tasks["count"] * np.maximum(tasks[resource], 0))


def per_job(pieces: Pieces, values: Ints) -> Ints:
    """Sums of `values` (rows,) over the rows of each job, shape (n,)."""
    total = np.concatenate(([0], np.cumsum(values)))
    return np.asarray(total[pieces.offset[1:]] - total[pieces.offset[:-1]], np.int64)


def read_table(
    path: Path, trace: Trace, *, cluster: Cluster | None = None, logged: bool = False
) -> ScheduleTable:
    """Read a schedule file and join it to the trace by job id. Raises InputError.

    Host names of nodes are those of the `cluster`, else of the trace's own. `logged` says that the file
    holds the log's own runtimes and processors, unclamped.
    """
    return join(read_columns(path), trace, cluster=cluster, logged=logged)


def join(raw: Raw, trace: Trace, *, cluster: Cluster | None = None, logged: bool = False) -> ScheduleTable:
    """The rows that ran a job of the trace, on the trace's clock.

    A row without a start, or with -1 for its end (or for its start, and no end), ran nothing;
    -1 for a wait, a runtime or processors says nothing. Of an id that the trace has several
    times, the k-th row is the k-th such job. Raises InputError where no row is of a job of
    the trace.
    """
    job = _jobs(raw.ids, trace)
    known = job >= 0
    unknown = [name for name, is_known in zip(raw.ids, known.tolist(), strict=True) if not is_known]
    # Schedules that the program writes name jobs that a workload added by the job that they are like.
    bases = _jobs([name.removesuffix("+") for name in unknown], trace).tolist()
    others = [name for name, like in zip(unknown, bases, strict=True) if like < 0 or not name.endswith("+")]
    extra = len(unknown) - len(others)
    more = (f"rows of jobs that a workload added, which are not looked at: {extra:,}",) if extra else ()
    if not known.any():
        raise InputError(f"{raw.path}: no job of this schedule is in the trace {trace.name}")
    submit = trace.submit[job].astype(np.float64)
    columns = {**raw.columns}
    for name in {"wait", "runtime", "procs"} & columns.keys():
        columns[name] = np.where(columns[name] == MISSING, np.nan, columns[name])
    # A column that the file lacks says nothing, which NaN carries through the sums below.
    own_submit = columns.get("submit", np.full(len(job), np.nan))
    start = columns.get("start", np.full(len(job), np.nan))
    wait = columns.get("wait", np.full(len(job), np.nan))
    # A wait says the start only where nothing else does, counted from the file's own submission.
    since = np.where(np.isnan(own_submit), submit, own_submit)
    only_wait = np.isnan(start) & (wait >= 0) & ("start" not in columns)
    start = np.where(only_wait, since + wait, start)
    end = columns.get("end", np.full(len(job), np.nan))
    nowhere = ((start == NOT_RUN) & np.isnan(end)) | ((start >= NOT_RUN) & (end == NOT_RUN))
    runtime = columns.get("runtime", np.full(len(job), np.nan))
    # A runtime says the end only where nothing else does.
    only_runtime = np.isnan(end)
    end = np.where(only_runtime, start + runtime, end)
    ran = known & ~np.isnan(start) & ~nowhere
    # Of jobs that follow others only the log's own schedule has the submissions: the others tell the clock.
    as_logged = known if logged or not trace.dependencies else known & (predecessors(trace)[job] == NOBODY)
    shifted = "submit" in columns or "start" in columns
    offset, why = (
        find_offset(trace, job[as_logged], own_submit[as_logged], start[as_logged])
        if shifted
        else (0.0, "waits are given")
    )
    since = np.where(np.isnan(own_submit), submit + offset, own_submit)
    # Where a row says a time twice, the two are compared later; here each keeps what it says.
    spans = (
        GivenDurations("wait", np.where(only_wait, np.nan, wait)[ran], np.round(start - since, DIGITS)[ran]),
        GivenDurations(
            "runtime", np.where(only_runtime, np.nan, runtime)[ran], np.round(end - start, DIGITS)[ran]
        ),
    )
    pieces, stated = _pieces(raw, job, ran, len(trace), cluster or trace.cluster)
    start, end = np.round(start[ran] - offset, DIGITS), np.round(end[ran] - offset, DIGITS)
    job_of_row = job
    job, procs = job[ran], columns.get("procs", np.full(len(ran), np.nan))[ran]
    lasts = trace.recorded_runtime if logged else trace.runtime
    allocated = trace.recorded_procs if logged else trace.procs
    return ScheduleTable(
        source=str(raw.path),
        trace=trace,
        job=job,
        start=start,
        end=np.where(np.isnan(end), np.round(start + lasts[job], DIGITS), end),
        procs=np.where(np.isnan(procs), allocated[job], procs),
        has_end=~np.isnan(end),
        has_procs=~np.isnan(procs),
        spans=spans,
        submitted=Submissions(job_of_row[known], np.round(own_submit[known] - offset, DIGITS)),
        unknown=tuple(others),
        logged=logged,
        offset=offset,
        offset_from=why,
        notes=raw.notes + more + stated,
        pieces=pieces,
    )


def _pieces(
    raw: Raw, job: Ints, ran: NDArray[np.bool_], jobs: int, cluster: Cluster
) -> tuple[Pieces | None, tuple[str, ...]]:
    """Where each job of the trace ran first, None where that is not known of all; and notes."""
    if raw.nodes is None:
        return None, ()
    # From the last row to the first, so that of several runs of a job the first run's nodes stay.
    rows = np.flatnonzero(ran)[::-1]
    cells = [""] * jobs
    for row in rows.tolist():
        cells[job[row]] = raw.nodes[row]
    try:
        pieces = read_node_lists(cells, cluster)
    except InputError as error:
        return None, (f"the lists of nodes are left out: {error}",)
    # Capacity by node can only be checked where the nodes of all jobs are known.
    silent = int((np.diff(pieces.offset)[np.unique(job[rows])] == 0).sum())
    if silent:
        return None, (
            f"the lists of nodes are left out: {counted(silent, 'job')} of those that ran have none",
        )
    return pieces, ()


def table_of(schedule: Schedule) -> ScheduleTable:
    """A schedule in memory, with the nodes on which its jobs ran."""
    if schedule.policy.recorded:
        return recorded_table(schedule.trace)
    job, came = np.flatnonzero(schedule.ran), schedule.came
    stated = np.ones(len(job), np.bool_)
    return ScheduleTable(
        source=schedule.policy.spelling,
        trace=schedule.trace,
        job=job,
        start=schedule.start[job].astype(np.float64),
        end=schedule.end[job].astype(np.float64),
        procs=schedule.procs[job].astype(np.float64),
        has_end=stated,
        has_procs=stated,
        submitted=NOTHING_SAID
        if came is None
        else Submissions(np.arange(len(came)), came.astype(np.float64)),
        pieces=schedule.pieces,
        schedule=schedule,
    )


def recorded_table(trace: Trace) -> ScheduleTable:
    """The log's own schedule (Standard Workload Format fields 3 to 5), unclamped.

    With the nodes that the log names, where it names any: they are those of the log's own
    machine. Raises InputError where the log lacks most waits.
    """
    if not trace.has_recorded_schedule:
        raise InputError(
            f"{trace.name}: the log does not say when its jobs started, so there is no recorded schedule"
        )
    job = np.flatnonzero(trace.wait >= 0)
    start = (trace.submit + trace.wait)[job].astype(np.float64)
    stated = np.ones(len(job), np.bool_)
    return ScheduleTable(
        source="recorded",
        trace=trace,
        job=job,
        start=start,
        end=start + trace.recorded_runtime[job],
        procs=trace.recorded_procs[job].astype(np.float64),
        has_end=stated,
        has_procs=stated,
        logged=True,
        pieces=trace.recorded_nodes,
    )


def _jobs(ids: list[str], trace: Trace) -> Ints:
    """The trace's job of each row, shape (rows,), -1 for ids that it does not have.

    `1.0` is job 1 where the trace has no other of that name: so pandas spells whole numbers
    of a column with a gap; `'-a` is job -a, as a CSV spells it that no spreadsheet shall run.
    """
    jobs_of: dict[str, list[int]] = {}
    # An id may stand in the log several times: rows of the schedule take them in the order of the log.
    for job, name in enumerate(trace.job_id.tolist()):
        jobs_of.setdefault(str(name), []).append(job)
    seen: dict[str, int] = {}
    jobs = np.full(len(ids), -1, np.int64)
    for row, text in enumerate(ids):
        name = text if text in jobs_of else text.removesuffix(".0").removeprefix("'")
        own = jobs_of.get(name)
        if own is not None:
            time = seen.get(name, 0)
            seen[name] = time + 1
            # More rows than jobs of that id all count as the last one, which is then found to run twice.
            jobs[row] = own[min(time, len(own) - 1)]
    return jobs
