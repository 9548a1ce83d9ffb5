"""The earliest time and place of a job of one group on usable nodes, if running jobs ended by their limits.

Slurm takes ends that are close to each other together, and tests whether the job fits only after each such
batch. The batches become longer the further ahead they are, so that there are few tests: these are found
first, then the first that succeeds, and only for that are nodes chosen.
"""

from __future__ import annotations

from engine.compiler.bits import lowest_bit
from engine.compiler.kernels import inner_kernel
from engine.slurm.scheduler.ends import ended_by, has_room, room_after, slot_of
from engine.slurm.scheduler.places import NEVER, barrier_after, expected_end, next_window, place_group
from engine.slurm.scheduler.state import SiteRun


@inner_kernel
def soonest(s: SiteRun, job: int, now: int, ended: int) -> tuple[int, int]:
    """`will_run` for a job of one group, but -1 rows if it starts after the first `ended` jobs have ended."""
    e, group = s.ends, s.jobs.offset[job]
    zone = s.jobs.zone[group]
    first = _leaving(s, zone, 0, ended)
    # Most searches end here: what is free by the last test is too little.
    enough = has_room(s, group, _last_test(s, zone, first, ended) if first < ended else 0)
    last = ended == e.many[1] or _leaving(s, zone, ended, e.many[1]) == e.many[1]
    if not enough and not (last and first < ended and has_room(s, group, ended)):
        return NEVER, -1
    # More is free at each test than before: the first with enough is found by halving.
    many = _make_tests(s, zone, first, ended, last)
    low, high = 0, many
    while low < high:
        middle = (low + high) >> 1
        if has_room(s, group, e.tests[middle]):
            high = middle
        else:
            low = middle + 1
    # Where the number of nodes is bounded, enough room in all may still be no place.
    for test in range(low, many):
        rows = _place_after(s, job, e.tests[test])
        if rows >= 0:
            return now if test == 0 else expected_end(s, s.state.line[e.tests[test] - 1], now), rows
    return NEVER, -1


@inner_kernel
def _leaving(s: SiteRun, zone: int, first: int, ended: int) -> int:
    """The first running job from `first` on that leaves usable nodes of a zone; `ended` if none before it."""
    e, p = s.ends, s.plans
    for row in range(e.offset[first], e.offset[ended]):
        node = e.node[row]
        if p.usable[node >> 6] & p.bits[node & 63] != 0 and s.machine.zones[zone, node]:
            return int(e.of[row])
    return ended


@inner_kernel
def _last_test(s: SiteRun, zone: int, first: int, ended: int) -> int:
    """After how many ends the last test is, of those within the first `ended`, which begin with `first`.

    The very last end is left out: whether it is tested depends on later ends, too.
    """
    e, window = s.ends, s.rules.end_batch
    if window == 0 or s.rules.end_linear:
        return ended  # there may be as many tests as ends
    barrier = barrier_after(s, e.time[first])
    # The longest batch that may be over by then; where no job that matters ends after it, the one before.
    while ended < e.many[1] and barrier + 2 * window < e.time[ended]:
        window += window
    while ended == e.many[1] and barrier + window < e.time[ended - 1]:
        window += window
    while window >= s.rules.end_batch:
        test = _leaving(s, zone, min(max(ended_by(s, barrier + window) - 1, first), ended), ended)
        if test < ended:
            return test + 1
        window >>= 1
    return 0


@inner_kernel
def _make_tests(s: SiteRun, zone: int, first: int, ended: int, last: bool) -> int:
    """Write into `SiteEnds.tests` after how many ends there are tests, the first before any; how many tests.

    `last` says that no job that matters ends after the first `ended`: then there is a test after the last.
    """
    e, many = s.ends, 1
    e.tests[0] = 0
    if first == ended:
        return many
    barrier, window = barrier_after(s, e.time[first]), s.rules.end_batch
    at = first
    while at < ended:
        # A batch is over where the next job of all, on whatever nodes, ends after its window.
        test = _leaving(s, zone, min(max(ended_by(s, barrier + window) - 1, at), ended), ended)
        if test == ended:
            break
        e.tests[many] = test + 1
        many += 1
        at = test + 1
        if at < e.many[1]:
            window = next_window(s, window, e.time[at] - barrier)
    if last:
        # The last job that matters ends the last batch, whether its window is over or not.
        row = e.offset[ended] - 1
        while not (
            s.plans.usable[e.node[row] >> 6] & s.plans.bits[e.node[row] & 63]
            and s.machine.zones[zone, e.node[row]]
        ):
            row -= 1
        if e.tests[many - 1] < e.of[row] + 1:
            e.tests[many] = e.of[row] + 1
            many += 1
    return many


@inner_kernel
def _place_after(s: SiteRun, job: int, ended: int) -> int:
    """The rows of a job that is placed on usable nodes once the first `ended` jobs have ended, or -1."""
    e, p, group, room = s.ends, s.plans, s.jobs.offset[job], s.scratch.ahead
    slot, zone, roomy = slot_of(s, group), s.jobs.zone[group], s.plans.roomy
    for word in range(len(roomy)):
        remaining = roomy[word] = p.usable[word] & e.some[ended, word]
        while remaining != 0:
            bit = lowest_bit(remaining)
            remaining ^= p.bits[bit]
            node = (word << 6) + bit
            room[node] = room_after(s, group, slot, zone, node, ended)
    rows = place_group(s, job, room)
    # The scratch is 0 wherever nobody is looking.
    for word in range(len(roomy)):
        remaining = roomy[word]
        while remaining != 0:
            bit = lowest_bit(remaining)
            remaining ^= p.bits[bit]
            room[(word << 6) + bit] = 0
    return rows
