"""What schedules hold of the machine, looked at from outside."""

import numpy as np

from engine.schedule.processors import Boxes
from engine.schedule.schedule import Schedule


def over_committed(schedule: Schedule) -> int:
    """Node-resource pairs that at some second hold more than the node has."""
    capacity = schedule.cluster.capacity()
    names = ("cpus", "ram")[: capacity.shape[1]]
    job = np.repeat(np.arange(len(schedule.start)), np.diff(schedule.pieces.offset))
    bad = 0
    for k, name in enumerate(names):
        for node in range(len(capacity)):
            rows = schedule.pieces["node"] == node
            times = np.concatenate((schedule.end[job[rows]], schedule.start[job[rows]]))
            change = np.concatenate((-schedule.pieces[name][rows], schedule.pieces[name][rows]))
            used = np.cumsum(change[np.argsort(times, kind="stable")])
            bad += bool(len(used) and used.max() > capacity[node, k])
    return bad


def used_twice(schedule: Schedule, boxes: Boxes) -> int:
    """How often a processor is given to a job before the one that had it has ended."""
    row = np.repeat(np.arange(len(boxes.job)), boxes.count)
    begun = np.cumsum(boxes.count) - boxes.count
    processor = boxes.first[row] + np.arange(len(row)) - begun[row]
    start, end = schedule.start[boxes.job[row]], schedule.end[boxes.job[row]]
    order = np.lexsort((start, processor))
    same = processor[order][1:] == processor[order][:-1]
    return int((same & (start[order][1:] < end[order][:-1])).sum())
