"""The running jobs: who ends next, and who is expected to end next."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.compiler.kernels import inner_kernel
from engine.simulation.workload import Ints


class Running(NamedTuple):
    """Running jobs in two orders, the first one last, since that is where most changes happen.

    `leaving[:count]` is sorted by end, of several at one second by order of start; `line[:count]` by
    expected end, the start plus what the scheduler believes. The line is only kept where
    reservations are made (`keeps_line`). Both have the times beside the jobs, so that most
    steps need no look at the arrays of shape (n,) by job.

    Jobs that run long stay deep in such a list, and most jobs come and go near its end: of 76
    jobs that ran on a large machine, a new one is put past 11 on average.
    """

    leaving: Ints
    leaving_end: Ints  # s, of the jobs in `leaving`
    end: Ints  # (n,) s
    sequence: Ints  # (n,) how many jobs started before
    started: Ints  # (n,) jobs in order of start
    line: Ints
    line_end: Ints  # s, the expected ends of the jobs in `line`
    expected: Ints  # (n,) s
    counts: Ints  # running jobs; jobs started so far
    keeps_line: bool


def make_running(jobs: int, keeps_line: bool) -> Running:
    """Nothing runs yet."""
    return Running(
        leaving=np.empty(jobs, np.int64),
        leaving_end=np.empty(jobs, np.int64),
        end=np.empty(jobs, np.int64),
        sequence=np.empty(jobs, np.int64),
        started=np.empty(jobs, np.int64),
        line=np.empty(jobs, np.int64),
        line_end=np.empty(jobs, np.int64),
        expected=np.empty(jobs, np.int64),
        counts=np.zeros(2, np.int64),
        keeps_line=keeps_line,
    )


@inner_kernel
def add_running(run: Running, job: int, end: int, expected: int) -> None:
    """A job starts: it will end at `end` and is expected to end at `expected`."""
    run.sequence[job] = run.counts[1]
    run.started[run.counts[1]] = job
    run.counts[1] += 1
    put_running(run, job, end, expected)


@inner_kernel
def put_running(run: Running, job: int, end: int, expected: int) -> None:
    """Put a job whose rank in the order of starts is known among those that run."""
    count = run.counts[0]
    _insert_leaving(run, job, end, count)
    if run.keeps_line:
        _insert_in_line(run, job, expected, count)
    run.counts[0] = count + 1


@inner_kernel
def copy_running(run: Running, copy: Running, now: int, exact: bool) -> None:
    """The copy has the same jobs, which end when they are expected to, from `now` on, or when they do."""
    copy.counts[0] = 0
    copy.counts[1] = run.counts[1]
    for index in range(run.counts[0]):
        job, expected = run.line[index], run.line_end[index]
        copy.sequence[job] = run.sequence[job]
        copy.expected[job] = expected
        copy.line[index] = job
        copy.line_end[index] = expected
        _insert_leaving(copy, job, run.end[job] if exact else max(expected, now), index)
        copy.counts[0] = index + 1


@inner_kernel
def next_end(run: Running) -> int:
    """When the next of the running jobs ends, s."""
    return int(run.leaving_end[run.counts[0] - 1])


@inner_kernel
def ends_at(run: Running, now: int) -> bool:
    """Whether a job ends this second."""
    return bool(run.counts[0] > 0 and next_end(run) == now)


@inner_kernel
def pop_ended(run: Running) -> int:
    """Take away the job that ends first (of several, the one that started first)."""
    count = run.counts[0]
    job = run.leaving[count - 1]
    if run.keeps_line:
        _remove_from_line(run, job, count)
    run.counts[0] = count - 1
    return int(job)


@inner_kernel
def take_running(run: Running, job: int) -> None:
    """Take away a job that does not end yet."""
    count = run.counts[0]
    index = 0
    while run.leaving[index] != job:
        index += 1
    for later in range(index + 1, count):
        run.leaving[later - 1] = run.leaving[later]
        run.leaving_end[later - 1] = run.leaving_end[later]
    if run.keeps_line:
        _remove_from_line(run, job, count)
    run.counts[0] = count - 1


@inner_kernel
def next_overrun(run: Running, now: int) -> int:
    """A job whose expected end has come without it ending this very second; -1 where there is none."""
    if run.keeps_line:
        for index in range(run.counts[0] - 1, -1, -1):
            if run.line_end[index] > now:
                break
            job = run.line[index]
            if run.end[job] != now:
                return int(job)
    return -1


@inner_kernel
def overrun(run: Running, job: int, now: int, limit: int) -> None:
    """Expect a job that used up its estimate to end at the walltime, `limit`, and then second by second."""
    count = run.counts[0]
    _remove_from_line(run, job, count)
    _insert_in_line(run, job, limit if limit > now else now + 1, count - 1)


@inner_kernel
def _insert_leaving(run: Running, job: int, end: int, count: int) -> None:
    jobs, ends = run.leaving, run.leaving_end
    run.end[job] = end
    index = count
    while index > 0 and (
        ends[index - 1] < end
        or (ends[index - 1] == end and run.sequence[jobs[index - 1]] < run.sequence[job])
    ):
        jobs[index] = jobs[index - 1]
        ends[index] = ends[index - 1]
        index -= 1
    jobs[index] = job
    ends[index] = end


@inner_kernel
def _insert_in_line(run: Running, job: int, expected: int, count: int) -> None:
    line, ends = run.line, run.line_end
    run.expected[job] = expected
    index = count
    while index > 0 and ends[index - 1] <= expected:
        line[index] = line[index - 1]
        ends[index] = ends[index - 1]
        index -= 1
    line[index] = job
    ends[index] = expected


@inner_kernel
def _remove_from_line(run: Running, job: int, count: int) -> None:
    line, ends = run.line, run.line_end
    index = count - 1
    behind, behind_end = line[index], ends[index]
    while behind != job:  # each moves down by one, until the job is found
        index -= 1
        line[index], behind = behind, line[index]
        ends[index], behind_end = behind_end, ends[index]
