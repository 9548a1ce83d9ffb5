"""The event loop, from Python."""

from __future__ import annotations

from engine.compiler.kernels import kernel
from engine.compiler.packed import Known, agrees, packed
from engine.simulation.believe import Belief
from engine.simulation.control import Control
from engine.simulation.fair import fair_starts
from engine.simulation.limits import UNLIMITED
from engine.simulation.loop import simulate_events
from engine.simulation.scheduler import NO_LIMIT, Scheduler
from engine.simulation.workload import Ints

_SIMPLE: Known = {
    "rules.believes": False,
    "rules.exact": True,
    "rules.horizon": NO_LIMIT,
    "rules.resolution": 1,
    "tries.most": UNLIMITED,
    "work.need": (None, 1),
    "work.capacity": (1, 1),
    "profile.first": (1,),
    "profile.free": (None, 1),
    "profile.least": (1, 1),
    "plan.first": (1,),
    "plan.free": (None, 1),
    "plan.least": (1, 1),
    "machine.free": (1, 1),
    "machine.ahead": (1, 1),
    "machine.spare": (1, 1),
    "machine.free_total": (1,),
    "machine.ahead_total": (1,),
    "machine.widest": (1,),
    "down.node": (0,),
    "down.start": (0,),
    "down.end": (0,),
    "down.stopped": (0, 5),
    "limits.on": False,
    "arrivals.order": (0,),
    "queue.turn": (0,),
    "backfill_queue.turn": (0,),
    "tuner.due": (0,),
    "tuner.busy": (0, 3),
    "tuner.ended": (0,),
}
"""Of most simulations: one pool of processors, no limits, no bounds of reservations, no tuning. Code
of their own runs them in two thirds of the time."""

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
    return _run_events(packed(s, _SIMPLE) if simple else packed(s), packed(belief), control)


def is_simple(s: Scheduler) -> bool:
    """Whether it is one of the simulations that have code of their own."""
    return agrees(s, _SIMPLE)


def run_fair_starts(s: Scheduler, belief: Belief, fork: Scheduler, control: Ints, fair: Ints) -> int:
    """`fair_starts`."""
    return _run_fair_starts(packed(s), packed(belief), packed(fork), control, fair)


@kernel
def _run_events(s: Scheduler, belief: Belief, control: Ints) -> int:
    return simulate_events(s, belief, control)


@kernel
def _run_fair_starts(s: Scheduler, belief: Belief, fork: Scheduler, control: Ints, fair: Ints) -> int:
    return fair_starts(s, belief, fork, control, fair)
