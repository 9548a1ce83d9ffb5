"""Where a job would run for a span of time: what the lines of the profile have free then, and its draft."""

from __future__ import annotations

from engine.compiler.bits import bit_of, bits_below, count_bits, lowest_bit
from engine.compiler.kernels import inner_kernel
from engine.simulation.machine_state import MachineState
from engine.simulation.placement import FIRST, place
from engine.simulation.profile.state import Profile
from engine.simulation.profile.steps import step_at
from engine.simulation.workload import NO_SHAPE, Workload


@inner_kernel
def draft_over(
    profile: Profile, work: Workload, machine: MachineState, job: int, duration: int, time: int
) -> bool:
    """Draft the job's nodes for `duration` from `time` on, as `earliest` tries; False without a place."""
    group, draft = work.group_offset[job], machine.draft
    alike = work.shape[job] != NO_SHAPE
    if alike and machine.placement == FIRST:
        return _draft_in_turn(profile, work, machine, group, duration, time)
    # Other placements choose among nodes: each gets what its line has free, of which the search may not have
    # looked at the last lines, since it stops when there is enough.
    for index in range(profile.lines[0]):
        line = profile.order[index]
        if alike and profile.room[line, 0] != profile.stamp[1]:
            least_over(profile, line, time, time + duration)
    for node in range(len(profile.line)):
        for k in range(profile.offer.shape[1]):
            profile.offer[node, k] = profile.least[profile.line[node], k]
    return place(work, job, profile.offer, machine.placement, draft)


@inner_kernel
def _draft_in_turn(
    profile: Profile, work: Workload, machine: MachineState, group: int, duration: int, time: int
) -> bool:
    """`draft_over` by first fit for equal tasks: each node takes as many as fit, which its line knows.

    Nodes of a word that take as many, one after the other, are one piece.
    """
    draft, chosen = machine.draft, profile.chosen
    wanted, zone, alone = work.group_tasks[group], work.zone[group], work.exclusive[group]
    _choose_roomy(profile)
    draft.size[0] = size = 0
    left = wanted
    for word in range(len(chosen)):
        remaining = chosen[word]
        behind = size
        while remaining != 0:
            node = (word << 6) + lowest_bit(remaining)
            line = profile.line[node]
            here = remaining & profile.words[line, word]
            if zone > 0 and not work.zone_nodes[zone, node]:
                remaining ^= here
                continue
            # The search stops at the line with which there is enough: later ones get their room here.
            if profile.room[line, 0] != profile.stamp[1]:
                least_over(profile, line, time, time + duration)
                profile.room[line, 0] = profile.stamp[1]
                profile.room[line, 1] = room_on_line(profile, work, group, line, wanted)
                if profile.room[line, 1] == 0:
                    remaining ^= here
                    for other in range(word + 1, len(chosen)):
                        chosen[other] &= ~profile.words[line, other]
                    continue
            room = min(profile.room[line, 1], left)
            # All nodes of the line up to the first of another one take their tasks at once.
            if here != remaining:
                here &= bits_below(lowest_bit(remaining ^ here))
            many = count_bits(here)
            # The last tasks: as many nodes as they fill, and then one more for the rest.
            if many * room > left:
                many = left // room
                here = _lowest_bits(here, many)
            remaining ^= here
            left -= many * room
            # Whole nodes of two lines need not be of the same size.
            if size > behind and draft.tasks[size - 1] == room and not alone:
                draft.bits[size - 1] |= here
            else:
                draft.node[size], draft.bits[size] = node, here
                draft.group[size], draft.tasks[size] = group, room
                size += 1
            if left == 0:
                draft.size[0] = size
                return True
    return False


@inner_kernel
def _lowest_bits(word: int, many: int) -> int:
    """The `many` lowest bits of a word that are set."""
    rest = word
    for _ in range(many):
        rest ^= bit_of(lowest_bit(rest))
    return word ^ rest


@inner_kernel
def _choose_roomy(profile: Profile) -> None:
    """Set `chosen` to all nodes but those of lines that the last search found to have no room."""
    chosen, nodes = profile.chosen, len(profile.line)
    for word in range(len(chosen)):
        chosen[word] = -1
    # The last word has fewer nodes than bits.
    if nodes & 63 > 0:
        chosen[len(chosen) - 1] = bits_below(nodes)
    for index in range(profile.lines[0]):
        line = profile.order[index]
        if profile.room[line, 0] == profile.stamp[1] and profile.room[line, 1] == 0:
            for word in range(len(chosen)):
                chosen[word] &= ~profile.words[line, word]


@inner_kernel
def room_on_line(profile: Profile, work: Workload, group: int, line: int, wanted: int) -> int:
    """The number of the `wanted` tasks of the group that fit into what `least` has for a node of the line."""
    # A node that is wanted alone has to be idle as a whole, and takes one task.
    if work.exclusive[group]:
        node = profile.alike[line]
        # The scarcest resource decides. Division is slow, and mostly needless: it is done only where the
        # tasks do not all fit.
        for k in range(profile.least.shape[1]):
            whole = work.capacity[node, k]
            if profile.least[line, k] < whole or work.group_need[group, k] > whole:
                return 0
        return min(wanted, 1)
    room = wanted
    for k in range(profile.least.shape[1]):
        need, left = work.group_need[group, k], profile.least[line, k]
        if need > left:
            return 0
        if need * room > left:
            room = left // need
    return int(room)


@inner_kernel
def least_over(profile: Profile, line: int, begin: int, end: int) -> int:
    """Set `least` of the line to the minimum free from `begin` to `end`; returns the first step's end."""
    time, free, least = profile.time, profile.free, profile.least
    # The minimum over all steps that the span touches, the first of which may have begun before it.
    step = step_at(profile, line, begin)
    for k in range(free.shape[1]):
        least[line, k] = free[step, k]
    following = step + 1
    over = time[following]
    while time[following] < end:
        for k in range(free.shape[1]):
            least[line, k] = min(least[line, k], free[following, k])
        following += 1
    return int(over)
