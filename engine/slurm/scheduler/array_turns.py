"""Which tasks of arrays wait for their turn, as rows of a decision log: those of arrays with `%` (sbatch(1)).

The log has the time alone at which Slurm let a task run, and not why. While as many tasks of its array run as
may, that is the reason; at other times only the log says that it was not to start.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.schedule.schedule import Decision
from engine.schedule.site_limits import PARTS, SiteLimits
from engine.shown_text import shown_name
from engine.slurm.scheduler.state import Ints
from engine.trace import Trace

_NOTICED = 60
"""s: a reason stands until a pass finds another one, and each minute a pass looks at all jobs."""

Rows = tuple[Ints, Ints, Ints, Ints]


def with_turns(trace: Trace, limits: SiteLimits, rows: Rows, runs: tuple[Ints, Ints, Ints]) -> Rows:
    """The rows (time, job, kind, value) with the limit of an array in place of begins that it explains.

    Each BEGIN row has the time until which the job is not to start, s. `runs` are the job, start and end of
    all runs, also of those that were cut short, (r,).
    """
    if trace.at_once is None:
        return rows
    _, job, kind, _ = rows
    # A task that waits for its turn has a begin in the log, as one that is not to start before a date: the
    # limit of its array may be the true reason.
    of_array = (kind == Decision.BEGIN) & (trace.at_once[job] > 0)
    arrays = np.array([str(trace.job_id[task]).partition("_")[0] for task in job[of_array].tolist()], str)
    places = np.flatnonzero(of_array)
    numbers = {owner: number for number, owner in enumerate(limits.owner)}
    turns: list[tuple[int, int, int, int]] = []
    # Spans in which the array ran as many tasks as it may are computed once for all of its tasks.
    for array in dict.fromkeys(arrays.tolist()):
        number = numbers[f"array {shown_name(array)}"]
        spans = _full(runs, limits.counted(number), int(limits.most_jobs[number]))
        for place in places[arrays == array].tolist():
            came, task, _, until = (int(column[place]) for column in rows)
            turns += _rows_of(came, task, until, number * PARTS, spans)
    # Rows of the array's tasks are replaced, all other rows stay as they are.
    others = np.stack([column[~of_array] for column in rows], axis=1)
    times, jobs, kinds, values = np.concatenate((others, np.array(turns, np.int64).reshape(-1, 4))).T
    return times, jobs, kinds, values


def _full(runs: tuple[Ints, Ints, Ints], counted: np.ndarray, most: int) -> list[tuple[int, int]]:
    """The spans of time, [begin, end) in s, in which so many of the counted jobs run, in order of time.

    Spans less than a minute apart are one: no pass has found another reason in between.
    """
    job, start, end = runs
    tasks = counted[job]
    times = np.concatenate((start[tasks], end[tasks]))
    change = np.repeat((1, -1), int(tasks.sum()))
    order = np.lexsort((change, times))  # who ends goes before who starts in the same second
    running, times = np.cumsum(change[order]), times[order]
    spans: list[tuple[int, int]] = []
    for place in np.flatnonzero(running >= most).tolist():
        begin, until = int(times[place]), int(times[place + 1])
        if spans and begin < spans[-1][1] + _NOTICED:
            spans[-1] = spans[-1][0], until
        elif until > begin:
            spans.append((begin, until))
    return spans


def _rows_of(
    came: int, job: int, until: int, limit: int, spans: list[tuple[int, int]]
) -> Iterator[tuple[int, int, int, int]]:
    """The rows of a task from when it came: the limit in the spans, and its begin beside them."""
    time = came
    for begin, end in spans:
        if end <= time or begin >= until:
            continue
        if begin > time:
            yield time, job, int(Decision.BEGIN), until
        yield max(begin, time), job, int(Decision.SITE_LIMIT), limit
        time = end
    if time < until:
        yield time, job, int(Decision.BEGIN), until
