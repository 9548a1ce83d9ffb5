"""Online linear regression (Gaussier et al. 2015), as Goponenko et al. 2022, VI, used it under the name CVH.

Weights are learned by a normalised adaptive gradient (Ross, Mineiro & Langford 2013) from an
asymmetric loss: an estimate too long costs its square, one too short its size. The order
of operations is fixed: the last bit of a sum can change a schedule.
"""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from engine.arrays import Floats, Ints
from engine.compiler.kernels import inner_kernel
from engine.compiler.packed_tuples import unchanging
from engine.estimate.features import BASE, SQUARED, Features, make_features, no_features

PAIRED = 16
"""Features 1 to 16 are also multiplied with each other."""

TERMS = BASE + PAIRED * (PAIRED - 1) // 2 + SQUARED
"""Features, their products and their squares: 157."""

ROOM = 160
"""Length of the arrays of terms; the last ones are 0. A multiple of 32 leaves vector loops no remainder."""

RATE = 5000.0
SHRINKING = 4e9
SMALLEST = 1e-9


class Linear(NamedTuple):
    """The model: a weight for each term, and the sums from which the lengths of its steps are computed."""

    features: Features
    weight: Floats  # (160,) weight of each term
    scale: Floats  # (160,) largest |x| so far
    gradient: Floats  # (160,) sum of squared gradients
    state: Floats  # (2,) sum of the squared scaled terms, and the count by which it is divided
    term: Floats  # (160,) scratch: x
    part: Floats  # (160,) scratch: squares that a sum adds up


def make_linear(submit: Ints, walltime: Ints, procs: Ints, users: int) -> Linear:
    """The model before the first completion; the columns of the jobs have shape (n,), times in s."""
    return _linear(make_features(submit, walltime, procs, users), ROOM)


@cache
def no_linear() -> Linear:
    """The empty state, for other predictors."""
    return unchanging(_linear(no_features(), 0))


def _linear(features: Features, terms: int) -> Linear:
    return Linear(
        features=features,
        weight=np.zeros(terms),
        scale=np.full(terms, SMALLEST),
        gradient=np.full(terms, SMALLEST),
        state=np.array([SMALLEST, 1.0]),
        term=np.zeros(terms),
        part=np.zeros(terms),
    )


@inner_kernel
def linear_predict(p: Linear, job: int) -> float:
    """The prediction |w x|, s, for a submitted job."""
    return abs(_expand(p, job))


@inner_kernel
def linear_learn(p: Linear, job: int, runtime: int) -> None:
    """Learn from a job that ended after `runtime` s: one step against the gradient of the loss.

    Divisions are `np.divide`, which does not check for a divisor of 0 (there is none), so that the loops
    compile to vector instructions.
    """
    _expand(p, job)
    # A term that grows beyond its largest value so far shrinks its weight by as much: what it adds to
    # a prediction does not depend on its unit.
    for i in range(ROOM):
        largest = max(abs(p.term[i]), p.scale[i])
        p.weight[i] *= np.divide(p.scale[i], largest)
        p.scale[i] = largest
        scaled = np.divide(p.term[i], largest)
        p.part[i] = scaled * scaled
    norm = 0.0
    predicted = 0.0
    for i in range(TERMS):
        norm += p.part[i]
        predicted += p.weight[i] * p.term[i]
    p.state[0] += norm
    _descend(p, predicted, runtime, 1 + math.log(p.features.procs[job] * runtime))
    p.state[1] += 2


@inner_kernel
def _descend(p: Linear, predicted: float, runtime: int, importance: float) -> None:
    """Change the weights against the gradient of the loss, weighted by `importance` (of the job's area)."""
    # The loss is asymmetric: squared where the prediction is too long, linear where it is too short.
    factor, distance = 0.0, 1.0
    if predicted > runtime:
        factor, distance = 2 * importance, predicted - runtime
    elif predicted < runtime:
        factor = -importance
    norm, count = p.state[0], p.state[1]
    for i in range(ROOM):
        slope = factor * p.term[i] * distance + SHRINKING * p.weight[i]
        # Normalized adaptive gradient: each weight steps by its own history of slopes and its own scale.
        p.gradient[i] += slope * slope
        step = np.sqrt(np.divide(norm * p.gradient[i], count)) * p.scale[i]
        p.weight[i] -= np.divide(RATE * slope, step)


@inner_kernel
def _expand(p: Linear, job: int) -> float:
    """Fill `term`: the features of the job, the products of pairs, the squares. Returns w x.

    Summed up along the way, since a sum in fixed order takes as long as all the rest; where
    it is not used the compiler leaves it out.
    """
    x, term, weight = p.features.value, p.term, p.weight
    total = 0.0
    for i in range(BASE):
        term[i] = x[job, i]
        total += weight[i] * term[i]
    index = BASE
    # Products with the constant, term 0, would repeat the features: pairs begin at 1.
    for i in range(1, PAIRED):
        for j in range(i + 1, PAIRED + 1):
            term[index] = term[i] * term[j]
            total += weight[index] * term[index]
            index += 1
    for i in range(1, SQUARED + 1):
        term[index] = term[i] * term[i]
        total += weight[index] * term[index]
        index += 1
    return total
