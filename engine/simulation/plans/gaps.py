"""The gap of a plan that a job fills best: where the fewest processors stay idle."""

from __future__ import annotations

from engine.compiler.kernels import inner_kernel
from engine.simulation.machine_state import NEVER, MachineState
from engine.simulation.profile.earliest import earliest
from engine.simulation.profile.state import Profile
from engine.simulation.profile.steps import step_at
from engine.simulation.workload import Workload


@inner_kernel
def best_gap(
    profile: Profile, work: Workload, machine: MachineState, job: int, duration: int, begin: int
) -> int:
    """The start from `begin` on, in s, that leaves the fewest processor-seconds idle while the job runs.

    Candidates are the earliest start, and the earliest start after each time at which a step of the profile
    begins; the first of equally good ones is taken. On nodes the draft then says where.
    """
    best = least = NEVER
    time = earliest(profile, work, machine, job, duration, begin, NEVER)
    while time < NEVER:
        idle = _idle(profile, time, time + duration)
        if idle < least:
            best, least = time, idle
        following = _next_change(profile, time)
        if following == NEVER:
            break
        time = earliest(profile, work, machine, job, duration, following, NEVER)
    if len(profile.first) > 1:
        earliest(profile, work, machine, job, duration, best, best + 1)  # the draft is of the last candidate
    return int(best)


@inner_kernel
def _idle(profile: Profile, begin: int, end: int) -> int:
    """The processor-seconds that are free from `begin` to `end`, on all nodes."""
    idle = 0
    # A line stands for `size` nodes with the same steps: one walk counts for all of them.
    for index in range(profile.lines[0]):
        line = profile.order[index]
        step = step_at(profile, line, begin)
        since = begin
        while since < end:
            until = min(end, profile.time[step + 1])
            idle += profile.free[step, 0] * (until - since) * profile.size[line]
            since = until
            step += 1
    return int(idle)


@inner_kernel
def _next_change(profile: Profile, time: int) -> int:
    """The begin of the next step of any node after `time`; NEVER if there is none."""
    following = NEVER
    for index in range(profile.lines[0]):
        following = min(following, profile.time[step_at(profile, profile.order[index], time) + 1])
    return int(following)
