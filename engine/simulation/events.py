"""The event loop as Python calls it: compiled in variants, each for what is known of a simulation."""

from __future__ import annotations

from collections.abc import Callable

from engine.compiler.kernels import CHECKS_INDICES, kernel
from engine.compiler.packed_tuples import Known, agrees, packed
from engine.simulation.control import Control
from engine.simulation.estimator import Estimator
from engine.simulation.fair import fair_starts
from engine.simulation.limits import UNLIMITED
from engine.simulation.loop import simulate_events
from engine.simulation.order import FAIRSHARE, STATIC
from engine.simulation.scheduler import NO_LIMIT, Scheduler
from engine.simulation.workload import Ints

_STEADY: Known = {
    "rules.is_fork": False,
    "rules.exact": True,
    "rules.horizon": NO_LIMIT,
    "rules.resolution": 1,
    "user_tests.most": UNLIMITED,
    "outage_state.node": (0,),
    "outage_state.start": (0,),
    "outage_state.end": (0,),
    "outage_state.stopped": (0, 6),
    "rules.preempts": False,
    "preemption.value": (0,),
    "preemption.fade": (0, 4),
    "limits.on": False,
    "rules.by_hours": False,
    "hours.cap_time": (0,),
    "hours.patience": (0,),
    "switching.took": (0,),
    "switching.boot": (0,),
    "arrivals.order": (0,),
    "queue.turn": (0,),
    "backfill_queue.turn": (0,),
    "tuner.due": (0,),
    "tuner.busy": (0, 3),
    "tuner.ended": (0,),
}
"""Known of most simulations: no limits, no horizon or resolution, no tuning, no failures, no
preemption, no dependencies."""

_POOL: Known = {
    **_STEADY,
    "work.need": (None, 1),
    "work.capacity": (1, 1),
    "work.power": (0, 1),
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
}
"""The same on a pool of processors."""

_NO_EXTRAS: Known = {
    "rules.keeps": False,
    "rules.gate": False,
    "rules.pass_every": 0,
    "rules.plans": False,
    "rules.windows": False,
    "rules.own_backfill_order": False,
    "rules.backfill_order_moves": False,
    "rules.planned": False,
    "rules.best_gap": False,
    "rules.searches": False,
    "rules.test_limit": NO_LIMIT,
    "rules.resumes": False,
    "asked": (0,),
    "order.waits.number": (0,),
    "order.credits.left": (0,),
    "run.numbered": False,
}
"""Known of plain backfilling: nothing is kept, planned or searched, and jobs backfill in queue order."""

_EASY: Known = {
    **_POOL,
    **_NO_EXTRAS,
    "rules.by_arrival": True,
    "order.code": STATIC,
    "order.by_usage": False,
    "queue.beside": True,
    "queue.in_order": True,
    "backfill_queue.beside": True,
    "backfill_queue.in_order": True,
    "run.beside": True,
    "rules.stable_without_start": True,
    "rules.stable_with_start": True,
}
"""Known of EASY backfilling in order of submission on such a pool, with estimates fixed at submission.

Its code is a tenth of the code for any simulation, so it is compiled first.
"""

_USUAL: Known = {
    **_STEADY,
    **_NO_EXTRAS,
    "queue.beside": False,
    "backfill_queue.beside": False,
    "run.beside": False,
}
"""Known of EASY backfilling with estimates fixed at submission, with a log or without one, where processors
do not lie beside the queue."""

_FAIRSHARE: Known = {
    **_POOL,
    **_USUAL,
    "rules.by_arrival": False,
    "order.code": FAIRSHARE,
    "order.by_usage": True,
    "queue.in_order": False,
    "backfill_queue.in_order": False,
}
"""Known of EASY in order of the users' past usage, on a pool."""

_NODES: Known = {
    **_USUAL,
    "rules.by_arrival": True,
    "order.code": STATIC,
    "order.by_usage": False,
    "queue.in_order": True,
    "backfill_queue.in_order": True,
}
"""Known of EASY in order of submission, on nodes."""

_LEARNS_NOTHING: Known = {"learns": False, "anew": False}
"""Known of an estimator whose estimates are fixed at submission."""

_LOGGED: Known = {
    "log_buffer.on": True,
    "log_buffer.noted": (None, 4),
    "rules.always_whole": True,
    **_EASY,
}
_PLAIN: Known = {"log_buffer.on": False, "rules.always_whole": False, **_EASY}
"""The same with a decision log, and without one."""

_NOTHING: Known = {}
_VARIANTS = (
    (_PLAIN, _LEARNS_NOTHING),
    (_LOGGED, _LEARNS_NOTHING),
    (_FAIRSHARE, _LEARNS_NOTHING),
    (_NODES, _LEARNS_NOTHING),
    (_POOL, _NOTHING),
    (_NOTHING, _NOTHING),
)
"""What each variant takes as known of a scheduler and its estimator, from the narrowest to the widest."""

PLAIN, LOGGED, FAIR, NODES, POOL, ANY = range(len(_VARIANTS))
"""Variants of `run_events`: the same source, compiled with different values known as constants."""

_loaded: set[int] = set()
"""The variants that are compiled or loaded."""


def load_events(s: Scheduler, estimator: Estimator) -> int:
    """Compile or load the code that `run_events` needs for this simulation; returns its variant."""
    variant = variant_of(s, estimator)
    if variant not in _loaded:
        stopped = Control()
        stopped.cancel()
        run_events(s, estimator, stopped.array, variant)
        _loaded.add(variant)
    return variant


def run_events(s: Scheduler, estimator: Estimator, control: Ints, variant: int) -> int:
    """Run `simulate_events` compiled as `variant`, which comes from `variant_of`; longer tables keep it."""
    return packed_events(s, estimator, variant)(control)


def packed_events(s: Scheduler, estimator: Estimator, variant: int) -> Callable[[Ints], int]:
    """The function that runs `run_events` of this state with a control, for many calls of few events each.

    The state is packed once, which takes a hundred times as long as a call. With longer tables it is another.
    """
    of_scheduler, of_estimator = _VARIANTS[variant]
    small = variant in (PLAIN, LOGGED)
    whole, estimating = packed(s, of_scheduler, small), packed(estimator, of_estimator)
    return lambda control: _run_events(whole, estimating, control)


def variant_of(s: Scheduler, estimator: Estimator) -> int:
    """The narrowest variant that fits a simulation, PLAIN to ANY.

    With checks of array bounds it is always ANY: tests then compile one variant, with the most array
    accesses.
    """
    if not CHECKS_INDICES:
        for variant, (of_scheduler, of_estimator) in enumerate(_VARIANTS):
            if agrees(s, of_scheduler) and agrees(estimator, of_estimator):
                return variant
    return ANY


def run_fair_starts(s: Scheduler, estimator: Estimator, fork: Scheduler, control: Ints, fair: Ints) -> int:
    """Run `fair_starts` compiled."""
    return _run_fair_starts(packed(s), packed(estimator), packed(fork), control, fair)


@kernel
def _run_events(s: Scheduler, estimator: Estimator, control: Ints) -> int:
    return simulate_events(s, estimator, control)


@kernel
def _run_fair_starts(s: Scheduler, estimator: Estimator, fork: Scheduler, control: Ints, fair: Ints) -> int:
    return fair_starts(s, estimator, fork, control, fair)
