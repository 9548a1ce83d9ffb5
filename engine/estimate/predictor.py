"""Predictors that learn from completed jobs, with a common interface for the event loop."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from engine.arrays import Ints
from engine.compiler.callback import call_address
from engine.compiler.kernels import inner_kernel
from engine.compiler.packed_tuples import unchanging
from engine.estimate.estimators import Estimate
from engine.estimate.features import (
    features_ended,
    features_started,
    features_stopped,
    features_submitted,
)
from engine.estimate.hierarchy import (
    Hierarchy,
    hierarchy_learn,
    hierarchy_predict,
    make_hierarchy,
    no_hierarchy,
)
from engine.estimate.last2 import Last2, last2_learn, last2_predict, make_last2
from engine.estimate.linear import Linear, linear_learn, linear_predict, make_linear, no_linear
from engine.estimate.survival import (
    Survival,
    make_survival,
    no_survival,
    survival_learn,
    survival_predict,
)
from engine.trace import Trace

NOTHING, LAST2, HIERARCHY, SURVIVAL, LINEAR, OWN_PREDICTOR = range(6)
"""Kinds of predictors; NOTHING learns nothing and is never asked, OWN_PREDICTOR is a user's own code."""


class Predictor(NamedTuple):
    """The kind in use and the state of all kinds, empty for those not in use."""

    code: int  # kind in use: NOTHING to OWN_PREDICTOR
    learned: Ints  # (1,) jobs learned from: a prediction may change when it does
    user: Ints  # (n,) user code of each job
    walltime: Ints  # (n,) L, s
    last2: Last2
    hierarchy: Hierarchy
    survival: Survival
    linear: Linear
    asked: Ints  # (2,) addresses of the user's functions that predict and learn; (0,) for other kinds


def make_predictor(estimate: Estimate, trace: Trace, procs: Ints) -> Predictor:
    """A predictor before its first job; without learning it predicts nothing.

    `procs`, shape (n,), are the processors that the jobs request.
    """
    kind, users = estimate.kind, len(trace.user.names)
    codes = {
        "last2": LAST2,
        "hierarchy": HIERARCHY,
        "survival": SURVIVAL,
        "linear": LINEAR,
        "own": OWN_PREDICTOR,
    }
    # Each predictor is made only where it is the one in use: the others are empty and cost nothing.
    if kind not in codes:
        return _no_predictor()
    return Predictor(
        code=codes[kind],
        learned=np.zeros(1, np.int64),
        user=trace.user.codes.astype(np.int64),
        walltime=trace.walltime,
        last2=make_last2(users if kind == "last2" else 0),
        hierarchy=make_hierarchy(trace, procs) if kind == "hierarchy" else no_hierarchy(),
        survival=(
            make_survival(estimate.number / 100, trace, procs) if kind == "survival" else no_survival()
        ),
        linear=(
            make_linear(np.array(trace.submit), np.array(trace.walltime), np.array(procs), users)
            if kind == "linear"
            else no_linear()
        ),
        asked=np.zeros(2 if kind == "own" else 0, np.int64),
    )


@cache
def _no_predictor() -> Predictor:
    none = np.zeros(0, np.int64)
    no_walltime = np.zeros(0, np.int64)
    no_walltime.setflags(write=False)  # as a trace's are, so that one compiled simulation serves all
    parts = make_last2(0), no_hierarchy(), no_survival(), no_linear()
    return unchanging(Predictor(NOTHING, np.zeros(1, np.int64), none, no_walltime, *parts, none))


@inner_kernel
def predictor_submitted(p: Predictor, job: int, now: int) -> None:
    """Record the submission of the job; jobs that end in the same second have not ended yet."""
    if p.code == LINEAR:
        features_submitted(p.linear.features, job, p.user[job], now)


@inner_kernel
def predictor_moved(p: Predictor, job: int, submit: int) -> None:
    """Record that the job is submitted at another time, s, than in the trace."""
    if p.code == LINEAR:
        p.linear.features.submit[job] = submit


@inner_kernel
def predictor_started(p: Predictor, job: int, now: int) -> None:
    """Record the start of the job."""
    if p.code == LINEAR:
        features_started(p.linear.features, job, p.user[job], now)


@inner_kernel
def predictor_ended(p: Predictor, job: int, start: int, now: int, done: int) -> None:
    """Learn from a job that was started at `start`, s, and completes; `done`, s, is what earlier runs did.

    Jobs that end at the same second come in the order in which they were started.
    """
    # Of a job that resumed the whole is learned, not its last run.
    runtime = done + now - start
    if p.code == LAST2:
        last2_learn(p.last2, p.user[job], runtime)
    elif p.code == HIERARCHY:
        hierarchy_learn(p.hierarchy, job, runtime)
    elif p.code == SURVIVAL:
        survival_learn(p.survival, job, runtime)
    elif p.code == LINEAR:
        features_ended(p.linear.features, job, p.user[job], start, now, runtime)
        linear_learn(p.linear, job, runtime)
    elif p.code == OWN_PREDICTOR:
        call_address(p.asked[1], job, runtime)
    # Estimates of waiting jobs that are older than this are made again.
    p.learned[0] += 1


@inner_kernel
def predictor_stopped(p: Predictor, job: int, start: int) -> None:
    """Record that a failure stopped the job, which was started at `start`, s; nothing is learned from it."""
    if p.code == LINEAR:
        features_stopped(p.linear.features, job, p.user[job], start)


@inner_kernel
def predict(p: Predictor, job: int) -> int:
    """The predicted runtime of a submitted job, s, from the jobs learned so far: 1 to its walltime."""
    walltime = p.walltime[job]
    estimate = walltime
    if p.code == LAST2:
        estimate = last2_predict(p.last2, p.user[job], walltime)
    elif p.code == HIERARCHY:
        estimate = hierarchy_predict(p.hierarchy, job, walltime)
    elif p.code == SURVIVAL:
        estimate = survival_predict(p.survival, job)
    elif p.code == LINEAR:
        predicted = linear_predict(p.linear, job)
        estimate = int(predicted) if predicted < walltime else walltime
    elif p.code == OWN_PREDICTOR:
        estimate = call_address(p.asked[0], job, walltime)
    # A scheduler plans with at least a second, and kills a job at its walltime.
    return int(max(1, min(estimate, walltime)))
