"""The order of the waiting jobs at a pass, by the estimates of this moment."""

from __future__ import annotations

from engine.compiler.kernels import inner_kernel
from engine.simulation.estimator import Estimator, estimate_again
from engine.simulation.order import OWN, STATIC, put_in_order, sort_by_terms
from engine.simulation.own.own_decisions import BACKFILL, ORDER, ask_for_order
from engine.simulation.scheduler import Scheduler
from engine.simulation.tuner import BF


@inner_kernel
def arrange(s: Scheduler, estimator: Estimator, now: int) -> None:
    """Update learned estimates, and sort queues whose order changes with time or estimates."""
    # Estimates come first: scores and the order of backfilling may be computed from them.
    if estimator.anew:
        estimate_again(estimator, s.work, s.queue, s.machine.free_total[0])
    if s.order.code == OWN:
        ask_for_order(s.asked[ORDER], s.order.threshold, s.work, s.queue, now)
    elif s.order.code != STATIC:
        put_in_order(s.order, s.work, s.queue, now, s.tuner.tunables[BF])
    # The queue for backfilling is a second list of the same jobs with an order of its own.
    if s.rules.backfill_order_moves:
        if len(s.asked) > 0 and s.asked[BACKFILL] != 0:
            ask_for_order(s.asked[BACKFILL], 0, s.work, s.backfill_queue, now)
        else:
            sort_by_terms(s.backfill_terms, s.work, s.backfill_queue)
