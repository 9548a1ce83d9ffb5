"""How often jobs were cut short while they ran: by failures of nodes, and for other jobs."""

from __future__ import annotations

from engine.quantities.quantity import Need, Quantity
from engine.trace.columns import ShownIn

_FILE: frozenset[ShownIn] = frozenset({"schedule"})
_COUNTED: frozenset[ShownIn] = _FILE | {"filter", "table", "groups"}

STOPS = (
    Quantity(
        "stopped",
        "Stopped",
        "count",
        "how often the failure of a node stopped it",
        lambda jobs: jobs.known_schedule.times_stopped,
        (Need.FAILURES,),
        combine="sum",
        shown=_FILE,
    ),
    Quantity(
        "preempted",
        "Preempted",
        "count",
        "how often it was requeued or cancelled for another job while it ran",
        lambda jobs: jobs.known_schedule.times_preempted,
        (Need.PREEMPTION,),
        combine="sum",
        shown=_COUNTED,
    ),
)
