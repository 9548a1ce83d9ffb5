"""The running jobs, sorted by their ends and by their expected ends."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.compiler.kernels import inner_kernel
from engine.simulation.workload import Ints


class Running(NamedTuple):
    """The running jobs, of n jobs in all, in two lists; the job that ends first is last in its list.

    `leaving[:running[0]]` is sorted by end, and by order of start where jobs end in the same second.
    `line[:running[0]]` is sorted by expected end (the start plus the estimate); it is maintained only where
    reservations are made (`keeps_line`). Times and processors are copied next to the jobs, so that most steps
    need not read arrays that are indexed by job.

    Insertion is linear: jobs that run long lie deep in the list, and most jobs come and go near its end. On a
    large machine with 76 running jobs a new job passed 11 others on average.
    """

    leaving: Ints  # (n,) jobs by end
    leaving_end: Ints  # (n,) s, ends of the jobs in `leaving`
    end: Ints  # (n,) s, end of each job
    sequence: Ints  # (n,) rank of the job in the order of starts
    started: Ints  # (n,) jobs in order of start
    line: Ints  # (n,) jobs by expected end
    line_end: Ints  # (n,) s, expected ends of the jobs in `line`
    expected: Ints  # (n,) s, expected end of each job
    running: Ints  # (1,) number of jobs that run
    begun: Ints  # (1,) number of jobs that started so far
    need: Ints  # (n,) processors of each job, where `beside`; else (0,)
    line_procs: Ints  # (n,) processors of the jobs in `line`, where `beside`; else (0,)
    keeps_line: bool  # whether `line` is maintained
    beside: bool  # whether `line_procs` is maintained
    overruns: bool  # whether jobs may run beyond their estimates
    numbered: bool  # whether `sequence` and `started` are maintained; not needed where no job starts twice
    by_job: bool  # whether `end` and `expected` are maintained


def make_running(
    jobs: int,
    keeps_line: bool,
    need: Ints | None = None,
    overruns: bool = True,
    numbered: bool = True,
    by_job: bool = True,
) -> Running:
    """Empty lists for so many jobs. With `need`, (n,), the jobs' processors are copied into the list."""
    none = np.zeros(0, np.int64)
    return Running(
        leaving=np.empty(jobs, np.int64),
        leaving_end=np.empty(jobs, np.int64),
        end=np.empty(jobs, np.int64),
        sequence=np.empty(jobs, np.int64),
        started=np.empty(jobs, np.int64),
        line=np.empty(jobs, np.int64),
        line_end=np.empty(jobs, np.int64),
        expected=np.empty(jobs, np.int64),
        running=np.zeros(1, np.int64),
        begun=np.zeros(1, np.int64),
        need=none if need is None else need,
        line_procs=none if need is None else np.empty(jobs, np.int64),
        keeps_line=keeps_line,
        beside=need is not None,
        overruns=overruns,
        numbered=numbered,
        by_job=by_job or overruns,
    )


@inner_kernel
def add_running(run: Running, job: int, end: int, expected: int) -> None:
    """Add a job that starts now, ends at `end` and is expected to end at `expected`, s."""
    if run.numbered:
        run.sequence[job] = run.begun[0]
        run.started[run.begun[0]] = job
    run.begun[0] += 1
    put_running(run, job, end, expected)


@inner_kernel
def put_running(run: Running, job: int, end: int, expected: int) -> None:
    """Add a job whose rank in the order of starts is already set."""
    count = run.running[0]
    _insert_leaving(run, job, end, count)
    if run.keeps_line:
        _insert_in_line(run, job, expected, count)
    run.running[0] = count + 1


@inner_kernel
def copy_running(run: Running, copy: Running, now: int, exact: bool) -> None:
    """Overwrite `copy` with the same jobs, which end at their real ends if `exact`, else when expected.

    An expected end before `now` (s) becomes `now`.
    """
    copy.running[0] = 0
    copy.begun[0] = run.begun[0]
    for index in range(run.running[0]):
        # `line` is read from the front and written as it is, since it is sorted by the very time that a fork
        # uses.
        job, expected = run.line[index], run.line_end[index]
        copy.sequence[job] = run.sequence[job]
        copy.expected[job] = expected
        copy.line[index] = job
        copy.line_end[index] = expected
        # Sorted by another time than `line`, so each job is inserted at its place.
        _insert_leaving(copy, job, run.end[job] if exact else max(expected, now), index)
        copy.running[0] = index + 1


@inner_kernel
def next_end(run: Running) -> int:
    """The next end of a running job, s; at least one job must run."""
    return int(run.leaving_end[run.running[0] - 1])


@inner_kernel
def ends_at(run: Running, now: int) -> bool:
    """Whether a job ends at `now`."""
    return bool(run.running[0] > 0 and next_end(run) == now)


@inner_kernel
def pop_ended(run: Running) -> int:
    """Remove and return the job that ends first; of several that which started first."""
    count = run.running[0]
    job = run.leaving[count - 1]
    if run.keeps_line:
        _remove_from_line(run, job, count)
    run.running[0] = count - 1
    return int(job)


@inner_kernel
def take_running(run: Running, job: int) -> None:
    """Remove a job before its end."""
    count = run.running[0]
    index = 0
    # A failure may stop any job, not only the one at the tail, so the place is looked for from the front.
    while run.leaving[index] != job:
        index += 1
    for later in range(index + 1, count):
        run.leaving[later - 1] = run.leaving[later]
        run.leaving_end[later - 1] = run.leaving_end[later]
    if run.keeps_line:
        _remove_from_line(run, job, count)
    run.running[0] = count - 1


@inner_kernel
def next_overrun(run: Running, now: int) -> int:
    """A job whose expected end has come although it does not end now; -1 where there is none."""
    if run.keeps_line:
        # The tail of `line` has the earliest expected ends: the loop ends at the first that is still to
        # come.
        for index in range(run.running[0] - 1, -1, -1):
            if run.line_end[index] > now:
                break
            job = run.line[index]
            # A job that ends in this very second has used its estimate up exactly: it does not overrun.
            if run.end[job] != now:
                return int(job)
    return -1


@inner_kernel
def overrun(run: Running, job: int, now: int, limit: int) -> None:
    """Set a new expected end for a job that used up its estimate: its `limit`, s, the end of its walltime.

    A job beyond its limit is expected to end in a second, again and again.
    """
    count = run.running[0]
    _remove_from_line(run, job, count)
    _insert_in_line(run, job, limit if limit > now else now + 1, count - 1)


@inner_kernel
def _insert_leaving(run: Running, job: int, end: int, count: int) -> None:
    """Insert a job into the `count` jobs of `leaving`, by its end and then by its order of start."""
    jobs, ends = run.leaving, run.leaving_end
    if run.by_job:
        run.end[job] = end
    # Descending by end, so that the next job to leave is taken off the tail.
    index = count
    while index > 0 and (
        ends[index - 1] < end
        or (
            ends[index - 1] == end
            and not (run.numbered and run.sequence[jobs[index - 1]] > run.sequence[job])
        )
    ):
        jobs[index] = jobs[index - 1]
        ends[index] = ends[index - 1]
        index -= 1
    jobs[index] = job
    ends[index] = end


@inner_kernel
def _insert_in_line(run: Running, job: int, expected: int, count: int) -> None:
    """Insert a job into the `count` jobs of `line`, by its expected end."""
    line, ends = run.line, run.line_end
    if run.by_job:
        run.expected[job] = expected
    # Descending by expected end; among equal ends the newest job is first.
    index = count
    while index > 0 and ends[index - 1] <= expected:
        line[index] = line[index - 1]
        ends[index] = ends[index - 1]
        if run.beside:
            run.line_procs[index] = run.line_procs[index - 1]
        index -= 1
    line[index] = job
    ends[index] = expected
    if run.beside:
        run.line_procs[index] = run.need[job]


@inner_kernel
def _remove_from_line(run: Running, job: int, count: int) -> None:
    """Remove a job from the `count` jobs of `line`."""
    line, ends = run.line, run.line_end
    # Jobs that leave stand near the tail, where the earliest ends are.
    index = count - 1
    while line[index] != job:
        index -= 1
    for place in range(index + 1, count):
        line[place - 1] = line[place]
        ends[place - 1] = ends[place]
        if run.beside:
            run.line_procs[place - 1] = run.line_procs[place]
