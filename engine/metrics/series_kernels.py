"""Sweeps over the events of a schedule, for quantities that change at starts and ends."""

from __future__ import annotations

from engine.arrays import Ints
from engine.compiler.kernels import kernel


@kernel
def merge_changes(come: Ints, more: Ints, leave: Ints, less: Ints, time: Ints, value: Ints) -> int:
    """Write each change of the sum of what has come and not left; returns the number of rows.

    At `come[i]` it grows by `more[i]`, at `leave[i]` it falls by `less[i]`: times in seconds, both
    ascending. `time` and `value` have room for a row an event.
    """
    rows = came = left = held = 0
    while came < len(come) or left < len(leave):
        if left == len(leave) or (came < len(come) and come[came] <= leave[left]):
            now = come[came]
        else:
            now = leave[left]
        level = held
        # All changes of a second together: a job that ends as another starts leaves no row.
        while came < len(come) and come[came] == now:
            level += more[came]
            came += 1
        while left < len(leave) and leave[left] == now:
            level -= less[left]
            left += 1
        if level != held:
            time[rows], value[rows] = now, level
            rows += 1
            held = level
    return rows
