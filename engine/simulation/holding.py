"""What jobs hold in a profile: their amounts on each node and of the whole machine, and the sets of nodes."""

from __future__ import annotations

from engine.compiler.kernels import inner_kernel
from engine.simulation.profile import Profile, hold_on, release_on, step_at, step_behind, whole
from engine.simulation.workload import Ints


@inner_kernel
def hold(
    profile: Profile, need: Ints, job: int, begin: int, end: int, pieces: Ints, first: int, count: int
) -> None:
    """Take what the job needs from `begin` to `end`, s.

    On a pool that is row `job` of `need`, (n, K); on nodes it is the `count` rows of `pieces`, (rows, 1 + K),
    from `first` on: a node, and the amounts on it. These must be free: a node is in a set or not, so that the
    sets do not tell how often it was taken.
    """
    if len(profile.first) == 1:
        hold_on(profile, 0, need, job, 0, begin, end, 1)
        return
    # The steps of the whole machine come first: the sets belong to them.
    _add_up(profile, pieces, first, count)
    step, behind = hold_on(profile, whole(profile), profile.total, 0, 0, begin, end, 1)
    if _list_alone(profile, pieces, first, count):
        _take_out(profile, step, behind)
    for piece in range(first, first + count):
        if not _takes_all(profile, pieces, piece):
            hold_on(profile, pieces[piece, 0], pieces, piece, 1, begin, end, 1)
            _sort_in(profile, pieces[piece, 0], step, behind)


@inner_kernel
def hold_alike(profile: Profile, need: Ints, job: int, begin: int, end: int, jobs: int) -> None:
    """Take `jobs` times what the job needs from `begin` to `end`, s, on a pool."""
    hold_on(profile, 0, need, job, 0, begin, end, jobs)


@inner_kernel
def release(
    profile: Profile, need: Ints, job: int, begin: int, end: int, pieces: Ints, first: int, count: int
) -> None:
    """Undo a `hold` with the same arguments, as far as its time is not over."""
    if end <= profile.now[0]:
        return
    profile.state[0] += 1
    if len(profile.first) == 1:
        release_on(profile, 0, need, job, 0, begin, end)
        return
    step = step_at(profile, whole(profile), begin)
    behind = step_behind(profile, whole(profile), end, step)
    if _list_alone(profile, pieces, first, count):
        _put_in(profile, step, behind)
    for piece in range(first, first + count):
        if not _takes_all(profile, pieces, piece):
            release_on(profile, pieces[piece, 0], pieces, piece, 1, begin, end)
            _sort_in(profile, pieces[piece, 0], step, behind)
    # Last, as this merges steps of the whole machine, whose rows are in use until here.
    _add_up(profile, pieces, first, count)
    release_on(profile, whole(profile), profile.total, 0, 0, begin, end)


@inner_kernel
def _add_up(profile: Profile, pieces: Ints, first: int, count: int) -> None:
    """Set `total` to what the `count` rows of `pieces` from `first` on take together."""
    for k in range(profile.total.shape[1]):
        amount = 0
        for piece in range(first, first + count):
            amount += pieces[piece, 1 + k]
        profile.total[0, k] = amount


@inner_kernel
def _takes_all(profile: Profile, pieces: Ints, piece: int) -> bool:
    """Whether the piece takes all CPUs of its node, so that no other job can use the node meanwhile."""
    return bool(pieces[piece, 1] == profile.cpus[pieces[piece, 0]])


@inner_kernel
def _list_alone(profile: Profile, pieces: Ints, first: int, count: int) -> bool:
    """Set `alone` to the nodes that pieces take all CPUs of; returns whether there are any."""
    alone, some = profile.alone, False
    for word in range(len(alone)):
        alone[word] = 0
    for piece in range(first, first + count):
        if _takes_all(profile, pieces, piece):
            alone[pieces[piece, 0] >> 6] |= profile.bit[pieces[piece, 0] & 63]
            some = True
    return some


@inner_kernel
def _take_out(profile: Profile, step: int, behind: int) -> None:
    """Take the nodes in `alone` out of all sets of the steps `step:behind` of the whole machine."""
    for row in range(step, behind):
        sets = profile.sets[profile.slot[row]]
        for level in range(sets.shape[0]):
            for word in range(sets.shape[1]):
                sets[level, word] &= ~profile.alone[word]


@inner_kernel
def _put_in(profile: Profile, step: int, behind: int) -> None:
    """Put the nodes in `alone`, which are entirely free now, into the sets of the steps `step:behind`."""
    for row in range(step, behind):
        sets = profile.sets[profile.slot[row]]
        for level in range(sets.shape[0]):
            for word in range(sets.shape[1]):
                sets[level, word] |= profile.alone[word] & profile.reach[level, word]


@inner_kernel
def _sort_in(profile: Profile, node: int, step: int, behind: int) -> None:
    """Put the node into sets of the steps `step:behind` of the whole machine, or out of them, by its line."""
    word, bit = node >> 6, profile.bit[node & 63]
    line_step = step_at(profile, node, profile.time[step])
    last = len(profile.level) - 1
    for row in range(step, behind):
        while profile.time[line_step + 1] <= profile.time[row]:
            line_step += 1
        free, sets = profile.free[line_step, 0], profile.sets[profile.slot[row]]
        for level in range(last):
            if free >= profile.level[level]:
                sets[level, word] |= bit
            else:
                sets[level, word] &= ~bit
        if free == profile.cpus[node]:
            sets[last, word] |= bit
        else:
            sets[last, word] &= ~bit
