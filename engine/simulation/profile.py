"""The profile: what will be free on each node, step by step in time, by expected ends and reservations."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from engine.compiler.kernels import inner_kernel, kernel, tiny_kernel
from engine.compiler.packed_tuples import unchanging
from engine.simulation.machine_state import NEVER
from engine.simulation.workload import Ints, Mask

_KNOWN = 1 << 15
"""Size of the cache of search results: lines of nodes times kinds of jobs."""

_LEAST_KINDS = 64
"""The least number of kinds of jobs in that cache, on however many nodes."""

_SPARE = 8
"""Free rows that a line gets for further steps, in addition to as many as it has steps."""

_ROWS_TO_MOVE = 1024
"""The least number of rows that lines may use up by moving before all are laid out anew."""

_MORE_LINES = 8
"""Equal lines are looked for once there are a quarter and so many more than after the last look."""

_PASSES = 32
"""Equal lines are also looked for at each of so many changes of the present time: steps that are over no
longer tell lines apart."""


_FACTOR = 0x1000_0000_01B3
"""The multiplier of the FNV hash (Fowler, Noll & Vo), of 64 bits."""

UNTIL, ASKED, GAINED, CHANGED = range(4)
"""Columns of `Profile.known`, a cached search result for a kind of jobs on a line: from ASKED to UNTIL (s)
none of its tasks fits, as long as the line's stamp of the last gain is GAINED. At UNTIL a task does fit, as
long as the stamp of the last change is CHANGED, which is NOTHING where the search ended before it found that
time."""

_VISIT, _PIECES, _MODEL, _TARGET = range(4)
"""Columns of `Profile.parts`, what a change does to a line: the number of the change that met the line last,
the pieces on its nodes that take as much as the piece _MODEL, and the line that their nodes get."""

NOTHING = -1


class Profile(NamedTuple):
    """The future of each node as steps in order of time, each until the next. A pool is one node.

    Nodes with the same future share a *line* of steps: jobs take whole nodes by the hundred, so that few
    lines tell of a thousand nodes, and what is looked up, held or released on a line is so on all its nodes.
    A job that takes some nodes of a line gives them a line of their own. Lines that became equal are joined
    from time to time; nodes of different capacity or in different zones are never on one line.

    Each line has its own steps: most nodes run and reserve little, so that they have few steps, where steps
    of the whole machine would be many. A line's steps lie in consecutive rows `first:end` of the tables,
    followed by a row whose time is NEVER. Its first step is the current one, which may have begun before now.
    `edges` counts the jobs' pieces that begin or end where a step begins: a step without any is merged with
    the one before it.

    A line may use the rows below its `limit`; when they are full it moves behind all others. The rows in use
    lie in one half of the tables, and are copied to the other half when that one is full.
    """

    line: Ints  # (nodes,) the line of each node
    lines: Ints  # (2,) number of lines, and that number after equal ones were joined
    order: Ints  # (nodes,) the numbers of all lines, then those that are free for further lines
    turn: Ints  # (nodes,) where each number is in `order`
    size: Ints  # (nodes,) number of nodes of the line
    alike: Ints  # (nodes,) a node with the capacity and in the zones of all nodes of the line
    first: Ints  # (nodes,) row of the line's current step
    end: Ints  # (nodes,) row behind the line's last step
    limit: Ints  # (nodes,) row behind those that the line may use
    seen: Ints  # (nodes, 2) rows of the step that was found last, and of the step behind the span found there
    time: Ints  # (rows,) s, begin of the step
    edges: Ints  # (rows,) pieces that begin or end at that time
    free: Ints  # (rows, K) amounts that are free on each node of the line during the step
    now: Ints  # (2,) s, the present time; and how often it was set
    base: Ints  # (1,) first row of the half that is in use
    used: Ints  # (2,) first row of that half that belongs to no line, and the row up to which lines may move
    state: Ints  # (1,) changes when time passes or something is freed; until then free amounts only shrink
    least: Ints  # (nodes, K) scratch of a search: the least that is free on each line over a span of time
    room: Ints  # (nodes, 2) scratch of a search: its last look at the line, and the tasks that fit on a node
    offer: Ints  # (nodes, K) scratch of a search: `least` of each node's line
    soon: Ints  # (nodes, 2) scratch of a search: when lines may have more free, the earliest first, and sizes
    stamp: Ints  # (3,) the last stamp, a counter of changes; the last look; the stamp when lines last changed
    stamps: Ints  # (nodes, 2) stamps of the last change that freed something on the line, and of the last one
    gained: Ints  # (nodes,) stamp of the last change that freed something on any node that is on the line now
    kept: Ints  # (nodes, 3) saved `stamps` of a state that may be restored, and when its lines last changed
    returned: Ints  # (nodes,) saved `gained` of that state
    known: Ints  # (kinds of jobs, nodes, 4) cached search results, columns UNTIL, ASKED, GAINED, CHANGED
    known_for: Ints  # (kinds of jobs, 2) shape and duration (s) of these jobs
    parts: Ints  # (nodes, 4) scratch of a change, columns _VISIT to _TARGET
    visited: Ints  # (nodes,) number of the last change of the node
    joined: Ints  # (nodes,) scratch: the line into which a line is joined
    buckets: Ints  # (power of 2,) scratch: lines by the hash of their steps


def make_profile(capacity: Ints, now: int, room: int, zones: Mask | None = None) -> Profile:
    """The profile of an empty machine from `now`, s; `capacity` is (nodes, K), `room` rows for further steps.

    Without `room` nothing can be planned in it. `zones`, (zones, nodes), says which nodes belong to a zone.
    Without them tasks may run on all nodes.
    """
    nodes, kinds = capacity.shape
    each = 2 * 2 + _SPARE  # as `_lay_out` gives to a line of one step
    rows = 2 * (room + nodes * each)
    line, model = _alike(capacity, zones)
    lines = len(model)
    order = np.arange(nodes)
    first = order * each
    searched = max(_KNOWN // nodes, _LEAST_KINDS) if room and nodes > 1 else 1
    profile = Profile(
        line=line,
        lines=np.full(2, lines, np.int64),
        order=order,
        turn=order.copy(),
        size=np.bincount(line, minlength=nodes).astype(np.int64),
        alike=np.concatenate((model, np.zeros(nodes - lines, np.int64))),
        first=first,
        end=first + 1,
        limit=first + each if nodes > 1 else np.full(1, rows // 2),
        seen=np.zeros((nodes, 2), np.int64),
        time=np.full(rows, NEVER, np.int64),
        edges=np.zeros(rows, np.int64),
        free=np.zeros((rows, kinds), np.int64),
        now=np.array([now, 0], np.int64),
        base=np.zeros(1, np.int64),
        used=np.array([lines * each, rows // 2], np.int64),
        state=np.ones(1, np.int64),
        least=np.zeros_like(capacity),
        room=np.zeros((nodes, 2), np.int64),
        offer=np.zeros_like(capacity),
        soon=np.zeros((nodes, 2), np.int64),
        stamp=np.zeros(3, np.int64),
        stamps=np.zeros((nodes, 2), np.int64),
        gained=np.zeros(nodes, np.int64),
        kept=np.zeros((nodes, 3), np.int64),
        returned=np.zeros(nodes, np.int64),
        known=np.full((searched, nodes, 4), NOTHING),
        known_for=np.full((searched, 2), NOTHING),
        parts=np.zeros((nodes, 4), np.int64),
        visited=np.zeros(nodes, np.int64),
        joined=np.zeros(nodes, np.int64),
        buckets=np.zeros(4 << nodes.bit_length(), np.int64),
    )
    profile.time[first[:lines]] = now
    profile.free[first[:lines]] = capacity[model]
    return profile


def _alike(capacity: Ints, zones: Mask | None) -> tuple[Ints, Ints]:
    """The line of each node, one for all of equal capacity in the same zones, and a node of each line."""
    told_by = capacity if zones is None else np.column_stack((capacity, np.packbits(zones.T, axis=1)))
    _, model, line = np.unique(told_by, axis=0, return_index=True, return_inverse=True)
    return line.reshape(-1).astype(np.int64), model.astype(np.int64)


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
    if len(profile.first) > 1:
        _copy_lines(profile, copy)
    _lay_out(profile, copy, 0)
    copy.now[0] = profile.now[0]
    copy.state[0] += 1
    _stamp_all(copy)
    for index in range(copy.lines[0]):
        copy.gained[copy.order[index]] = copy.stamp[0]


@inner_kernel
def _copy_lines(profile: Profile, copy: Profile) -> None:
    """Overwrite which lines there are in `copy`, and which node is on which."""
    copy.lines[0], copy.lines[1] = profile.lines[0], profile.lines[1]
    for node in range(len(profile.line)):
        copy.line[node] = profile.line[node]
        copy.order[node] = profile.order[node]
        copy.turn[node] = profile.turn[node]
        copy.size[node] = profile.size[node]
        copy.alike[node] = profile.alike[node]


@inner_kernel
def _stamp(profile: Profile, line: int, gained: bool) -> None:
    """Note that the line has changed, and whether something may have been freed (`gained`)."""
    profile.stamp[0] += 1
    profile.stamps[line, 1] = profile.stamp[0]
    if gained:
        profile.stamps[line, 0] = profile.gained[line] = profile.stamp[0]


@inner_kernel
def _stamp_all(profile: Profile) -> None:
    """Forget all that searches found on any line."""
    for index in range(profile.lines[0]):
        line = profile.order[index]
        profile.stamp[0] += 1
        profile.stamps[line, 0] = profile.stamps[line, 1] = profile.stamp[0]


@inner_kernel
def forget_known(profile: Profile, pieces: Ints, first: int, count: int) -> None:
    """Give new stamps to the lines of the nodes of `count` rows of `pieces` from `first` on.

    What a search then finds on them is not taken for a result of the saved state.
    """
    if len(profile.first) > 1:
        for piece in range(first, first + count):
            _stamp(profile, profile.line[pieces[piece, 0]], True)


@inner_kernel
def keep_stamps(profile: Profile) -> None:
    """Save the stamps of the present state, for `return_stamps`."""
    profile.kept[0, 2] = profile.stamp[2]
    for index in range(profile.lines[0]):
        line = profile.order[index]
        profile.kept[line, 0] = profile.stamps[line, 0]
        profile.kept[line, 1] = profile.stamps[line, 1]
        profile.returned[line] = profile.gained[line]


@inner_kernel
def return_stamps(profile: Profile) -> None:
    """Restore the saved stamps, as the profile is what it was then again: results cached for it hold.

    Where a line was parted or joined since then, its stamp would be taken for another's: all get new ones.
    """
    if profile.kept[0, 2] != profile.stamp[2]:
        _stamp_all(profile)
        keep_stamps(profile)
        return
    for index in range(profile.lines[0]):
        line = profile.order[index]
        profile.stamps[line, 0] = profile.kept[line, 0]
        profile.stamps[line, 1] = profile.kept[line, 1]
        profile.gained[line] = profile.returned[line]


@inner_kernel
def make_room(profile: Profile, pieces: int) -> bool:
    """Whether so many more pieces fit into the tables, each with two steps; compacts a pool's if needed."""
    half = len(profile.time) // 2
    if len(profile.first) > 1:
        steps = 2 * pieces
        for index in range(profile.lines[0]):
            line = profile.order[index]
            steps += (profile.end[line] - first_step(profile, line)) * profile.size[line]
        return _all_fit(profile, steps)
    if profile.end[0] + 2 * pieces < profile.base[0] + half:
        return True
    _lay_out(profile, profile, 0 if profile.base[0] > 0 else half)
    return bool(profile.end[0] + 2 * pieces < profile.base[0] + half)


@inner_kernel
def _all_fit(profile: Profile, steps: int) -> bool:
    """Whether the tables hold all nodes with `steps` steps in all, however they come to be on lines.

    The most rows are taken where each node has a line of its own. A line that finds no room to move gets it
    by a new layout: so these rows, and some for outages that nobody planned, are all that a half must have.
    """
    nodes = len(profile.first)
    return bool(2 * (steps + nodes) + 2 * _SPARE * nodes <= len(profile.time) // 2)


@inner_kernel
def has_room_for_all(profile: Profile, held: int, pieces: int) -> bool:
    """Whether `make_room` will find room for `pieces` more, wherever the `held` ones lie in time."""
    nodes = len(profile.first)
    steps = 2 * (held + nodes) + 2 * pieces
    if nodes == 1:
        return steps < len(profile.time) // 2
    return _all_fit(profile, steps)


@kernel
def _lay_out(profile: Profile, copy: Profile, base: int) -> None:
    """Copy all steps into the tables of `copy` from row `base` on; `copy` may be the profile itself.

    Each line then has room for twice its steps and `_SPARE` more.
    """
    row = base
    for index in range(profile.lines[0]):
        line = profile.order[index]
        first = first_step(profile, line)
        rows = profile.end[line] + 1 - first
        _copy_rows(profile, first, copy, row, rows)
        copy.first[line] = row
        copy.end[line] = row + rows - 1
        row += 2 * rows + _SPARE
        copy.limit[line] = row
    if len(profile.first) == 1:
        copy.limit[0] = base + len(copy.time) // 2
    # Rows that are written again and again stay in the processor's cache: lines that move use four times the
    # rows in use before the next layout, not the whole half.
    copy.base[0] = base
    copy.used[0] = row
    copy.used[1] = min(base + len(copy.time) // 2, row + max(4 * (row - base), _ROWS_TO_MOVE))


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
    profile.now[1] += 1
    profile.state[0] += 1
    if len(profile.first) > 1 and profile.now[1] % _PASSES == 0:
        _join_lines(profile)


@inner_kernel
def first_step(profile: Profile, line: int) -> int:
    """The row of the line's current step."""
    step = profile.first[line]
    while profile.time[step + 1] <= profile.now[0]:
        step += 1
    profile.first[line] = step
    return int(step)


@inner_kernel
def step_at(profile: Profile, line: int, time: int) -> int:
    """The row of the line's step that contains `time`, s; the current one for a time before it."""
    seen = profile.seen[line, 0]
    if profile.first[line] <= seen < profile.end[line] and profile.time[seen] == time:
        return int(seen)
    return _last_step_until(profile, time, first_step(profile, line), profile.end[line])


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
def step_behind(profile: Profile, line: int, time: int, step: int) -> int:
    """The row of the line's first step behind `step` that begins at `time` or later; else the end."""
    behind = profile.seen[line, 1]
    if step < behind <= profile.end[line] and profile.time[behind - 1] < time <= profile.time[behind]:
        return int(behind)
    return _last_step_until(profile, time - 1, step, profile.end[line]) + 1


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
    _change(profile, pieces, first, count, begin, end, True)


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
    _change(profile, pieces, first, count, begin, end, False)


@inner_kernel
def _change(profile: Profile, pieces: Ints, first: int, count: int, begin: int, end: int, held: bool) -> None:
    """Hold, or release, the `count` pieces from `first` on, from `begin` to `end`, s."""
    if _meet(profile, pieces, first, count):
        _change_met(profile, pieces, first, count, begin, end, held)
    else:  # a job of several groups has more than one piece on a node
        for piece in range(first, first + count):
            _meet(profile, pieces, piece, 1)
            _change_met(profile, pieces, piece, 1, begin, end, held)
    if 4 * profile.lines[0] > 5 * profile.lines[1] + 4 * _MORE_LINES:
        _join_lines(profile)


@inner_kernel
def _meet(profile: Profile, pieces: Ints, first: int, count: int) -> bool:
    """Count the pieces on each line that take as much as its first one; False where a node has several."""
    profile.stamp[1] += 1
    visit = profile.stamp[1]
    for piece in range(first, first + count):
        node = pieces[piece, 0]
        if profile.visited[node] == visit:
            return False
        profile.visited[node] = visit
        line = profile.line[node]
        if profile.parts[line, _VISIT] != visit:
            profile.parts[line, _VISIT] = visit
            profile.parts[line, _PIECES] = 0
            profile.parts[line, _MODEL] = piece
            profile.parts[line, _TARGET] = NOTHING
        if _take_alike(pieces, piece, profile.parts[line, _MODEL]):
            profile.parts[line, _PIECES] += 1
    return True


@tiny_kernel
def _take_alike(pieces: Ints, piece: int, other: int) -> bool:
    """Whether two pieces take the same amounts."""
    alike = True
    for k in range(1, pieces.shape[1]):
        alike = alike and pieces[piece, k] == pieces[other, k]
    return alike


@inner_kernel
def _change_met(
    profile: Profile, pieces: Ints, first: int, count: int, begin: int, end: int, held: bool
) -> None:
    """Hold, or release, pieces that `_meet` counted: once for all nodes of a line that take as much.

    Where that is not each node of the line, those nodes get a line of their own first.
    """
    for piece in range(first, first + count):
        node = pieces[piece, 0]
        line = profile.line[node]
        parts = profile.parts[line]
        target = NOTHING
        alike = _take_alike(pieces, piece, parts[_MODEL])
        if alike:
            target = parts[_TARGET]
        if target == NOTHING:
            # A last node keeps the line: there are never more lines than nodes.
            target = line
            if (parts[_PIECES] if alike else 1) < profile.size[line]:
                target = _branch(profile, line)
            if held:
                _hold(profile, target, pieces, piece, 1, begin, end, 1)
            else:
                _release(profile, target, pieces, piece, 1, begin, end)
            if alike:
                parts[_TARGET] = target
        if target != line:
            profile.line[node] = target
            profile.size[target] += 1
            profile.size[line] -= 1
            if profile.size[line] == 0:
                _drop(profile, line)


@inner_kernel
def _branch(profile: Profile, line: int) -> int:
    """A new line with the steps of this one, without nodes; its number may be that of an old line."""
    lines = profile.lines[0]
    new = profile.order[lines]
    profile.lines[0] = lines + 1
    profile.size[new] = 0
    profile.alike[new] = profile.alike[line]
    # Until it is copied it has no rows of its own, of which a new layout would have to know.
    profile.first[new], profile.end[new] = profile.first[line], profile.end[line]
    _move_behind(profile, new)
    profile.seen[new, 0] = profile.seen[new, 1] = NOTHING
    _stamp(profile, new, True)
    profile.gained[new] = profile.gained[line]
    profile.stamp[2] = profile.stamp[0]
    return int(new)


@inner_kernel
def _drop(profile: Profile, line: int) -> None:
    """Free the number of a line that no node is on."""
    last = profile.lines[0] - 1
    profile.lines[0] = last
    turn, other = profile.turn[line], profile.order[last]
    profile.order[turn], profile.turn[other] = other, turn
    profile.order[last], profile.turn[line] = line, last
    profile.stamp[0] += 1
    profile.stamp[2] = profile.stamp[0]


@inner_kernel
def _join_lines(profile: Profile) -> None:
    """Put nodes with the same future on one line: lines of equal hash are compared step by step."""
    buckets, before = profile.buckets, profile.lines[0]
    mask = 1
    while mask <= 2 * before:
        mask *= 2
    mask -= 1
    for bucket in range(mask + 1):
        buckets[bucket] = NOTHING
    for index in range(before - 1, -1, -1):  # from the end: a dropped line changes place with the last
        line = profile.order[index]
        bucket = _hash(profile, line) & mask
        while buckets[bucket] != NOTHING and not _same_future(profile, buckets[bucket], line):
            bucket = (bucket + 1) & mask
        other = buckets[bucket]
        if other == NOTHING:
            buckets[bucket] = profile.joined[line] = line
            continue
        profile.joined[line] = other
        profile.size[other] += profile.size[line]
        profile.gained[other] = max(profile.gained[other], profile.gained[line])
        _drop(profile, line)
    profile.lines[1] = profile.lines[0]
    if profile.lines[0] < before:
        for node in range(len(profile.line)):
            profile.line[node] = profile.joined[profile.line[node]]


@inner_kernel
def _hash(profile: Profile, line: int) -> int:
    """A number that is equal for equal lines, and hardly ever for others."""
    first, end = first_step(profile, line), profile.end[line]
    mixed = profile.alike[line]
    for row in range(first, end):
        for k in range(profile.free.shape[1]):
            mixed = (mixed ^ profile.free[row, k]) * _FACTOR
        mixed = (mixed ^ profile.time[row + 1]) * _FACTOR
    return int(mixed ^ (mixed >> 32))


@inner_kernel
def _same_future(profile: Profile, line: int, other: int) -> bool:
    """Whether both lines have the same steps from now on, and could have been one from the beginning."""
    first, second = first_step(profile, line), first_step(profile, other)
    steps = profile.end[line] - first
    if steps != profile.end[other] - second or profile.alike[line] != profile.alike[other]:
        return False
    for step in range(steps):
        for k in range(profile.free.shape[1]):
            if profile.free[first + step, k] != profile.free[second + step, k]:
                return False
        # The current steps may have begun at different times.
        if step > 0 and (
            profile.time[first + step] != profile.time[second + step]
            or profile.edges[first + step] != profile.edges[second + step]
        ):
            return False
    return True


@inner_kernel
def _hold(
    profile: Profile, line: int, amounts: Ints, row: int, column: int, begin: int, end: int, times: int
) -> None:
    """Take `times` the amounts in a row, from `column` on, on nodes of the line from `begin` to `end`, s."""
    if len(profile.first) > 1 and profile.end[line] + 2 >= profile.limit[line]:
        _move_behind(profile, line)
    _stamp(profile, line, False)
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


@inner_kernel
def _release(profile: Profile, line: int, amounts: Ints, row: int, column: int, begin: int, end: int) -> None:
    """Free the amounts in a row, from `column` on, on nodes of the line from `begin` to `end`, s."""
    _stamp(profile, line, True)
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
def _insert(profile: Profile, line: int, step: int, time: int) -> None:
    """Insert at row `step` a step that begins at `time`, within the step before it; later rows move up."""
    end = profile.end[line] + 1
    profile.end[line] = end
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
def _forget_edge(profile: Profile, line: int, step: int) -> None:
    """Count one piece less at the begin of the step, and remove the step if that was the last."""
    profile.edges[step] -= 1
    if profile.edges[step] > 0:
        return
    end = profile.end[line]
    profile.end[line] = end - 1
    _copy_rows(profile, step + 1, profile, step, end - step)


@inner_kernel
def _move_behind(profile: Profile, line: int) -> None:
    """Move a line's steps behind those of all others, with room for twice as many and `_SPARE` more."""
    rows = profile.end[line] + 1 - first_step(profile, line)
    if profile.used[0] + 2 * rows + _SPARE > profile.used[1]:
        _lay_out(profile, profile, 0 if profile.base[0] > 0 else len(profile.time) // 2)
        return  # the line has as much room there
    first, to = profile.first[line], profile.used[0]
    _copy_rows(profile, first, profile, to, rows)
    profile.first[line] = to
    profile.end[line] = to + rows - 1
    profile.used[0] = profile.limit[line] = to + 2 * rows + _SPARE
