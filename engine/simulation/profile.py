"""The profile: what will be free on each node, step by step in time, by expected ends and reservations."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from engine.compiler.kernels import inner_kernel, kernel
from engine.compiler.packed_tuples import unchanging
from engine.simulation.machine_state import NEVER
from engine.simulation.workload import Ints

_KNOWN = 1 << 15
"""Size of the cache of search results: nodes times kinds of jobs."""

_LEAST_KINDS = 64
"""The least number of kinds of jobs in that cache, on however many nodes."""

_SPARE = 8
"""Free rows that a node gets for further steps, in addition to as many as it has steps."""


UNTIL, ASKED, GAINED, CHANGED = range(4)
"""Columns of `Profile.known`, a cached search result for a kind of jobs on a node: from ASKED to UNTIL (s)
none of its tasks fits, as long as the node's stamp of the last gain is GAINED. At UNTIL a task does fit, as
long as the stamp of the last change is CHANGED, which is NOTHING where the search ended before it found that
time."""

NOTHING = -1


class Profile(NamedTuple):
    """The future of each node as steps in order of time, each until the next. A pool is one node.

    Each node has its own steps: most nodes run and reserve little, so that they have few steps, where steps
    of the whole machine would be many. A node's steps lie in consecutive rows `first:end` of the tables,
    followed by a row whose time is NEVER. Its first step is the current one, which may have begun before now.
    `edges` counts the jobs' pieces that begin or end where a step begins: a step without any is merged with
    the one before it.

    A node may use the rows below its `limit`; when they are full it moves behind all other nodes. The rows in
    use lie in one half of the tables, and are copied to the other half when that one is full.
    """

    first: Ints  # (nodes,) row of the node's current step
    end: Ints  # (nodes,) row behind the node's last step
    limit: Ints  # (nodes,) row behind those that the node may use
    seen: Ints  # (nodes, 2) rows of the step that was found last, and of the step behind the span found there
    time: Ints  # (rows,) s, begin of the step
    edges: Ints  # (rows,) pieces that begin or end at that time
    free: Ints  # (rows, K) amounts that are free during the step
    now: Ints  # (1,) s, the present time
    base: Ints  # (1,) first row of the half that is in use
    used: Ints  # (1,) first row of that half that belongs to no node
    state: Ints  # (1,) changes when time passes or something is freed; until then free amounts only shrink
    least: Ints  # (nodes, K) scratch of a search: the least that is free on each node over a span of time
    soon: Ints  # (nodes,) s, scratch of a search: when nodes may have more free, the earliest first
    stamp: Ints  # (1,) the last stamp: a counter of changes
    stamps: Ints  # (nodes, 2) stamps of the last change that freed something on the node, and of the last one
    kept: Ints  # (nodes, 2) saved stamps of a state that may be restored
    known: Ints  # (kinds of jobs, nodes, 4) cached search results, columns UNTIL, ASKED, GAINED, CHANGED
    known_for: Ints  # (kinds of jobs, 2) shape and duration (s) of these jobs


def make_profile(capacity: Ints, now: int, room: int) -> Profile:
    """The profile of an empty machine from `now`, s; `capacity` is (nodes, K), `room` rows for further steps.

    Without `room` nothing can be planned in it.
    """
    nodes, kinds = capacity.shape
    each = 2 * 2 + _SPARE  # as `_lay_out` gives to a node of one step, which may come before any other
    rows = 2 * (room + nodes * each)
    first = np.arange(0, nodes * each, each)
    searched = max(_KNOWN // nodes, _LEAST_KINDS) if room and nodes > 1 else 1
    profile = Profile(
        first=first,
        end=first + 1,
        limit=first + each if nodes > 1 else np.full(1, rows // 2),
        seen=np.zeros((nodes, 2), np.int64),
        time=np.full(rows, NEVER, np.int64),
        edges=np.zeros(rows, np.int64),
        free=np.zeros((rows, kinds), np.int64),
        now=np.full(1, now, np.int64),
        base=np.zeros(1, np.int64),
        used=np.full(1, nodes * each, np.int64),
        least=np.zeros_like(capacity),
        soon=np.zeros(nodes, np.int64),
        state=np.ones(1, np.int64),
        stamp=np.zeros(1, np.int64),
        stamps=np.zeros((nodes, 2), np.int64),
        kept=np.zeros((nodes, 2), np.int64),
        known=np.full((searched, nodes, 4), NOTHING),
        known_for=np.full((searched, 2), NOTHING),
    )
    profile.time[first] = now
    profile.free[first] = capacity
    return profile


@cache
def no_profile(nodes: int, kinds: int) -> Profile:
    """The profile of simulations that plan nothing; they share it."""
    return unchanging(make_profile(np.zeros((nodes, kinds), np.int64), 0, 0))


def with_room(profile: Profile, rows: int) -> Profile:
    """A copy of the profile in tables that are `rows` longer."""
    columns = {name: column.copy() for name, column in profile._asdict().items()}
    for name in ("time", "edges", "free"):
        columns[name] = np.concatenate((columns[name], np.zeros((rows, *columns[name].shape[1:]), np.int64)))
    larger = Profile(**columns)
    _lay_out(profile, larger, 0)
    return larger


@inner_kernel
def copy_profile(profile: Profile, copy: Profile) -> None:
    """Overwrite `copy`, which has tables of the same size, with the steps of `profile`."""
    _lay_out(profile, copy, 0)
    copy.now[0] = profile.now[0]
    copy.state[0] += 1
    for node in range(len(copy.first)):
        _stamp(copy, node, True)


@inner_kernel
def _stamp(profile: Profile, node: int, gained: bool) -> None:
    """Note that the node has changed, and whether something may have been freed (`gained`)."""
    profile.stamp[0] += 1
    profile.stamps[node, 1] = profile.stamp[0]
    if gained:
        profile.stamps[node, 0] = profile.stamp[0]


@inner_kernel
def forget_known(profile: Profile, pieces: Ints, first: int, count: int) -> None:
    """Give new stamps to the nodes of `count` rows of `pieces` from `first` on.

    What a search then finds on them is not taken for a result of the saved state.
    """
    if len(profile.first) > 1:
        for piece in range(first, first + count):
            _stamp(profile, pieces[piece, 0], True)


@inner_kernel
def keep_stamps(profile: Profile) -> None:
    """Save the stamps of the present state, for `return_stamps`."""
    for node in range(len(profile.stamps)):
        profile.kept[node, 0] = profile.stamps[node, 0]
        profile.kept[node, 1] = profile.stamps[node, 1]


@inner_kernel
def return_stamps(profile: Profile) -> None:
    """Restore the saved stamps, as the profile is what it was then again: results cached for it hold."""
    for node in range(len(profile.stamps)):
        profile.stamps[node, 0] = profile.kept[node, 0]
        profile.stamps[node, 1] = profile.kept[node, 1]


@inner_kernel
def make_room(profile: Profile, pieces: int) -> bool:
    """Whether so many more pieces fit into the tables, each with two steps; compacts the tables if needed."""
    if _has_room(profile, pieces):
        return True
    half = len(profile.time) // 2
    _lay_out(profile, profile, 0 if profile.base[0] > 0 else half)
    return _has_room(profile, pieces)


@inner_kernel
def _has_room(profile: Profile, pieces: int) -> bool:
    """Whether so many more pieces fit into the tables as they lie now.

    A full node moves to a place with 2 rows for each step and `_SPARE` more. Before it moves again, it has
    gained at least half of its steps: so each new step costs at most 4 rows.
    """
    half = len(profile.time) // 2
    nodes = len(profile.first)
    if nodes == 1:
        return bool(profile.end[0] + 2 * pieces < profile.base[0] + half)
    used = profile.used[0] - profile.base[0]
    return bool(3 * used + _SPARE * (nodes + pieces) <= half)


@inner_kernel
def has_room_for_all(profile: Profile, held: int, pieces: int) -> bool:
    """Whether `make_room` will find room for `pieces` more, wherever the `held` ones lie in time."""
    half, nodes = len(profile.time) // 2, len(profile.first)
    steps = 2 * (held + nodes)
    if nodes == 1:
        return steps + 2 * pieces < half
    return 3 * (2 * steps + _SPARE * nodes) + _SPARE * (nodes + pieces) <= half


@kernel
def _lay_out(profile: Profile, copy: Profile, base: int) -> None:
    """Copy all steps into the tables of `copy` from row `base` on; `copy` may be the profile itself.

    Each node then has room for twice its steps and `_SPARE` more.
    """
    row = base
    for node in range(len(profile.first)):
        first = first_step(profile, node)
        rows = profile.end[node] + 1 - first
        _copy_rows(profile, first, copy, row, rows)
        copy.first[node] = row
        copy.end[node] = row + rows - 1
        row += 2 * rows + _SPARE
        copy.limit[node] = row
    if len(profile.first) == 1:
        copy.limit[0] = base + len(copy.time) // 2
    copy.base[0] = base
    copy.used[0] = row


@inner_kernel
def _copy_rows(profile: Profile, first: int, copy: Profile, to: int, rows: int) -> None:
    """Copy `rows` rows from `first` on into the tables of `copy` from row `to` on."""
    old_time, time = profile.time[first : first + rows], copy.time[to : to + rows]
    old_edges, edges = profile.edges[first : first + rows], copy.edges[to : to + rows]
    old_free, free = profile.free[first : first + rows], copy.free[to : to + rows]
    for row in range(len(time)):
        time[row] = old_time[row]
    for row in range(len(edges)):
        edges[row] = old_edges[row]
    for k in range(free.shape[1]):
        for row in range(len(free)):
            free[row, k] = old_free[row, k]


@inner_kernel
def pass_time(profile: Profile, now: int) -> None:
    """Set the present time, s; steps that are over are skipped from here on."""
    profile.now[0] = now
    profile.state[0] += 1


@inner_kernel
def first_step(profile: Profile, node: int) -> int:
    """The row of the node's current step."""
    step = profile.first[node]
    while profile.time[step + 1] <= profile.now[0]:
        step += 1
    profile.first[node] = step
    return int(step)


@inner_kernel
def step_at(profile: Profile, node: int, time: int) -> int:
    """The row of the node's step that contains `time`, s; the current one for a time before it."""
    seen = profile.seen[node, 0]
    if profile.first[node] <= seen < profile.end[node] and profile.time[seen] == time:
        return int(seen)
    return _last_step_until(profile, time, first_step(profile, node), profile.end[node])


@inner_kernel
def _last_step_until(profile: Profile, time: int, first: int, end: int) -> int:
    """The last of the rows `first:end` whose step begins at or before `time`; `first` where none does."""
    begins = profile.time
    left = end - first
    while left > 1:  # binary search without a branch that the processor would have to predict
        half = left >> 1
        first += half if begins[first + half] <= time else 0
        left -= half
    return int(first)


@inner_kernel
def step_behind(profile: Profile, node: int, time: int, step: int) -> int:
    """The row of the node's first step behind `step` that begins at `time` or later; else the end."""
    behind = profile.seen[node, 1]
    if step < behind <= profile.end[node] and profile.time[behind - 1] < time <= profile.time[behind]:
        return int(behind)
    return _last_step_until(profile, time - 1, step, profile.end[node]) + 1


@inner_kernel
def hold(
    profile: Profile, need: Ints, job: int, begin: int, end: int, pieces: Ints, first: int, count: int
) -> None:
    """Take what the job needs from `begin` to `end`, s.

    On a pool that is row `job` of `need`, (n, K); on nodes it is the `count` rows of `pieces`, (rows, 1 + K),
    from `first` on: a node, and the amounts on it.
    """
    if len(profile.first) == 1:
        _hold(profile, 0, need, job, 0, begin, end, 1)
        return
    for piece in range(first, first + count):
        _hold(profile, pieces[piece, 0], pieces, piece, 1, begin, end, 1)


@inner_kernel
def hold_alike(profile: Profile, need: Ints, job: int, begin: int, end: int, jobs: int) -> None:
    """Take `jobs` times what the job needs from `begin` to `end`, s, on a pool."""
    _hold(profile, 0, need, job, 0, begin, end, jobs)


@inner_kernel
def release(
    profile: Profile, need: Ints, job: int, begin: int, end: int, pieces: Ints, first: int, count: int
) -> None:
    """Undo a `hold` with the same arguments, as far as its time is not over."""
    if end <= profile.now[0]:
        return
    profile.state[0] += 1
    if len(profile.first) == 1:
        _release(profile, 0, need, job, 0, begin, end)
        return
    for piece in range(first, first + count):
        _release(profile, pieces[piece, 0], pieces, piece, 1, begin, end)


@inner_kernel
def _hold(
    profile: Profile, node: int, amounts: Ints, row: int, column: int, begin: int, end: int, times: int
) -> None:
    """Take `times` the amounts in a row, from `column` on, on the node from `begin` to `end`, s."""
    if len(profile.first) > 1 and profile.end[node] + 2 >= profile.limit[node]:
        _move_behind(profile, node)
    _stamp(profile, node, False)
    step = step_at(profile, node, begin)
    if begin > profile.now[0]:
        if profile.time[step] < begin:
            step += 1
            _insert(profile, node, step, begin)
        profile.edges[step] += times
    behind = step_behind(profile, node, end, step)
    if profile.time[behind] > end:
        _insert(profile, node, behind, end)
    profile.edges[behind] += times
    _take(profile, step, behind, amounts, row, column, times)


@inner_kernel
def _release(profile: Profile, node: int, amounts: Ints, row: int, column: int, begin: int, end: int) -> None:
    """Free the amounts in a row, from `column` on, on the node from `begin` to `end`, s."""
    _stamp(profile, node, True)
    step = step_at(profile, node, begin)
    behind = step_behind(profile, node, end, step)
    _take(profile, step, behind, amounts, row, column, -1)
    _forget_edge(profile, node, behind)
    if begin > profile.now[0]:
        _forget_edge(profile, node, step)


@inner_kernel
def _take(profile: Profile, step: int, behind: int, amounts: Ints, row: int, column: int, times: int) -> None:
    """Subtract `times` the amounts from what is free in the steps `step:behind`."""
    free = profile.free[step:behind]
    for k in range(free.shape[1]):
        amount = times * amounts[row, column + k]
        for index in range(len(free)):
            free[index, k] -= amount


@inner_kernel
def _insert(profile: Profile, node: int, step: int, time: int) -> None:
    """Insert at row `step` a step that begins at `time`, within the step before it; later rows move up."""
    end = profile.end[node] + 1
    profile.end[node] = end
    begins, edges, free = (
        profile.time[step : end + 1],
        profile.edges[step : end + 1],
        profile.free[step : end + 1],
    )
    for row in range(len(begins) - 1, 0, -1):
        begins[row] = begins[row - 1]
    for row in range(len(edges) - 1, 0, -1):
        edges[row] = edges[row - 1]
    for k in range(free.shape[1]):
        for row in range(len(free) - 1, 0, -1):
            free[row, k] = free[row - 1, k]
        free[0, k] = profile.free[step - 1, k]
    begins[0] = time
    edges[0] = 0


@inner_kernel
def _forget_edge(profile: Profile, node: int, step: int) -> None:
    """Count one piece less at the begin of the step, and remove the step if that was the last."""
    profile.edges[step] -= 1
    if profile.edges[step] > 0:
        return
    end = profile.end[node]
    profile.end[node] = end - 1
    _copy_rows(profile, step + 1, profile, step, end - step)


@inner_kernel
def _move_behind(profile: Profile, node: int) -> None:
    """Move a node's steps behind those of all others, with room for twice as many and `_SPARE` more."""
    first, to = first_step(profile, node), profile.used[0]
    rows = profile.end[node] + 1 - first
    _copy_rows(profile, first, profile, to, rows)
    profile.first[node] = to
    profile.end[node] = to + rows - 1
    profile.used[0] = profile.limit[node] = to + 2 * rows + _SPARE
