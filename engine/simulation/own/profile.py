"""What of the machine is expected to be free later, as a user's scheduler sees it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.simulation.own.own_simulation import Ints, OwnSimulation
from engine.simulation.placement import AMOUNTS, CONTIGUOUS, nodes_of


class FutureRoom:
    """What is free later if running jobs end when they are expected to, and nothing starts until then."""

    def __init__(self, shown: OwnSimulation) -> None:
        self._shown = shown

    def free_at(self, time: int) -> Ints:
        """What is expected to be free on each node at a second, shape (nodes, K); the first is processors.

        Outages of nodes that are to come are not known.
        """
        running = self._shown.by_expected_end
        ended = self._shown.s.run.expected[running] <= max(time, self._shown.now)
        free = self._free_after(running, int(ended.sum()))
        free.flags.writeable = False
        return free

    def earliest(self, job: int) -> int:
        """The earliest second at which a job fits, in all resources that it asks for, as far as is expected.

        Running jobs free theirs at their expected ends; no waiting job is counted. On nodes its tasks have to
        fit into what is free of each; of a job of several groups of tasks each group on its own, so that it
        may fit later still. A job that fits at no time gets the expected end of the last running job.
        """
        shown = self._shown
        running = shown.by_expected_end
        if len(shown.s.work.capacity) == 1:
            after = self._of_pool(job, running)
        else:
            # What is free only grows with each end: the first end after which it fits is found by bisection.
            low, after = 0, len(running)
            while low < after:
                middle = (low + after) // 2
                if self._fits(job, self._free_after(running, middle)):
                    after = middle
                else:
                    low = middle + 1
        return shown.now if after == 0 else int(shown.s.run.expected[running[min(after, len(running)) - 1]])

    def fits_now(self, job: int) -> bool:
        """Whether a job fits into what is free now, in all resources that it asks for, on nodes task by task.

        Of a job of several groups of tasks each group takes the first nodes that have room for it; where that
        fails, the simulator may still find places.
        """
        s = self._shown.s
        if (s.work.need[job] > s.machine.free_total).any():
            return False
        if len(s.work.capacity) == 1:
            return True
        groups = range(int(s.work.group_offset[job]), int(s.work.group_offset[job + 1]))
        return self._fits(job, s.machine.free) and (len(groups) == 1 or self._fit_together(groups))

    def _fit_together(self, groups: range) -> bool:
        """Whether groups of tasks have room beside each other, each on the first nodes that have some."""
        work, free = self._shown.s.work, self._shown.s.machine.free.copy()
        for group in groups:
            need, tasks = work.group_need[group], int(work.group_tasks[group])
            room = self._room(group, free)
            taken = np.minimum(room, np.maximum(tasks - (room.cumsum() - room), 0))
            if taken.sum() < tasks:
                return False
            if work.exclusive[group]:
                free[taken > 0] = 0
            else:
                free -= taken[:, np.newaxis] * need
        return True

    def _of_pool(self, job: int, running: Ints) -> int:
        """The number of running jobs that have to end before the job fits on a pool."""
        s, after = self._shown.s, 0
        lacks = s.work.need[job] - s.machine.free[0]
        for kind in np.flatnonzero(lacks > 0).tolist():
            freed = s.work.need[running, kind].cumsum()
            after = max(after, int(freed.searchsorted(lacks[kind])) + 1)
        return min(after, len(running))

    def _free_after(self, running: Ints, count: int) -> Ints:
        """What is free on each node once the first `count` of these jobs have ended, shape (nodes, K)."""
        s, ended = self._shown.s, running[:count]
        free = s.machine.free.copy()
        if len(free) == 1:
            free[0] += s.work.need[ended].sum(axis=0)
            return free
        # The rows of all pieces of these jobs, one job's after the other's.
        sizes = s.machine.piece_count[ended]
        starts = s.machine.first_piece[ended]
        rows = np.repeat(starts - np.concatenate(([0], sizes.cumsum()[:-1])), sizes) + np.arange(sizes.sum())
        pieces = s.machine.pieces[rows]
        row, node = nodes_of(pieces)
        np.add.at(free, node, pieces[row, AMOUNTS:])
        return free

    def _fits(self, job: int, free: Ints) -> bool:
        """Whether each group of the job's tasks has room on nodes that have this to give, (nodes, K)."""
        work = self._shown.s.work
        for group in range(int(work.group_offset[job]), int(work.group_offset[job + 1])):
            tasks, each = int(work.group_tasks[group]), self._room(group, free)
            side_by_side = work.exclusive[group] and self._is_contiguous
            room = _longest_run(each > 0, tasks, work.aligned) if side_by_side else int(each.sum())
            if room < tasks:
                return False
        return True

    def _room(self, group: int, free: Ints) -> Ints:
        """How many tasks of a group, at most all of them, each node has room for, (nodes,)."""
        work = self._shown.s.work
        need, zone = work.group_need[group], int(work.zone[group])
        if work.exclusive[group]:
            # Such a task takes an empty node that is large enough.
            each = ((free >= work.capacity).all(axis=1) & (work.capacity >= need).all(axis=1)).astype(
                np.int64
            )
        else:
            kinds, tasks = need > 0, int(work.group_tasks[group])
            each = (np.maximum(free[:, kinds], 0) // need[kinds]).min(axis=1, initial=tasks)
        return np.where(work.zone_nodes[zone], each, 0) if zone > 0 else each

    @property
    def _is_contiguous(self) -> bool:
        return self._shown.s.machine.placement == CONTIGUOUS


def _longest_run(empty: NDArray[np.bool_], tasks: int, aligned: bool) -> int:
    """`tasks` if so many nodes side by side are empty, from a multiple of that on where `aligned`; else 0."""
    step = tasks if aligned else 1
    counts = np.concatenate(([0], empty.cumsum()))
    begins = np.arange(0, len(empty) - tasks + 1, step)
    return tasks if (counts[begins + tasks] - counts[begins] == tasks).any() else 0
