"""The event loop, from Python."""

from __future__ import annotations

from typing import Any

import numba

from engine.compiled import inner_kernel
from engine.packed import pack, unpack
from engine.simulation.believe import Belief
from engine.simulation.fair import fair_starts
from engine.simulation.loop import simulate_events
from engine.simulation.scheduler import Scheduler
from engine.simulation.workload import Ints

_SCHEDULER: Any = None
_BELIEF: Any = None
"""The compiler's types of both, the same for all simulations; it asks for them when it compiles."""


def run_events(s: Scheduler, belief: Belief, control: Ints) -> int:
    """`simulate_events`."""
    if numba.config.DISABLE_JIT:
        return simulate_events(s, belief, control)
    _know_types(s, belief)
    return _run_events(pack(s), pack(belief), control)


def run_fair_starts(
    s: Scheduler, belief: Belief, fork: Scheduler, control: Ints, scratch: Ints, fair: Ints
) -> int:
    """`fair_starts`."""
    if numba.config.DISABLE_JIT:
        return fair_starts(s, belief, fork, control, scratch, fair)
    _know_types(s, belief)
    return _run_fair_starts(pack(s), pack(belief), pack(fork), control, scratch, fair)


@inner_kernel
def _run_events(s: Ints, belief: Ints, control: Ints) -> int:
    return simulate_events(unpack(s, _SCHEDULER), unpack(belief, _BELIEF), control)


@inner_kernel
def _run_fair_starts(s: Ints, belief: Ints, fork: Ints, control: Ints, scratch: Ints, fair: Ints) -> int:
    return fair_starts(
        unpack(s, _SCHEDULER), unpack(belief, _BELIEF), unpack(fork, _SCHEDULER), control, scratch, fair
    )


def _know_types(s: Scheduler, belief: Belief) -> None:
    global _SCHEDULER, _BELIEF
    if _SCHEDULER is None:
        _SCHEDULER, _BELIEF = numba.typeof(s), numba.typeof(belief)
