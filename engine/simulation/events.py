"""The event loop, from Python."""

from __future__ import annotations

from typing import Any

import numba

from engine.compiler.kernels import kernel
from engine.compiler.packed import Known, agrees, pack, packed_type, unpack
from engine.simulation.believe import Belief
from engine.simulation.control import Control
from engine.simulation.fair import fair_starts
from engine.simulation.loop import simulate_events
from engine.simulation.scheduler import Scheduler
from engine.simulation.workload import Ints

_SIMPLE: Known = {
    "rules.believes": False,
    "work.need": (None, 1),
    "work.capacity": (1, 1),
    "profile.first": (1,),
    "profile.free": (None, 1),
    "profile.least": (1, 1),
    "plan.first": (1,),
    "plan.free": (None, 1),
    "plan.least": (1, 1),
    "site.free": (1, 1),
    "site.ahead": (1, 1),
    "site.spare": (1, 1),
    "site.free_total": (1,),
    "site.ahead_total": (1,),
    "site.widest": (1,),
    "down.node": (0,),
    "down.start": (0,),
    "down.end": (0,),
    "down.stopped": (0, 5),
    "limits.on": False,
    "tuner.due": (0,),
    "tuner.busy": (0, 3),
    "tuner.ended": (0,),
}
"""Of most simulations: one pool of processors, no limits, no tuning. Code of their own
runs them in two thirds of the time."""

_SCHEDULER: Any = None
_SIMPLE_SCHEDULER: Any = None
_BELIEF: Any = None
"""The compiler's types, the same for all simulations; it asks for them when it compiles."""

_loaded: set[bool] = set()
"""Whether code for simple simulations, and for others, is there."""


def load_events(s: Scheduler, belief: Belief) -> bool:
    """Compile or load the code that `run_events` will need; whether it is that for simple simulations."""
    simple = is_simple(s)
    if simple not in _loaded:
        stopped = Control()
        stopped.cancel()
        run_events(s, belief, stopped.array, simple)
        _loaded.add(simple)
    return simple


def run_events(s: Scheduler, belief: Belief, control: Ints, simple: bool) -> int:
    """`simulate_events`; `simple` is what `is_simple` says, which no larger table changes."""
    if numba.config.DISABLE_JIT:
        return simulate_events(s, belief, control)
    _know_types(s, belief)
    run = _run_simple if simple else _run_events
    return int(run(pack(s), pack(belief), control))


def is_simple(s: Scheduler) -> bool:
    """Whether it is one of the simulations that have code of their own."""
    return agrees(s, _SIMPLE)


def run_fair_starts(s: Scheduler, belief: Belief, fork: Scheduler, control: Ints, fair: Ints) -> int:
    """`fair_starts`."""
    if numba.config.DISABLE_JIT:
        return fair_starts(s, belief, fork, control, fair)
    _know_types(s, belief)
    return _run_fair_starts(pack(s), pack(belief), pack(fork), control, fair)


@kernel
def _run_simple(s: Ints, belief: Ints, control: Ints) -> int:
    return simulate_events(unpack(s, _SIMPLE_SCHEDULER), unpack(belief, _BELIEF), control)


@kernel
def _run_events(s: Ints, belief: Ints, control: Ints) -> int:
    return simulate_events(unpack(s, _SCHEDULER), unpack(belief, _BELIEF), control)


@kernel
def _run_fair_starts(s: Ints, belief: Ints, fork: Ints, control: Ints, fair: Ints) -> int:
    return fair_starts(
        unpack(s, _SCHEDULER), unpack(belief, _BELIEF), unpack(fork, _SCHEDULER), control, fair
    )


def _know_types(s: Scheduler, belief: Belief) -> None:
    global _SCHEDULER, _SIMPLE_SCHEDULER, _BELIEF
    if _SCHEDULER is None:
        _SCHEDULER, _SIMPLE_SCHEDULER = packed_type(s), packed_type(s, _SIMPLE)
        _BELIEF = packed_type(belief)
