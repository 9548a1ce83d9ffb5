"""The steps of a line of the profile: how they are found, changed, and laid out in its tables."""

from __future__ import annotations

from engine.compiler.kernels import inner_kernel, kernel
from engine.simulation.profile.state import SPARE, Profile
from engine.simulation.workload import Ints

_ROWS_TO_MOVE = 1024
"""The least number of rows that lines may use up by moving before all are laid out anew."""


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
def hold_steps(
    profile: Profile, line: int, amounts: Ints, row: int, column: int, begin: int, end: int, times: int
) -> None:
    """Take `times` the amounts in a row, from `column` on, on nodes of the line from `begin` to `end`, s."""
    # Two steps may be inserted below: a line of steps that is full is moved to the end of the arrays first.
    if len(profile.first) > 1 and profile.end[line] + 2 >= profile.limit[line]:
        move_behind(profile, line)
    stamp_line(profile, line, False)
    step = step_at(profile, line, begin)
    # A need that begins now begins with the first step; a later one gets a step of its own, counted as an
    # edge.
    if begin > profile.now[0]:
        if profile.time[step] < begin:
            step += 1
            _insert(profile, line, step, begin)
        profile.edges[step] += times
    behind = step_behind(profile, line, end, step)
    # The step behind the end may begin later: the rest of the step before it is cut off, and keeps what is
    # free.
    if profile.time[behind] > end:
        _insert(profile, line, behind, end)
    profile.edges[behind] += times
    _take(profile, step, behind, amounts, row, column, times)


@inner_kernel
def release_steps(
    profile: Profile, line: int, amounts: Ints, row: int, column: int, begin: int, end: int
) -> None:
    """Free the amounts in a row, from `column` on, on nodes of the line from `begin` to `end`, s."""
    # Searches on this line must not believe what they found before: there is more room now.
    stamp_line(profile, line, True)
    step = step_at(profile, line, begin)
    behind = step_behind(profile, line, end, step)
    _take(profile, step, behind, amounts, row, column, -1)
    # The later edge goes first, as dropping it does not move the earlier one.
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
    # By hand and from behind: an assignment of overlapping slices would make a temporary copy.
    for row in range(len(begins) - 1, 0, -1):
        begins[row] = begins[row - 1]
    for row in range(len(edges) - 1, 0, -1):
        edges[row] = edges[row - 1]
    for k in range(free.shape[1]):
        for row in range(len(free) - 1, 0, -1):
            free[row, k] = free[row - 1, k]
        free[0, k] = profile.free[step - 1, k]
    begins[0] = time
    # No need begins or ends at the new step yet; who inserts it counts that.
    edges[0] = 0


@inner_kernel
def _forget_edge(profile: Profile, line: int, step: int) -> None:
    """Count one piece less at the begin of the step, and remove the step if that was the last."""
    profile.edges[step] -= 1
    # Other jobs begin or end there, too: the step stays.
    if profile.edges[step] > 0:
        return
    end = profile.end[line]
    profile.end[line] = end - 1
    _copy_rows(profile, step + 1, profile, step, end - step)


@inner_kernel
def move_behind(profile: Profile, line: int) -> None:
    """Move a line's steps behind those of all others, with room for twice as many and `SPARE` more."""
    rows = profile.end[line] + 1 - first_step(profile, line)
    if profile.used[0] + 2 * rows + SPARE > profile.used[1]:
        lay_out(profile, profile, 0 if profile.base[0] > 0 else len(profile.time) // 2)
        return  # the line has as much room there
    first, to = profile.first[line], profile.used[0]
    _copy_rows(profile, first, profile, to, rows)
    profile.first[line] = to
    profile.end[line] = to + rows - 1
    profile.used[0] = profile.limit[line] = to + 2 * rows + SPARE


@kernel
def lay_out(profile: Profile, copy: Profile, base: int) -> None:
    """Copy all steps into the tables of `copy` from row `base` on; `copy` may be the profile itself.

    Each line then has room for twice its steps and `SPARE` more.
    """
    row, nodes = base, len(profile.line)
    # The steps of the sum over all nodes come last, where there are any.
    for index in range(profile.lines[0] + len(profile.first) - nodes):
        line = profile.order[index] if index < profile.lines[0] else nodes
        first = first_step(profile, line)
        rows = profile.end[line] + 1 - first
        _copy_rows(profile, first, copy, row, rows)
        copy.first[line] = row
        copy.end[line] = row + rows - 1
        row += 2 * rows + SPARE
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
    # Views of equal length and plain loops, which compile to moves of memory.
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
def stamp_line(profile: Profile, line: int, gained: bool) -> None:
    """Note that the line has changed, and whether something may have been freed (`gained`)."""
    profile.stamp[0] += 1
    profile.stamps[line, 1] = profile.stamp[0]
    if gained:
        profile.stamps[line, 0] = profile.gained[line] = profile.stamp[0]
