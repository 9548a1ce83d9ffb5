"""The name of a single value of a chart: a user, queue, class or job."""

from __future__ import annotations

from engine.metrics.groups import GROUPINGS
from engine.shown_text import with_kind
from engine.trace import Trace
from views.data.measures import Over


def unit_name(trace: Trace, over: Over, unit: int) -> str:
    """A user, queue or class by its code, a job by its index, in words."""
    if over == "job":
        return f"job {trace.shown_id(unit)} of user {trace.user.shown[trace.user.codes[unit]]}"
    name = GROUPINGS[over](trace).names[unit]
    return name if over == "class" else with_kind(over, name)
