"""The profile: what will be free on each node, step by step in time, by expected ends and reservations.

On a machine of nodes the whole machine has a line of steps too, and for each of these steps the sets of nodes
that have at least so many CPUs free, as words of 64 bits. A search goes over the steps of the whole machine,
and looks only at the nodes in these sets.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.compiler.kernels import inner_kernel, kernel, tiny_kernel
from engine.compiler.packed import unchanging
from engine.simulation.machine_state import NEVER
from engine.simulation.workload import Ints, node_words

_SPARE = 8
"""Free rows that a node gets for further steps, in addition to as many as it has steps."""


class Profile(NamedTuple):
    """The future of each node as steps in order of time, each until the next. A pool is one node.

    Each node has a line of steps of its own: most nodes run and reserve little, so that they have few steps.
    On a machine of several nodes the last line is that of the whole machine: its steps begin where a step of
    any node begins, and its amounts are the sums over the nodes. A line's steps lie in consecutive rows
    `first:end` of the tables, followed by a row whose time is NEVER. Its first step is the current one, which
    may have begun before now. `edges` counts the pieces of jobs that begin or end where a step begins: a step
    without any is merged with the one before it.

    A line may use the rows below its `limit`; when they are full it moves behind all other lines. The rows in
    use lie in one half of the tables, and are copied to the other half when that one is full.

    Each step of the whole machine has a row of `sets`, of as many words for each level: the nodes that have
    at least `level` CPUs free during the step; in the last set, those that are entirely free. A piece that
    takes all CPUs of a node is only taken out of these sets, for which a job on hundreds of nodes needs a few
    operations on words: the node's own line does not know it. So a node's line is of use only while the node
    is in the first set.
    """

    first: Ints  # (lines,) row of the line's current step
    end: Ints  # (lines,) row behind the line's last step
    limit: Ints  # (lines,) row behind those that the line may use
    seen: Ints  # (lines, 2) rows of the step that was found last, and of the step behind the span found there
    time: Ints  # (rows,) s, begin of the step
    edges: Ints  # (rows,) pieces that begin or end at that time
    free: Ints  # (rows, K) amounts that are free during the step
    now: Ints  # (1,) s, the present time
    base: Ints  # (1,) first row of the half that is in use
    used: Ints  # (1,) first row of that half that belongs to no line
    state: Ints  # (1,) changes when time passes or something is freed; until then free amounts only shrink
    least: Ints  # (nodes, K) scratch of a search: the least that is free on each node over a span of time
    total: Ints  # (1, K) scratch: the sum of the amounts of a job's pieces
    slot: Ints  # (rows,) row of `sets` of a step of the whole machine; (0,) on a pool
    sets: Ints  # (slots, levels, words) nodes by what they have free; (1, 1, 1) on a pool
    spare: Ints  # (slots,) rows of `sets` that are used no more, as a stack
    taken: Ints  # (2,) number of rows on that stack, and of rows of `sets` that were ever used
    level: Ints  # (levels,) CPUs, ascending; the last level is that of nodes that are entirely free
    reach: Ints  # (levels, words) nodes that are in each set while they are entirely free
    alone: Ints  # (words,) scratch: nodes all of whose CPUs one piece takes
    fit: Ints  # (2, words) scratch of a search: nodes of a level, and entirely free ones, over a span of time
    bit: Ints  # (64,) the words with a single bit
    cpus: Ints  # (nodes,) CPUs that each node has


def make_profile(capacity: Ints, now: int, room: int) -> Profile:
    """The profile of an empty machine from `now`, s; `capacity` is (nodes, K), `room` rows for further steps.

    Without `room` nothing can be planned in it.
    """
    nodes, kinds = capacity.shape
    several = nodes > 1
    total = capacity.sum(axis=0, keepdims=True)
    amounts = np.concatenate((capacity, total)) if several else capacity
    lines = len(amounts)
    each = 2 * 2 + _SPARE  # as `_lay_out` gives to a line of one step, which may come before any other
    rows = 2 * (room + lines * each)
    first = np.arange(0, lines * each, each)
    level = _levels(capacity) if several else np.zeros(1, np.int64)
    reach = node_words(_in_sets(capacity[:, 0], level))
    profile = Profile(
        first=first,
        end=first + 1,
        limit=first + each if several else np.full(1, rows // 2),
        seen=np.zeros((lines, 2), np.int64),
        time=np.full(rows, NEVER, np.int64),
        edges=np.zeros(rows, np.int64),
        free=np.zeros((rows, kinds), np.int64),
        now=np.full(1, now, np.int64),
        base=np.zeros(1, np.int64),
        used=np.full(1, lines * each, np.int64),
        state=np.ones(1, np.int64),
        least=np.zeros((nodes, kinds), np.int64),
        total=np.zeros((1, kinds), np.int64),
        slot=np.zeros(rows if several else 0, np.int64),
        sets=reach[None].copy(),
        spare=np.zeros(1, np.int64),
        taken=np.array([0, 1]),
        level=level,
        reach=reach,
        alone=np.zeros(reach.shape[1], np.int64),
        fit=np.zeros((2, reach.shape[1]), np.int64),
        bit=(np.uint64(1) << np.arange(64, dtype=np.uint64)).view(np.int64),
        cpus=np.ascontiguousarray(capacity[:, 0]),
    )
    profile.time[first] = now
    profile.free[first] = amounts
    return profile


def _levels(capacity: Ints) -> Ints:
    """The CPUs of each level: the powers of two up to the largest node, and behind them the entire node.

    Most tasks ask for a power of two, so that the sets alone tell which nodes have enough CPUs for them.
    """
    powers = 1 << np.arange(int(capacity[:, 0].max(initial=1)).bit_length(), dtype=np.int64)
    return np.append(powers, NEVER)


def _in_sets(cpus: Ints, level: Ints) -> NDArray[np.bool_]:
    """Whether each node is in each set while it is entirely free, shape (levels, nodes)."""
    reached = cpus >= level[:, None]
    reached[-1] = True
    return reached


@cache
def no_profile(nodes: int, kinds: int) -> Profile:
    """The profile of simulations that plan nothing; they share it."""
    return unchanging(make_profile(np.zeros((nodes, kinds), np.int64), 0, 0))


def with_room(profile: Profile, rows: int) -> Profile:
    """A copy of the profile in tables that are `rows` longer."""
    columns = {name: column.copy() for name, column in profile._asdict().items()}
    for name in ("time", "edges", "free", "slot"):
        more = rows if len(columns[name]) else 0
        columns[name] = np.concatenate((columns[name], np.zeros((more, *columns[name].shape[1:]), np.int64)))
    larger = Profile(**columns)
    _lay_out(profile, larger, 0)
    return larger


def with_slots(profile: Profile, slots: int) -> Profile:
    """A copy of the profile with so many rows of `sets`, for the steps of the whole machine."""
    sets = np.zeros((slots, *profile.sets.shape[1:]), np.int64)
    sets[: len(profile.sets)] = profile.sets
    spare = np.zeros(slots, np.int64)
    spare[: len(profile.spare)] = profile.spare
    return profile._replace(sets=sets, spare=spare)


@inner_kernel
def copy_profile(profile: Profile, copy: Profile) -> None:
    """Overwrite `copy`, which has tables of the same size, with the steps of `profile`."""
    _lay_out(profile, copy, 0)
    copy.now[0] = profile.now[0]
    copy.state[0] += 1
    if len(profile.first) > 1:
        # The copy's rows of `sets` are numbered anew, in order of the steps.
        line = len(profile.first) - 1
        offset = profile.first[line] - copy.first[line]
        for row in range(copy.first[line], copy.end[line]):
            copy.slot[row] = row - copy.first[line]
            _copy_sets(profile, profile.slot[row + offset], copy, copy.slot[row])
        copy.taken[0] = 0
        copy.taken[1] = copy.end[line] - copy.first[line]


@inner_kernel
def _copy_sets(profile: Profile, slot: int, copy: Profile, to: int) -> None:
    """Copy a row of `sets` into the row `to` of the copy, which may be the profile itself."""
    old, new = profile.sets[slot], copy.sets[to]
    for level in range(new.shape[0]):
        for word in range(new.shape[1]):
            new[level, word] = old[level, word]


@inner_kernel
def _take_slot(profile: Profile) -> int:
    """A row of `sets` that no step uses."""
    if profile.taken[0] > 0:
        profile.taken[0] -= 1
        return int(profile.spare[profile.taken[0]])
    profile.taken[1] += 1
    return int(profile.taken[1] - 1)


@inner_kernel
def _give_slot(profile: Profile, slot: int) -> None:
    """Note that no step uses the row of `sets` any more."""
    profile.spare[profile.taken[0]] = slot
    profile.taken[0] += 1


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

    A piece has two steps on its node and at most two of the whole machine. A full line moves to a place with
    2 rows for each step and `_SPARE` more. Before it moves again, it has gained at least half of its steps:
    so each new step costs at most 4 rows.
    """
    half = len(profile.time) // 2
    lines = len(profile.first)
    if lines == 1:
        return bool(profile.end[0] + 2 * pieces < profile.base[0] + half)
    used = profile.used[0] - profile.base[0]
    return bool(3 * used + _SPARE * (lines + 2 * pieces) <= half)


@inner_kernel
def has_room_for_all(profile: Profile, held: int, pieces: int) -> bool:
    """Whether `make_room` will find room for `pieces` more, wherever the `held` ones lie in time."""
    half, lines = len(profile.time) // 2, len(profile.first)
    if lines == 1:
        return 2 * (held + lines) + 2 * pieces < half
    steps = 2 * (2 * held + lines)
    return 3 * (2 * steps + _SPARE * lines) + _SPARE * (lines + 2 * pieces) <= half


@kernel
def _lay_out(profile: Profile, copy: Profile, base: int) -> None:
    """Copy all steps into the tables of `copy` from row `base` on; `copy` may be the profile itself.

    Each line then has room for twice its steps and `_SPARE` more.
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
    if len(profile.first) > 1:
        old_slot, slot = profile.slot[first : first + rows], copy.slot[to : to + rows]
        for row in range(len(slot)):
            slot[row] = old_slot[row]
    for k in range(free.shape[1]):
        for row in range(len(free)):
            free[row, k] = old_free[row, k]


@inner_kernel
def pass_time(profile: Profile, now: int) -> None:
    """Set the present time, s; steps that are over are skipped from here on."""
    profile.state[0] += 1
    if len(profile.first) > 1:
        # What follows a step of the whole machine that is over needs its sets no more.
        line = len(profile.first) - 1
        step = profile.first[line]
        while profile.time[step + 1] <= now:
            _give_slot(profile, profile.slot[step])
            step += 1
        profile.first[line] = step
    profile.now[0] = now


@tiny_kernel
def whole(profile: Profile) -> int:
    """The line of the whole machine, which is the only one of a pool."""
    return len(profile.first) - 1


@inner_kernel
def first_step(profile: Profile, node: int) -> int:
    """The row of the current step of a line."""
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
def hold_on(
    profile: Profile, line: int, amounts: Ints, row: int, column: int, begin: int, end: int, times: int
) -> tuple[int, int]:
    """Take `times` the amounts in a row, from `column` on, on the line from `begin` to `end`, s.

    Returns the first row of that span, and the row behind it.
    """
    if len(profile.first) > 1 and profile.end[line] + 2 >= profile.limit[line]:
        _move_behind(profile, line)
    step = step_at(profile, line, begin)
    if begin > profile.now[0]:
        if profile.time[step] < begin:
            step += 1
            _insert(profile, line, step, begin)
        profile.edges[step] += times
    behind = step_behind(profile, line, end, step)
    if profile.time[behind] > end:
        _insert(profile, line, behind, end)
    profile.edges[behind] += times
    _take(profile, step, behind, amounts, row, column, times)
    return step, behind


@inner_kernel
def release_on(
    profile: Profile, line: int, amounts: Ints, row: int, column: int, begin: int, end: int
) -> None:
    """Free the amounts in a row, from `column` on, on the line from `begin` to `end`, s."""
    step = step_at(profile, line, begin)
    behind = step_behind(profile, line, end, step)
    _take(profile, step, behind, amounts, row, column, -1)
    _forget_edge(profile, line, behind)
    if begin > profile.now[0]:
        _forget_edge(profile, line, step)


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
    if node > 0 and node == len(profile.first) - 1:
        # The new step of the whole machine begins with the sets of the step that it divides.
        slots = profile.slot[step : end + 1]
        for row in range(len(slots) - 1, 0, -1):
            slots[row] = slots[row - 1]
        slots[0] = _take_slot(profile)
        _copy_sets(profile, profile.slot[step - 1], profile, slots[0])


@inner_kernel
def _forget_edge(profile: Profile, node: int, step: int) -> None:
    """Count one piece less at the begin of the step, and remove the step if that was the last."""
    profile.edges[step] -= 1
    if profile.edges[step] > 0:
        return
    if node > 0 and node == len(profile.first) - 1:
        _give_slot(profile, profile.slot[step])
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
