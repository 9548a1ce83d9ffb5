"""Decaying mean runtimes of groups of similar jobs (Goponenko et al. 2022, VI; Lamar et al. 2021)."""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from engine.arrays import Floats, Ints
from engine.compiler.kernels import inner_kernel
from engine.compiler.packed_tuples import unchanging
from engine.estimate.groups import GROUPS, nested_groups
from engine.trace import Trace

DECAY = 0.8
"""The factor by which a completion lowers the weights of earlier ones of its group."""


class Hierarchy(NamedTuple):
    """The 15 groups of each job, from the most similar to the broadest."""

    group: Ints  # (n, 15) numbers of each job's groups
    record: Floats  # (groups, 2) decayed number of completions and sum of their runtimes, s


def make_hierarchy(trace: Trace, procs: Ints) -> Hierarchy:
    """The groups before the first completion; `procs` (n,) are the processors that the jobs request."""
    group, groups = nested_groups(trace, procs)
    return Hierarchy(group, np.zeros((groups, 2)))


@cache
def no_hierarchy() -> Hierarchy:
    """The empty state, for other predictors."""
    return unchanging(Hierarchy(np.empty((0, GROUPS), np.int64), np.empty((0, 2))))


@inner_kernel
def hierarchy_learn(p: Hierarchy, job: int, runtime: int) -> None:
    """Add the job, which ended after `runtime` s, to the records of all its groups."""
    for rank in range(GROUPS):
        group = p.group[job, rank]
        p.record[group, 0] = 1 + DECAY * p.record[group, 0]
        p.record[group, 1] = runtime + DECAY * p.record[group, 1]


@inner_kernel
def hierarchy_predict(p: Hierarchy, job: int, otherwise: int) -> int:
    """The mean of the first group that has a record, s, rounded half up, or `otherwise`."""
    # From the narrowest group to the widest: the first that has any record is the most alike.
    for rank in range(GROUPS):
        group = p.group[job, rank]
        if p.record[group, 0] > 0:
            mean: float = p.record[group, 1] / p.record[group, 0]
            return math.floor(mean + 0.5)
    return otherwise
