"""What will be free: the future of the machine as steps of time, by what is believed and reserved."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from engine.compiler.kernels import inner_kernel, kernel
from engine.compiler.packed import unchanging
from engine.simulation.machine_state import NEVER
from engine.simulation.workload import Ints

_KNOWN = 1 << 15
"""Nodes, of all kinds of jobs together, of which the search remembers what it found,
"""

_LEAST_KINDS = 64
"""but no fewer kinds than these."""

_SPARE = 8
"""Rows that a node has left for steps to come, beside as many as it has steps."""


UNTIL, ASKED, GAINED, CHANGED = range(4)
"""What is known of a kind of jobs on a node: before UNTIL none of its tasks fits, from ASKED on, s.

That holds while the node's stamp of the last gain is GAINED. At UNTIL a task fits while the stamp of the last
change is CHANGED, which is NOTHING where nobody looked further.
"""

NOTHING = -1


class Profile(NamedTuple):
    """The steps of each node in order of time; a pool is one node. A step lasts until the next one begins.

    On most nodes little is running or reserved, so that each has few steps, where steps of the
    whole machine would be many. A node's steps lie side by side in memory, in the rows from
    `first` to before `end` of the tables; a row that begins NEVER follows. Its first step
    is the one that lasts now: it may have begun before. `edges` counts the pieces of jobs that
    begin or end at a step's begin: a step that none needs any more is merged with the one before it.

    A node may fill the rows below its `limit`, and moves behind all others when it has. The rows
    in use all lie in one half of the tables, and move to the other one when that gets full.
    """

    first: Ints  # (nodes,) row
    end: Ints  # (nodes,) row behind the last step
    limit: Ints  # (nodes,) row
    seen: Ints  # (nodes, 2) rows of the step that was found last and of the one behind the span from there on
    time: Ints  # (rows,) s
    edges: Ints  # (rows,)
    free: Ints  # (rows, K)
    now: Ints  # (1,) s
    base: Ints  # (1,) first row of the half that is in use
    used: Ints  # (1,) rows from here on are no node's
    state: Ints  # (1,) changes when time passes or room is gained; until then room only gets less
    least: Ints  # (nodes, K) scratch of the search: the least that is free of each node over some time
    soon: Ints  # (nodes,) scratch of the search: when nodes may offer more, the earliest first
    stamp: Ints  # (1,) the last one that was given
    stamps: Ints  # (nodes, 2) of when room was last gained on the node, and when it last changed
    kept: Ints  # (nodes, 2) stamps of a state that may come back
    known: Ints  # (kinds of jobs, nodes, 4) what was found of such a job on the node, see UNTIL and behind
    known_for: Ints  # (kinds, 2) the shape and duration of these jobs


def make_profile(capacity: Ints, now: int, room: int) -> Profile:
    """The whole machine is free from `now` on for ever. `capacity` has shape (nodes, K)."""
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
    """One of a machine of which nothing is planned."""
    return unchanging(make_profile(np.zeros((nodes, kinds), np.int64), 0, 0))


def with_room(profile: Profile, rows: int) -> Profile:
    """The same steps in tables that are so many rows longer."""
    columns = {name: column.copy() for name, column in profile._asdict().items()}
    for name in ("time", "edges", "free"):
        columns[name] = np.concatenate((columns[name], np.zeros((rows, *columns[name].shape[1:]), np.int64)))
    larger = Profile(**columns)
    _lay_out(profile, larger, 0)
    return larger


@inner_kernel
def copy_profile(profile: Profile, copy: Profile) -> None:
    """Make the copy, which has as much room, the same."""
    _lay_out(profile, copy, 0)
    copy.now[0] = profile.now[0]
    copy.state[0] += 1
    for node in range(len(copy.first)):
        _stamp(copy, node, True)


@inner_kernel
def _stamp(profile: Profile, node: int, gained: bool) -> None:
    """What is free of the node has changed; it may have `gained` room."""
    profile.stamp[0] += 1
    profile.stamps[node, 1] = profile.stamp[0]
    if gained:
        profile.stamps[node, 0] = profile.stamp[0]


@inner_kernel
def forget_known(profile: Profile, pieces: Ints, first: int, count: int) -> None:
    """What is found from now on of the nodes of these rows of `pieces` is not of the state that was kept."""
    if len(profile.first) > 1:
        for piece in range(first, first + count):
            _stamp(profile, pieces[piece, 0], True)


@inner_kernel
def keep_stamps(profile: Profile) -> None:
    """Note how things are, for `return_stamps`."""
    for node in range(len(profile.stamps)):
        profile.kept[node, 0] = profile.stamps[node, 0]
        profile.kept[node, 1] = profile.stamps[node, 1]


@inner_kernel
def return_stamps(profile: Profile) -> None:
    """All is free again that was when stamps were kept, and no more: what was known then still holds."""
    for node in range(len(profile.stamps)):
        profile.stamps[node, 0] = profile.kept[node, 0]
        profile.stamps[node, 1] = profile.kept[node, 1]


@inner_kernel
def make_room(profile: Profile, pieces: int) -> bool:
    """Whether there is room for so many more pieces, each with a begin and an end."""
    if _has_room(profile, pieces):
        return True
    half = len(profile.time) // 2
    _lay_out(profile, profile, 0 if profile.base[0] > 0 else half)
    return _has_room(profile, pieces)


@inner_kernel
def _has_room(profile: Profile, pieces: int) -> bool:
    """What `make_room` tells, as things lie.

    A node may be full at once and then moves to twice as many rows and some. Before it moves
    again it got at least half of the steps that it then has: four rows for each of those.
    """
    half = len(profile.time) // 2
    nodes = len(profile.first)
    if nodes == 1:
        return bool(profile.end[0] + 2 * pieces < profile.base[0] + half)
    used = profile.used[0] - profile.base[0]
    return bool(3 * used + _SPARE * (nodes + pieces) <= half)


@inner_kernel
def has_room_for_all(profile: Profile, held: int, pieces: int) -> bool:
    """Whether `make_room` always finds room for so many pieces, however the `held` ones come to lie."""
    half, nodes = len(profile.time) // 2, len(profile.first)
    steps = 2 * (held + nodes)
    if nodes == 1:
        return steps + 2 * pieces < half
    return 3 * (2 * steps + _SPARE * nodes) + _SPARE * (nodes + pieces) <= half


@kernel
def _lay_out(profile: Profile, copy: Profile, base: int) -> None:
    """Write all steps into the copy's tables, from the row `base` on. It may be the profile itself."""
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
    """Write so many rows from `first` on into the copy's tables from `to` on."""
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
    """It is `now`."""
    profile.now[0] = now
    profile.state[0] += 1


@inner_kernel
def first_step(profile: Profile, node: int) -> int:
    """The node's step that lasts now."""
    step = profile.first[node]
    while profile.time[step + 1] <= profile.now[0]:
        step += 1
    profile.first[node] = step
    return int(step)


@inner_kernel
def step_at(profile: Profile, node: int, time: int) -> int:
    """The node's step that `time` lies in (the first one for an earlier time)."""
    seen = profile.seen[node, 0]
    if profile.first[node] <= seen < profile.end[node] and profile.time[seen] == time:
        return int(seen)
    return _last_step_until(profile, time, first_step(profile, node), profile.end[node])


@inner_kernel
def _last_step_until(profile: Profile, time: int, first: int, end: int) -> int:
    """The last of the steps `first:end` that begins no later than `time`; the first where none does."""
    begins = profile.time
    left = end - first
    while left > 1:  # a search that takes the same turns whatever it finds
        half = left >> 1
        first += half if begins[first + half] <= time else 0
        left -= half
    return int(first)


@inner_kernel
def step_behind(profile: Profile, node: int, time: int, step: int) -> int:
    """The node's first step behind `step` that begins at `time` or later; the end where none does."""
    behind = profile.seen[node, 1]
    if step < behind <= profile.end[node] and profile.time[behind - 1] < time <= profile.time[behind]:
        return int(behind)
    return _last_step_until(profile, time - 1, step, profile.end[node]) + 1


@inner_kernel
def hold(
    profile: Profile, need: Ints, job: int, begin: int, end: int, pieces: Ints, first: int, count: int
) -> None:
    """The job holds what it needs from `begin` to `end`; on nodes the rows `first` on of `pieces`."""
    if len(profile.first) == 1:
        _hold(profile, 0, need, job, 0, begin, end, 1)
        return
    for piece in range(first, first + count):
        _hold(profile, pieces[piece, 0], pieces, piece, 1, begin, end, 1)


@inner_kernel
def hold_alike(profile: Profile, need: Ints, job: int, begin: int, end: int, jobs: int) -> None:
    """So many jobs hold what this one needs from `begin` to `end`, on a pool."""
    _hold(profile, 0, need, job, 0, begin, end, jobs)


@inner_kernel
def release(
    profile: Profile, need: Ints, job: int, begin: int, end: int, pieces: Ints, first: int, count: int
) -> None:
    """What `hold` did is undone, as far as it is not over yet."""
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
    """So many times a row of amounts, from a column on, is not free on the node from `begin` to `end`."""
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
    """The amounts in a row, from a column on, are free again on the node from `begin` to `end`."""
    _stamp(profile, node, True)
    step = step_at(profile, node, begin)
    behind = step_behind(profile, node, end, step)
    _take(profile, step, behind, amounts, row, column, -1)
    _forget_edge(profile, node, behind)
    if begin > profile.now[0]:
        _forget_edge(profile, node, step)


@inner_kernel
def _take(profile: Profile, step: int, behind: int, amounts: Ints, row: int, column: int, times: int) -> None:
    """So many times the amounts are not free in the steps `step:behind`."""
    free = profile.free[step:behind]
    for k in range(free.shape[1]):
        amount = times * amounts[row, column + k]
        for one in range(len(free)):
            free[one, k] -= amount


@inner_kernel
def _insert(profile: Profile, node: int, step: int, time: int) -> None:
    """A new step begins at `time`, within the one before `step`: those from there on move up by a row."""
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
    """A piece less begins or ends at the begin of the step: one that none needs is taken out."""
    profile.edges[step] -= 1
    if profile.edges[step] > 0:
        return
    end = profile.end[node]
    profile.end[node] = end - 1
    _copy_rows(profile, step + 1, profile, step, end - step)


@inner_kernel
def _move_behind(profile: Profile, node: int) -> None:
    """Move a node's steps behind those of all others, where it has twice as many rows and some."""
    first, to = first_step(profile, node), profile.used[0]
    rows = profile.end[node] + 1 - first
    _copy_rows(profile, first, profile, to, rows)
    profile.first[node] = to
    profile.end[node] = to + rows - 1
    profile.used[0] = profile.limit[node] = to + 2 * rows + _SPARE
