"""The lines of the profile: what is held or released on nodes, and which of them share a line."""

from __future__ import annotations

import numpy as np

from engine.compiler.bits import bit_of, count_bits, lowest_bit
from engine.compiler.kernels import inner_kernel, tiny_kernel
from engine.simulation.placement import AMOUNTS, NODE, NODES
from engine.simulation.profile.state import NOTHING, SPARE, Profile
from engine.simulation.profile.steps import (
    first_step,
    hold_steps,
    lay_out,
    move_behind,
    release_steps,
    stamp_line,
)
from engine.simulation.workload import Ints

_MORE_LINES = 8
"""Equal lines are looked for once there are a quarter and so many more than after the last look."""

_PASSES = 32
"""Equal lines are also looked for at each of so many changes of the present time: steps that are over no
longer tell lines apart."""

_FACTOR = 0x1000_0000_01B3
"""The multiplier of the FNV hash (Fowler, Noll & Vo), of 64 bits."""


def with_room(profile: Profile, rows: int) -> Profile:
    """A copy of the profile in tables that are `rows` longer."""
    columns = {name: column.copy() for name, column in profile._asdict().items()}
    for name in ("time", "edges", "free"):
        columns[name] = np.concatenate((columns[name], np.zeros((rows, *columns[name].shape[1:]), np.int64)))
    larger = Profile(**columns)
    lay_out(profile, larger, 0)
    return larger


@inner_kernel
def copy_profile(profile: Profile, copy: Profile) -> None:
    """Overwrite `copy`, which has tables of the same size, with the steps of `profile`."""
    if len(profile.first) > 1:
        _copy_lines(profile, copy)
    # Only steps that are not over are copied: the copy is compact, whatever the original has gone through.
    lay_out(profile, copy, 0)
    copy.now[0] = profile.now[0]
    # A new state and new stamps: what searches found in the old content of the copy must not be believed.
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
    for index in range(profile.lines[0]):
        line = profile.order[index]
        for word in range(profile.words.shape[1]):
            copy.words[line, word] = profile.words[line, word]


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
            word, bits = pieces[piece, NODE] & ~63, pieces[piece, NODES]
            while bits != 0:
                bit = lowest_bit(bits)
                bits ^= bit_of(bit)
                stamp_line(profile, profile.line[word + bit], True)


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
    # The third stamp counts partings and joinings of lines.
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
        # On nodes the worst case counts: each piece may part its node from its line, and then the node takes
        # a copy of all steps of that line.
        steps = 2 * pieces
        # The sum over all nodes has steps of its own, two more for each job.
        if len(profile.first) > len(profile.line):
            steps += 2 * pieces + profile.end[len(profile.line)] - first_step(profile, len(profile.line))
        for index in range(profile.lines[0]):
            line = profile.order[index]
            steps += (profile.end[line] - first_step(profile, line)) * profile.size[line]
        return _all_fit(profile, steps)
    if profile.end[0] + 2 * pieces < profile.base[0] + half:
        return True
    # A pool uses one half of the table at a time. When it is full, the steps that are not over move to the
    # other half, which drops those of the past.
    lay_out(profile, profile, 0 if profile.base[0] > 0 else half)
    return bool(profile.end[0] + 2 * pieces < profile.base[0] + half)


@inner_kernel
def _all_fit(profile: Profile, steps: int) -> bool:
    """Whether the tables hold all nodes with `steps` steps in all, however they come to be on lines.

    The most rows are taken where each node has a line of its own. A line that finds no room to move gets it
    by a new layout: so these rows, and some for outages that nobody planned, are all that a half must have.
    """
    nodes = len(profile.first)
    return bool(2 * (steps + nodes) + 2 * SPARE * nodes <= len(profile.time) // 2)


@inner_kernel
def has_room_for_all(profile: Profile, held: int, pieces: int) -> bool:
    """Whether `make_room` will find room for `pieces` more, wherever the `held` ones lie in time."""
    nodes = len(profile.first)
    steps = 2 * (held + nodes) + 2 * pieces
    if nodes == 1:
        return steps < len(profile.time) // 2
    return _all_fit(profile, 2 * steps)  # as many again for the sum over all nodes


@inner_kernel
def pass_time(profile: Profile, now: int) -> None:
    """Set the present time, s; steps that are over are skipped from here on."""
    profile.now[0] = now
    profile.now[1] += 1
    profile.state[0] += 1
    if len(profile.first) > 1 and profile.now[1] % _PASSES == 0:
        _join_lines(profile)


@inner_kernel
def hold(
    profile: Profile, need: Ints, job: int, begin: int, end: int, pieces: Ints, first: int, count: int
) -> None:
    """Take what the job needs from `begin` to `end`, s.

    On a pool that is row `job` of `need`, (n, K); on nodes it is the `count` rows of `pieces`,
    (rows, AMOUNTS + K), from `first` on: nodes, and the amounts on each of them.
    """
    if len(profile.first) == 1:
        hold_steps(profile, 0, need, job, 0, begin, end, 1)
        return
    _change(profile, pieces, first, count, begin, end, True)


@inner_kernel
def hold_alike(profile: Profile, need: Ints, job: int, begin: int, end: int, jobs: int) -> None:
    """Take `jobs` times what the job needs from `begin` to `end`, s, on a pool."""
    hold_steps(profile, 0, need, job, 0, begin, end, jobs)


@inner_kernel
def release(
    profile: Profile, need: Ints, job: int, begin: int, end: int, pieces: Ints, first: int, count: int
) -> None:
    """Undo a `hold` with the same arguments, as far as its time is not over."""
    if end <= profile.now[0]:
        return
    profile.state[0] += 1
    # A pool has a single line, and needs no pieces to find it.
    if len(profile.first) == 1:
        release_steps(profile, 0, need, job, 0, begin, end)
        return
    _change(profile, pieces, first, count, begin, end, False)


@inner_kernel
def _change(profile: Profile, pieces: Ints, first: int, count: int, begin: int, end: int, held: bool) -> None:
    """Hold, or release, the `count` pieces from `first` on, from `begin` to `end`, s."""
    total, most = profile.total, len(profile.left)
    for k in range(total.shape[1]):
        total[0, k] = 0
    # The scratch list has room for as many pieces as there are nodes; a job of several groups may have more.
    for at in range(first, first + count, most):
        _change_some(profile, pieces, at, min(most, first + count - at), begin, end, held)
    if len(profile.first) > len(profile.line):
        _change_line(profile, len(profile.line), total, 0, 0, begin, end, held)
    # A search costs as much as there are lines: equal ones are joined before they are a quarter more.
    if 4 * profile.lines[0] > 5 * profile.lines[1] + 4 * _MORE_LINES:
        _join_lines(profile)


@inner_kernel
def _change_some(
    profile: Profile, pieces: Ints, first: int, count: int, begin: int, end: int, held: bool
) -> None:
    """Hold, or release, pieces in rounds: in each round those that take as much as the first one left."""
    left, chosen, total = profile.left, profile.chosen, profile.total
    model, listed = first, False
    while count > 0:
        many = kept = 0
        low = high = pieces[model, NODE] >> 6
        chosen[low] = 0
        for index in range(count):
            piece = left[index] if listed else first + index
            word, bits = pieces[piece, NODE] >> 6, pieces[piece, NODES]
            # Only the words between the lowest and the highest node are in use, and empty at first.
            while low > word:
                low -= 1
                chosen[low] = 0
            while high < word:
                high += 1
                chosen[high] = 0
            # A second piece on a node, of another group of the job, waits for a round of its own.
            if _take_alike(pieces, piece, model) and chosen[word] & bits == 0:
                chosen[word] |= bits
                many += count_bits(bits)
            else:
                left[kept] = piece
                kept += 1
        count, listed = kept, True
        for k in range(total.shape[1]):
            total[0, k] += many * pieces[model, AMOUNTS + k]
        _change_chosen(profile, pieces, model, low, high + 1, begin, end, held)
        model = left[0]


@tiny_kernel
def _take_alike(pieces: Ints, piece: int, other: int) -> bool:
    """Whether two pieces take the same amounts."""
    alike = True
    for k in range(AMOUNTS, pieces.shape[1]):
        alike = alike and pieces[piece, k] == pieces[other, k]
    return alike


@inner_kernel
def _change_chosen(
    profile: Profile, pieces: Ints, model: int, low: int, high: int, begin: int, end: int, held: bool
) -> None:
    """Hold, or release, what the piece `model` takes on each node in the words `low:high` of `chosen`.

    It is done once for all nodes of a line. Where these are not all of its nodes, they get a line of their
    own first; the last node keeps the line, so that there are never more lines than nodes.
    """
    chosen = profile.chosen
    for word in range(low, high):
        while chosen[word] != 0:
            line = profile.line[(word << 6) + lowest_bit(chosen[word])]
            words = profile.words[line]
            many = 0
            # Words below have no node left: their nodes have been crossed out.
            for other in range(word, high):
                many += count_bits(chosen[other] & words[other])
            target = line
            # A line holds for all of its nodes: those that change leave it if others stay as they are.
            if many < profile.size[line]:
                target = _branch(profile, line)
                profile.size[target], profile.size[line] = many, profile.size[line] - many
            # The nodes are crossed out, so that the next line is that of the lowest one left.
            for other in range(word, high):
                here = chosen[other] & words[other]
                chosen[other] ^= here
                if target != line:
                    words[other] ^= here
                    profile.words[target, other] = here
                    while here != 0:
                        bit = lowest_bit(here)
                        here ^= bit_of(bit)
                        profile.line[(other << 6) + bit] = target
            _change_line(profile, target, pieces, model, AMOUNTS, begin, end, held)


@inner_kernel
def _change_line(
    profile: Profile, line: int, amounts: Ints, row: int, column: int, begin: int, end: int, held: bool
) -> None:
    """Hold, or release, the amounts in a row, from `column` on, on a line from `begin` to `end`, s."""
    if held:
        hold_steps(profile, line, amounts, row, column, begin, end, 1)
    else:
        release_steps(profile, line, amounts, row, column, begin, end)


@inner_kernel
def _branch(profile: Profile, line: int) -> int:
    """A new line with the steps of this one, without nodes; its number may be that of an old line.

    The caller says which nodes it has.
    """
    lines = profile.lines[0]
    new = profile.order[lines]
    profile.lines[0] = lines + 1
    profile.size[new] = 0
    for word in range(profile.words.shape[1]):
        profile.words[new, word] = 0
    profile.alike[new] = profile.alike[line]
    # Until it is copied it has no rows of its own, of which a new layout would have to know.
    profile.first[new], profile.end[new] = profile.first[line], profile.end[line]
    move_behind(profile, new)
    profile.seen[new, 0] = profile.seen[new, 1] = NOTHING
    stamp_line(profile, new, True)
    profile.gained[new] = profile.gained[line]
    profile.stamp[2] = profile.stamp[0]
    return int(new)


@inner_kernel
def _drop(profile: Profile, line: int) -> None:
    """Free the number of a line that no node is on."""
    last = profile.lines[0] - 1
    profile.lines[0] = last
    # The last line in use takes its turn, so that those in use stay in front.
    turn, other = profile.turn[line], profile.order[last]
    profile.order[turn], profile.turn[other] = other, turn
    profile.order[last], profile.turn[line] = line, last
    # Saved stamps were of lines that are no longer the same: see `return_stamps`.
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
    # Open addressing: at most half of the buckets are taken, so that a search soon meets an empty one.
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
        # A gain on either may let a job start on the joined line.
        profile.joined[line] = other
        profile.size[other] += profile.size[line]
        for word in range(profile.words.shape[1]):
            profile.words[other, word] |= profile.words[line, word]
        profile.gained[other] = max(profile.gained[other], profile.gained[line])
        _drop(profile, line)
    profile.lines[1] = profile.lines[0]
    if profile.lines[0] < before:
        for node in range(len(profile.line)):
            profile.line[node] = profile.joined[profile.line[node]]


@inner_kernel
def _hash(profile: Profile, line: int) -> int:
    """A number that is equal for equal lines, and hardly ever for others."""
    # Only steps that are not over count: what is past tells lines apart no more.
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
