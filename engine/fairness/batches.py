"""Bags of tasks and workflows: jobs that a user submits in sequence and waits for as a whole."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints
from engine.schedule.schedule import Schedule
from engine.trace import MISSING, Trace
from engine.trace.dependencies import workflows


def bag_ends(trace: Trace, ends: Ints, gap: int) -> Ints:
    """The latest of `ends` within each job's bag of tasks, shape (n,), as `ends`.

    A bag is jobs of one user that request the same (processors, walltime and RAM), each submitted at most
    `gap` seconds after the previous job of the bag. Beyond Toth & Klusacek 2014, who name such batches as
    future work: to a user who waits for all of them it does not matter which ends first.
    """
    return with_bag_ends(ends, _bags(trace, trace.submit, np.arange(len(trace)), gap))


def bags_of(schedule: Schedule, gap: int | None) -> Ints | None:
    """The number of each job's bag, shape (n,), MISSING if it was not run; None if there are no bags.

    With `gap` (s) bags are those of `bag_ends`. If the trace has its dependencies on, all jobs that depend on
    each other, directly or not, form a workflow, and bags with a common workflow are merged.
    """
    trace = schedule.trace
    if gap is None and not trace.dependencies:
        return None
    ran = np.flatnonzero(schedule.ran)
    bag = np.full(len(trace), MISSING, np.int64)
    bag[ran] = ran
    if gap is not None:
        bag[ran] = _bags(trace, schedule.submit, ran, gap)
    if trace.dependencies:
        bag[ran] = _joined(bag[ran], workflows(trace)[ran])
    return bag


def with_bag_ends(ends: Ints, bag: Ints) -> Ints:
    """The latest of `ends` within each job's bag, both shape (n,); as they are where the bag is MISSING."""
    latest = np.full(len(ends), np.iinfo(np.int64).min)
    held = bag >= 0
    np.maximum.at(latest, bag[held], ends[held])
    return np.where(held, latest[bag], ends)


def last_of_bags(schedule: Schedule, bag: Ints) -> NDArray[np.bool_]:
    """The mask, shape (n,), of the jobs that end last in their bags, of several the last submitted."""
    last = np.zeros(len(bag), np.bool_)
    order = np.lexsort((schedule.turn, schedule.end, bag))
    ends_bag = np.append(bag[order][1:] != bag[order][:-1], True)[: len(bag)]
    last[order[ends_bag]] = True
    return last


def _joined(first: Ints, second: Ints) -> Ints:
    """The numbers, (n,), of the groups that result if jobs that share either number are joined."""
    label = np.arange(len(first))
    groups = [np.unique(numbers, return_inverse=True)[1] for numbers in (first, second)]
    while True:
        before = label
        for group in groups:
            least = np.full(len(first), len(first))
            np.minimum.at(least, group, label)
            label = least[group]
        if np.array_equal(before, label):
            return np.asarray(label, np.int64)


def _bags(trace: Trace, submit: Ints, jobs: Ints, gap: int) -> Ints:
    """The number of the bag of each of these jobs, from 0; `submit`, shape (n,), s."""
    request = [column[jobs] for column in (trace.user.codes, trace.procs, trace.walltime, trace.ram)]
    order = np.lexsort((submit[jobs], *request))
    opens = np.diff(submit[jobs][order], prepend=0) > gap
    for column in request:
        opens[1:] |= np.diff(column[order]) != 0
    bag = np.empty(len(jobs), np.int64)
    bag[order] = np.concatenate(([0], np.cumsum(opens[1:])))[: len(jobs)]
    return bag
