"""The shortest runtime that few jobs of a group exceed (Goponenko et al. 2022, VI; Lamar et al. 2021).

A Kaplan-Meier estimate without censoring: the chance that a job runs longer than t is the
share that longer runtimes have of the weight in its group. A runtime weighs as much as it
is long, less with each later completion.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from engine.arrays import Floats, Ints
from engine.compiler.kernels import inner_kernel
from engine.compiler.packed_tuples import unchanging
from engine.estimate.groups import finest_groups
from engine.trace import Trace

DECAY = 0.9
"""The factor by which a completion lowers the weights of earlier ones of its group."""

PRIOR = 0.1
"""Weight of the artificial runtime, equal to the walltime, that each group begins with: this share of it."""


class Survival(NamedTuple):
    """Groups of jobs alike in executable, user, walltime and processors.

    The different runtimes of group g, ascending, are `value[first[g]:first[g] + size[g]]`;
    their weights are as they are at the completion of the group that has the number `settled`.
    The threshold is the value at `position[g]`; `below` is the weight at or below it, `above` the
    rest.
    """

    share: float  # of the weight, that the threshold has to exceed
    group: Ints  # (n,) number of each job's group
    first: Ints  # (groups,) first row of the group in `value`
    size: Ints  # (groups,) number of its different runtimes
    completions: Ints  # (groups,) number of its completed jobs
    position: Ints  # (groups,) row of its threshold in `value`
    below: Floats  # (groups,) weight at or below the threshold
    above: Floats  # (groups,) weight above the threshold
    value: Ints  # (n + groups,) s, runtimes
    weight: Floats  # (n + groups,) weight of each runtime, when it was last updated
    settled: Ints  # (n + groups,) completions of the group up to that update


def make_survival(chance: float, trace: Trace, procs: Ints) -> Survival:
    """Nothing has completed; a runtime is predicted to be exceeded with less than `chance` (0..1).

    `procs` (n,) are the processors that the jobs ask for. The weight below the threshold
    starts at 1 where the weight of the artificial runtime is meant: as in the published results.
    """
    group, groups = finest_groups(trace, procs)
    room = np.bincount(group, minlength=groups) + 1
    first = np.cumsum(room) - room
    value = np.zeros(room.sum(), np.int64)
    value[first[group]] = trace.walltime
    return Survival(
        share=1 - chance,
        group=group,
        first=first,
        size=np.ones(groups, np.int64),
        completions=np.zeros(groups, np.int64),
        position=first.copy(),
        below=np.ones(groups),
        above=np.zeros(groups),
        value=value,
        weight=(PRIOR * value).astype(np.float64),
        settled=np.ones(
            len(value), np.int64
        ),  # the first completion takes nothing from the artificial runtime
    )


@cache
def no_survival() -> Survival:
    """The empty state, for other predictors."""
    ints, floats = np.empty(0, np.int64), np.empty(0)
    return unchanging(Survival(0.0, ints, ints, ints, ints, ints, floats, floats, ints, floats, ints))


@inner_kernel
def survival_learn(p: Survival, job: int, runtime: int) -> None:
    """Add the job, which ended after `runtime` s, to its group, and move the group's threshold."""
    group = p.group[job]
    p.completions[group] += 1
    slot = _slot(p, group, runtime)
    _settle(p, group, slot)
    p.weight[slot] += runtime
    # Old runtimes count less and less; the threshold then moves to where both sides balance again.
    p.below[group] *= DECAY
    p.above[group] *= DECAY
    threshold = p.value[p.position[group]]
    if runtime > threshold:
        p.above[group] += runtime
        _raise(p, group)
    else:
        p.below[group] += runtime
        if runtime < threshold:
            _lower(p, group)


@inner_kernel
def survival_predict(p: Survival, job: int) -> int:
    """The threshold of the job's group, s; the walltime until a job of the group has completed."""
    return int(p.value[p.position[p.group[job]]])


@inner_kernel
def _raise(p: Survival, group: int) -> None:
    """Raise the threshold until it has its share of the weight."""
    # The largest runtime that is known ends the search: beyond it there is no weight.
    last = p.first[group] + p.size[group] - 1
    while p.position[group] < last and p.below[group] / (p.below[group] + p.above[group]) <= p.share:
        p.position[group] += 1
        _settle(p, group, p.position[group])
        p.below[group] += p.weight[p.position[group]]
        p.above[group] -= p.weight[p.position[group]]


@inner_kernel
def _lower(p: Survival, group: int) -> None:
    """Lower the threshold for as long as the next smaller runtime has its share as well."""
    while p.position[group] > p.first[group]:
        # The weight must be up to date before it changes sides.
        _settle(p, group, p.position[group])
        weight = p.weight[p.position[group]]
        # One step further down would leave less than the share below: the threshold stays.
        if (p.below[group] - weight) / (p.below[group] + p.above[group]) <= p.share:
            break
        p.below[group] -= weight
        p.above[group] += weight
        p.position[group] -= 1


@inner_kernel
def _settle(p: Survival, group: int, slot: int) -> None:
    """Apply to a runtime's weight the decay of all completions of the group since its last update."""
    weight = p.weight[slot]
    for _ in range(p.completions[group] - p.settled[slot]):
        less = weight * DECAY
        if less == weight:  # nothing, or as good as nothing: the smallest numbers round to themselves
            break
        weight = less
    p.weight[slot] = weight
    p.settled[slot] = p.completions[group]


@inner_kernel
def _slot(p: Survival, group: int, runtime: int) -> int:
    """The slot of this runtime in the group: a new slot, with no weight, for a new runtime."""
    low = p.first[group]
    end = low + p.size[group]
    high = end
    # Slots of a group are ascending by runtime.
    while low < high:
        middle = (low + high) >> 1
        if p.value[middle] < runtime:
            low = middle + 1
        else:
            high = middle
    if low < end and p.value[low] == runtime:
        return int(low)
    # A new runtime: all longer ones move by a slot, and with them the threshold's position.
    for slot in range(end, low, -1):
        p.value[slot] = p.value[slot - 1]
        p.weight[slot] = p.weight[slot - 1]
        p.settled[slot] = p.settled[slot - 1]
    p.value[low] = runtime
    p.weight[low] = 0.0
    p.settled[low] = p.completions[group]
    p.size[group] += 1
    if p.position[group] >= low:
        p.position[group] += 1
    return int(low)
