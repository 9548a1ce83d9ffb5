"""Traces whose jobs ask for less: walltimes up to a cap, and requests as large as what was used.

Runtimes stay as they are. A job that runs longer than its new walltime overruns it: the scheduler expected it
to be over, and it is not killed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.limits import MAX_DURATION
from engine.spelling import format_duration
from engine.trace.trace import MISSING, Note, Trace

Ints = NDArray[np.int64]

_NAMED = 20
"""Jobs that a note names one by one."""


def capped(trace: Trace, cap: int, of_queues: Mapping[str, int] | None = None) -> Trace:
    """The trace with walltimes of at most `cap` seconds (0: no cap), in some queues of at most their own.

    That is what `MaxTime` of a partition does. Notes count the jobs whose walltime was cut, those that now
    overrun it, and caps on queues that the trace does not have. `of_queues` are in s, by queue.
    """
    caps = dict(of_queues or {})
    unknown = [name for name in caps if name not in trace.queue.names]
    most = np.array([caps.get(name, cap) or MAX_DURATION for name in trace.queue.names], np.int64)
    limit = most[trace.queue.codes] if len(most) else np.full(len(trace), cap or MAX_DURATION, np.int64)
    cut = trace.walltime > limit
    changed = replace(trace, walltime=np.minimum(trace.walltime, limit))
    whole = [format_duration(cap)] if cap else []
    told = ", ".join([*whole, *(f"{format_duration(one)} in {name}" for name, one in caps.items())])
    text = f"jobs with a walltime over {told}, which was cut to that"
    changed = changed.with_notes(Note("walltime_cap", text, int(cut.sum())))
    if unknown:
        missing = f"caps on walltimes of queues that the log does not have: {', '.join(unknown[:_NAMED])}"
        changed = changed.with_notes(Note("walltime_cap_queues", missing, len(unknown)))
    return _with_overruns(trace, changed)


def right_sized(trace: Trace, quantile: float) -> Trace:
    """The trace with requests reduced to the usage of the same user's jobs, at a quantile of 0 to 1.

    The walltime is at most that quantile of the runtimes, the RAM at most that of the used RAM, if the log
    has it; requests never grow. A quantile is the value of a job: the least value not below it.
    """
    user = trace.user.codes.astype(np.int64)
    walltime = np.minimum(trace.walltime, np.maximum(_of_users(user, trace.runtime, quantile), 1))
    changed = replace(trace, walltime=walltime)
    many = int((walltime < trace.walltime).sum())
    text = f"jobs whose walltime was cut to the {quantile:.0%} quantile of their user's runtimes"
    changed = changed.with_notes(Note("right_sized", text, many))
    if trace.ram_used is not None and trace.has_ram:
        changed = _with_less_ram(changed, user, trace.ram_used, quantile)
    return _with_overruns(trace, changed)


def _of_users(user: Ints, value: Ints, quantile: float) -> Ints:
    """For each job the quantile of the values (n,) of its user's jobs; MISSING values do not count.

    MISSING for users without a value.
    """
    most = np.full(len(value), MISSING, np.int64)
    known = np.flatnonzero(value != MISSING)
    order = known[np.lexsort((value[known], user[known]))]
    codes, first, count = np.unique(user[order], return_index=True, return_counts=True)
    place = first + np.maximum(np.ceil(quantile * count).astype(np.int64), 1) - 1
    by_user = np.full(int(user.max(initial=-1)) + 1, MISSING, np.int64)
    by_user[codes] = value[order][place]
    most[:] = by_user[user]
    return most


def _with_less_ram(trace: Trace, user: Ints, used: Ints, quantile: float) -> Trace:
    wanted = _of_users(user, used, quantile)
    ram = np.where((trace.ram > 0) & (wanted > 0), np.minimum(trace.ram, wanted), trace.ram)
    less = ram < trace.ram
    owner = np.repeat(np.arange(len(trace)), np.diff(trace.tasks.offset))
    own = trace.tasks["ram"]
    share = -(-own * ram[owner] // np.maximum(trace.ram[owner], 1))  # rounded up: no task has nothing
    columns = {**trace.tasks.columns, "ram": np.where(less[owner], share, own)}
    text = f"jobs whose RAM was cut to the {quantile:.0%} quantile of what their user's jobs used"
    changed = replace(trace, ram=ram, tasks=replace(trace.tasks, columns=columns))
    return changed.with_notes(Note("right_sized_ram", text, int(less.sum())))


def _with_overruns(before: Trace, after: Trace) -> Trace:
    """With a note of the jobs that run longer than their walltime, and did not before."""
    over = np.flatnonzero((after.runtime > after.walltime) & (before.runtime <= before.walltime))
    if not len(over):
        return after
    named = ", ".join(str(after.job_id[job]) for job in over[:_NAMED]) + (", …" if len(over) > _NAMED else "")
    text = f"jobs run longer than the walltime that they are left with: {named}"
    return after.with_notes(Note("overruns", text, len(over)))
