"""Jobs that run beyond their walltime under conservative backfilling, and how long the plan only shifts.

Such a job is expected to end in a second, and a second later again in a second. Each time all waiting jobs
would be planned from scratch, mostly with the same result: reservations that follow the end of an overdue job
move by a second, the others stay. Such seconds can be skipped.
"""

from __future__ import annotations

from engine.compiler.kernels import inner_kernel
from engine.simulation.machine_state import NEVER
from engine.simulation.running import next_end
from engine.simulation.scheduler import Scheduler
from engine.simulation.workload import Ints


@inner_kernel
def plan_moves_until(s: Scheduler, now: int) -> int:
    """The first second after `now` at which the plan may change, or the last one before a job ends.

    The plan was made at `now`. It is determined by comparisons of two times, each an expected end or `now`,
    with or without the length of a job added. Times that depend on overdue jobs move, all others stay. So the
    plan stays the same, apart from that shift, until a moving time meets a fixed one.
    """
    run, reservations, moving, ahead = s.run, s.reservations, s.moving_times, s.fixed_times
    # Sort all times that determine the plan into moving ones and fixed ones (`ahead`, ascending). A
    # reservation is moving or fixed as the time at which it begins is. If that is neither, plan anew.
    moving[0], moving[1] = now, now + 1
    moves, stays = 2, 0
    for index in range(run.running[0] - 1, -1, -1):  # in order of their expected ends
        if run.line_end[index] > now + 1:
            ahead[stays] = run.line_end[index]
            stays += 1
        elif not _is_overdue(s, run.line[index], now):
            return now + 1
    for index in range(s.queue.bounds[0], s.queue.bounds[1]):
        job = s.queue.jobs[index]
        begin, end = reservations.start[job], reservations.start[job] + reservations.length[job]
        if _has(moving, moves, begin):
            moving[moves], moving[moves + 1] = begin, end
            moves += 2
        elif _has(ahead, stays, begin):
            _insert(ahead, stays, begin)
            _insert(ahead, stays + 1, end)
            stays += 2
        else:
            return now + 1
    nearest = min(NEVER - now, _until_next(ahead, stays, moving, moves, 0))
    for index in range(s.queue.bounds[0], s.queue.bounds[1]):
        length = reservations.length[s.queue.jobs[index]]
        nearest = min(nearest, _until_next(ahead, stays, moving, moves, length))
        nearest = min(nearest, _until_next(ahead, stays, moving, moves, -length))
        if nearest <= 1:
            break
    return int(min(now + nearest, next_end(run) - 1))


@inner_kernel
def _is_overdue(s: Scheduler, job: int, now: int) -> bool:
    """Whether a job that is expected to end in the next second will still run then."""
    if job >= len(s.start):
        return False  # a node that comes back
    return bool(s.start[job] + s.work.walltime[job] <= now + 1 and s.run.end[job] > now + 1)


@inner_kernel
def _has(times: Ints, count: int, time: int) -> bool:
    for index in range(count):  # noqa: SIM110 - a generator does not compile
        if times[index] == time:
            return True
    return False


@inner_kernel
def _insert(times: Ints, count: int, time: int) -> None:
    """Insert a time into the first `count` times, which ascend."""
    index = count
    while index > 0 and times[index - 1] > time:
        times[index] = times[index - 1]
        index -= 1
    times[index] = time


@inner_kernel
def _until_next(ahead: Ints, stays: int, moving: Ints, moves: int, length: int) -> int:
    """The seconds until a moving time plus `length` meets a fixed time ahead of it: at least 1, or NEVER."""
    nearest = NEVER
    for move in range(moves):
        time = moving[move] + length
        low, high = 0, stays
        # Binary search for the first fixed time that is not before the moving one.
        while low < high:
            middle = (low + high) >> 1
            if ahead[middle] < time:
                low = middle + 1
            else:
                high = middle
        if low < stays:
            nearest = min(nearest, max(1, ahead[low] - time))
    return int(nearest)
