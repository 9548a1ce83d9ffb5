"""Jobs that share attributes, numbered: the groups that predictors learn about."""

from __future__ import annotations

import numpy as np

from engine.arrays import Ints
from engine.compiler.kernels import kernel, only_read
from engine.trace import Trace

ATTRIBUTES = 4
"""Executable, user, walltime, processors."""

GROUPS = 2**ATTRIBUTES - 1
"""Groups that a job belongs to: one for each non-empty set of attributes."""

_MIX, _LOW = 0x4F1BBCDD, 0x7FFFFFFF  # a multiplier that spreads numbers, and 31 bits: no product overflows


def job_attributes(trace: Trace, procs: Ints) -> Ints:
    """Executable, user, walltime and processors of each job as numbers from 0, shape (4, n)."""
    columns = (trace.executable.codes, trace.user.codes, trace.walltime, procs)
    attributes = np.empty((ATTRIBUTES, len(trace)), np.int64)
    for row, column in zip(attributes, columns, strict=True):
        number_pairs(np.zeros(len(trace), np.int64), only_read(np.asarray(column, np.int64)), row)
    return attributes


def finest_groups(trace: Trace, procs: Ints) -> tuple[Ints, int]:
    """Jobs alike in all four attributes: the number of each job's group, shape (n,), and how many there are.

    `procs` (n,) are the processors that the jobs ask for.
    """
    attributes = job_attributes(trace, procs)
    group = np.zeros(len(trace), np.int64)
    count = 1
    for attribute in attributes:
        finer = np.empty_like(group)
        count = number_pairs(group, only_read(attribute), finer)
        group = finer
    return group, count


def nested_groups(trace: Trace, procs: Ints) -> tuple[Ints, int]:
    """The groups of each job, a group for each set of attributes: numbers, shape (n, 15), and the number of
    groups.

    Sets in order: with the executable before without; within that with the user before without; then the
    walltime, then the processors. Groups of different sets have different numbers. `procs` (n,) are the
    processors that the jobs request.
    """
    attributes = job_attributes(trace, procs)
    jobs = len(trace)
    table = np.empty((GROUPS, jobs), np.int64)
    counts = np.zeros(GROUPS, np.int64)
    # Bit k of a set, from the highest, is attribute k, and row 15 - set is where its groups go. A set
    # is a smaller one, without its lowest bit, and one attribute more.
    for chosen in range(1, GROUPS + 1):
        lowest = chosen & -chosen
        attribute = attributes[ATTRIBUTES - lowest.bit_length()]
        row = table[GROUPS - chosen]
        if chosen == lowest:
            row[:] = attribute
            counts[GROUPS - chosen] = row.max(initial=-1) + 1
        else:
            counts[GROUPS - chosen] = number_pairs(table[GROUPS - chosen + lowest], only_read(attribute), row)
    table += (np.cumsum(counts) - counts)[:, None]
    return np.ascontiguousarray(table.T), int(counts.sum())


@kernel
def number_pairs(first: Ints, second: Ints, number: Ints) -> int:
    """Number the distinct pairs (first[j], second[j]) from 0 in order of appearance.

    All arrays have shape (n,); `first` is below 2^31, `second` below 2^60, none is negative.
    Fills `number`; returns how many pairs there are. A hash table is several times faster
    than sorting.
    """
    size = 16
    while size < 2 * len(first):
        size *= 2
    table = np.full(size, -1, np.int64)  # an index j that has the pair
    count = 0
    for j in range(len(first)):
        mixed = first[j] * _MIX + second[j]
        mixed = (mixed ^ (mixed >> 31)) & _LOW
        slot = (mixed * _MIX >> 20) & (size - 1)
        while table[slot] >= 0 and (first[table[slot]] != first[j] or second[table[slot]] != second[j]):
            slot = (slot + 1) & (size - 1)
        if table[slot] < 0:
            table[slot] = j
            number[j] = count
            count += 1
        else:
            number[j] = number[table[slot]]
    return count
