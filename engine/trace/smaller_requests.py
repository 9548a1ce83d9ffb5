"""Traces with smaller requests: walltimes up to a cap, and requests near the amounts that jobs used.

Runtimes stay as they are, but for jobs that are left with fewer processors than they kept busy. A job that
runs longer than its new walltime overruns it: the scheduler expected it to be over, and it is not killed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from engine.arrays import Floats, Ints
from engine.limits import MAX_DURATION
from engine.machine.cluster import UNLIMITED
from engine.spelling import format_duration
from engine.trace.trace import MISSING, Note, Pieces, Trace

REQUESTS = {"walltime": "walltime", "ram": "RAM", "procs": "processors"}
"""What jobs request that can be cut to what was used, with its words."""

_NAMED = 20
"""The most jobs that a note lists by name."""


def capped(trace: Trace, cap: int, of_queues: Mapping[str, int] | None = None) -> Trace:
    """The trace with walltimes of at most `cap` seconds (0: no cap), in some queues of at most their own.

    That is what `MaxTime` of a partition does. Notes count the jobs whose walltime was cut, those that run
    longer than the cap, and caps on queues that the trace does not have. `of_queues` are in s, by queue.
    """
    caps = dict(of_queues or {})
    unknown = [name for name in caps if name not in trace.queue.names]
    # The cap of a job's queue goes before the general cap; without either nothing is cut.
    most = np.array([caps.get(name, cap) or MAX_DURATION for name in trace.queue.names], np.int64)
    limit = most[trace.queue.codes] if len(most) else np.full(len(trace), cap or MAX_DURATION, np.int64)
    cut = trace.walltime > limit
    changed = replace(trace, walltime=np.minimum(trace.walltime, limit))
    whole = [format_duration(cap)] if cap else []
    exceeded = ", ".join([*whole, *(f"{format_duration(most)} in {name}" for name, most in caps.items())])
    text = f"jobs with a walltime over {exceeded}, which was cut to that"
    changed = changed.with_notes(Note("walltime_cap", text, int(cut.sum())))
    if unknown:
        missing = f"caps on walltimes of queues that the log does not have: {', '.join(unknown[:_NAMED])}"
        changed = changed.with_notes(Note("walltime_cap_queues", missing, len(unknown)))
    longer = np.flatnonzero(trace.runtime > limit)
    if len(longer):
        named = f"jobs that run longer than {exceeded}: {_listed(trace, longer)}"
        changed = changed.with_notes(Note("overruns", named, len(longer)))
    return changed


def right_sized(trace: Trace, quantile: float, of: Collection[str] = tuple(REQUESTS)) -> Trace:
    """The trace with requests reduced to the usage of the same user's jobs, at a quantile of 0 to 1.

    `of` names what is reduced, of REQUESTS. The walltime is at most that quantile of the runtimes, the RAM at
    most that of the used RAM, the processors at most that of those that were kept busy, if the log has these;
    requests never grow. A quantile is the value of a job: the least value not below it.
    """
    user = trace.user.codes.astype(np.int64)
    known = set(measured_requests(trace))
    changed = trace
    if unknown := [REQUESTS[name] for name in REQUESTS if name in of and name not in known]:
        text = f"jobs keep their {' and '.join(unknown)}: the log does not record what was used"
        changed = changed.with_notes(Note("right_sized_unknown", text, len(trace)))
    if "walltime" in of:
        walltime = np.minimum(trace.walltime, np.maximum(_of_users(user, trace.runtime, quantile), 1))
        shortened = int((walltime < trace.walltime).sum())
        text = f"jobs whose walltime was cut to the {100 * quantile:.0f} % quantile of the user's runtimes"
        changed = replace(changed, walltime=walltime).with_notes(Note("right_sized", text, shortened))
    if "ram" in of and trace.ram_used is not None and "ram" in known:
        changed = _with_less_ram(changed, user, trace.ram_used, quantile)
    if "procs" in of and trace.cpu_used is not None:
        # CPU time over the runtime is the mean number of busy processors.
        busy = np.minimum(trace.cpu_used / np.maximum(trace.recorded_runtime, 1), trace.procs)
        changed = _with_fewer_procs(changed, user, np.where(trace.cpu_used < 0, np.nan, busy), quantile)
    return _with_overruns(trace, changed)


def measured_requests(trace: Trace) -> tuple[str, ...]:
    """The names in REQUESTS whose use the log records."""
    ram = ("ram",) if trace.ram_used is not None and trace.has_ram else ()
    return ("walltime", *ram, *(("procs",) if trace.cpu_used is not None else ()))


def _of_users(user: Ints, value: Ints, quantile: float) -> Ints:
    """For each job the quantile of the values (n,) of its user's jobs; MISSING values do not count.

    MISSING for users without a value.
    """
    most = np.full(len(value), MISSING, np.int64)
    known = np.flatnonzero(value != MISSING)
    # Sorted by user and value, so that a quantile is a place within the user's slice.
    order = known[np.lexsort((value[known], user[known]))]
    codes, first, count = np.unique(user[order], return_index=True, return_counts=True)
    # The least value that is not below the quantile.
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
    share = -(-own * ram[owner] // np.maximum(trace.ram[owner], 1))  # rounded up, so that no task gets 0
    columns = {**trace.tasks.columns, "ram": np.where(less[owner], share, own)}
    text = f"jobs whose RAM was cut to the {100 * quantile:.0f} % quantile of what the user's jobs used"
    changed = replace(trace, ram=ram, tasks=replace(trace.tasks, columns=columns))
    return changed.with_notes(Note("right_sized_ram", text, int(less.sum())))


def _with_fewer_procs(trace: Trace, user: Ints, busy: Floats, quantile: float) -> Trace:
    """With at most as many processors as a quantile of the user's jobs kept busy, shape (n,), NaN if unknown.

    The work of a job stays: with fewer processors than it kept busy itself it runs longer. Jobs that take
    whole nodes keep them.
    """
    used = np.where(np.isnan(busy), MISSING, np.ceil(np.nan_to_num(busy))).astype(np.int64)
    wanted = _of_users(user, used, quantile)
    wanted = np.where(wanted == MISSING, trace.procs, np.clip(wanted, 1, trace.procs))
    tasks = _smaller_tasks(trace, wanted)
    procs = _sums(tasks, tasks["count"] * tasks["cpus"])
    # Only jobs whose tasks add up to their processors can be cut so.
    less = (procs < trace.procs) & (
        _sums(trace.tasks, trace.tasks["count"] * trace.tasks["cpus"]) == trace.procs
    )
    rows = np.repeat(less, np.diff(trace.tasks.offset))
    columns = {name: np.where(rows, tasks[name], column) for name, column in trace.tasks.columns.items()}
    procs = np.where(less, procs, trace.procs)
    # Fewer processors than were busy do the same work in a longer time.
    longer = less & (busy > procs)  # not where it is NaN
    time = np.ceil(trace.runtime * np.where(longer, busy, 1.0) / procs)
    runtime = np.where(longer, np.minimum(time, MAX_DURATION), trace.runtime).astype(np.int64)
    longer &= runtime > trace.runtime
    changed = replace(trace, procs=procs, runtime=runtime, tasks=Pieces(trace.tasks.offset, columns))
    of = f"the {100 * quantile:.0f} % quantile of what the user's jobs used"
    text = f"jobs whose processors were cut to {of}"
    slow = "jobs that run longer, on fewer processors than were kept busy: "
    return changed.with_notes(
        Note("right_sized_procs", text, int(less.sum())),
        Note("right_sized_longer", slow + _listed(trace, np.flatnonzero(longer)), int(longer.sum())),
    )


def _smaller_tasks(trace: Trace, wanted: Ints) -> Pieces:
    """Task groups of about `wanted` processors a job, shape (n,), rounded up in each group.

    Tasks of several CPUs get fewer of them; of single CPUs, which hold no further resource, there are fewer
    tasks, which share the RAM of all as far as a node has it. Tasks on whole nodes stay.
    """
    tasks, each = trace.tasks, np.diff(trace.tasks.offset)
    part, whole = np.repeat(wanted, each), np.repeat(np.maximum(trace.procs, 1), each)
    count, cpus, ram = tasks["count"], tasks["cpus"], np.maximum(tasks["ram"], 0)
    fixed = tasks.columns.get("whole", np.zeros(len(count), np.int64)) != 0
    held = (tasks.amounts(trace.further_resources) > 0).any(axis=1)
    # Only tasks of one CPU that hold nothing else can become fewer: others would lose what they need.
    single = (cpus == 1) & ~held & ~fixed
    node = [UNLIMITED if group.ram is None else group.ram for group in trace.cluster.groups]
    # Memory of all tasks shared by fewer of them must still fit into a node.
    least = -(-count * ram // max(node))
    fewer = np.minimum(count, np.maximum(np.maximum(-(-count * part // whole), least), 1))
    columns = dict(tasks.columns)
    columns["count"] = np.where(single, fewer, count)
    columns["cpus"] = np.where(fixed, cpus, np.minimum(cpus, -(-cpus * part // whole)))
    shared = -(-count * ram // np.maximum(columns["count"], 1))
    columns["ram"] = np.where(columns["count"] < count, np.where(ram > 0, shared, tasks["ram"]), tasks["ram"])
    return Pieces(tasks.offset, columns)


def _sums(tasks: Pieces, values: Ints) -> Ints:
    """The sum of a value of task groups for each job, shape (n,)."""
    total = np.concatenate(([0], np.cumsum(values)))
    return np.asarray(total[tasks.offset[1:]] - total[tasks.offset[:-1]], np.int64)


def _listed(trace: Trace, jobs: Ints) -> str:
    """The first of these jobs by their numbers in the log."""
    return ", ".join(str(trace.job_id[job]) for job in jobs[:_NAMED]) + (", …" if len(jobs) > _NAMED else "")


def _with_overruns(before: Trace, after: Trace) -> Trace:
    """With a note of the jobs that run longer than their walltime, and did not before."""
    over = np.flatnonzero((after.runtime > after.walltime) & (before.runtime <= before.walltime))
    if not len(over):
        return after
    text = f"jobs that run longer than the walltime that is left: {_listed(after, over)}"
    return after.with_notes(Note("overruns", text, len(over)))
