"""Preemption by value: what each job bids, now or when it started, by which a job may stop others.

Van den Bossche, Vanmechelen & Broeckhove 2011 leave preemption to future work; this form of it is ours.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.compiler.kernels import inner_kernel
from engine.compiler.packed_tuples import unchanging
from engine.policy.offers import values_of
from engine.policy.policy import Policy
from engine.simulation.credits import Credits
from engine.simulation.workload import Ints, Workload
from engine.trace import Trace

Floats = NDArray[np.float64]

_SINCE, _SHARE, _CHANGE, _SPAN = range(4)


class Preemption(NamedTuple):
    """The values of n jobs; arrays are empty where no job stops another."""

    factor: float  # a job stops others whose bids together, times this, are less than its own
    value: Floats  # (n,) what each job is worth at its submission
    whole: float  # the share of the value that a job without any wait is worth
    fade: Floats  # (pieces, 4) pieces by which the share changes, columns as in `FadePiece`
    held: Floats  # (n,) what each running job bid when it started
    chosen: Ints  # (n,) scratch: running jobs that may be stopped


@cache
def no_preemption() -> Preemption:
    """The state where no job stops another; all such simulations share it."""
    none, ints = np.zeros(0), np.zeros(0, np.int64)
    return unchanging(Preemption(0.0, none, 1.0, np.zeros((0, 4)), none, ints))


def make_preemption(trace: Trace, policy: Policy) -> Preemption:
    """The state of a policy before the first submission."""
    if policy.preempt_value is None:
        return no_preemption()
    fade, jobs = policy.fade, len(trace)
    pieces = [tuple(piece) for piece in fade.pieces] if fade else []
    return Preemption(
        factor=float(policy.preempt_value),
        value=np.array(values_of(policy, trace)),
        whole=float(fade.points[0][1]) if fade else 1.0,
        fade=np.array(pieces, np.float64).reshape(len(pieces), 4),
        held=np.zeros(jobs),
        chosen=np.zeros(jobs, np.int64),
    )


@inner_kernel
def present_bid(preemption: Preemption, credits: Credits, work: Workload, job: int, now: int) -> float:
    """What a waiting job bids at `now`, s: what it is worth if it starts now, at most what its user has."""
    # Budgets have cut the bid at the begin of the pass; jobs that started in it may have left less.
    if len(credits.left) > 0:
        return float(min(credits.bid[job], credits.left[credits.user[job]]))
    wait, fade, share = now - work.submit[job], preemption.fade, preemption.whole
    # The last piece that has begun counts.
    for piece in range(len(fade)):
        if wait > fade[piece, _SINCE]:
            gone = (wait - fade[piece, _SINCE]) * fade[piece, _CHANGE] / fade[piece, _SPAN]
            share = fade[piece, _SHARE] + gone
    return float(max(0.0, preemption.value[job] * share))
