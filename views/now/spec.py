"""The view of the queue as it is now."""

from __future__ import annotations

from views.spec import Lazy, ViewSpec

NOW = ViewSpec(
    "now",
    "Now",
    "page",
    Lazy("views.now.page:NowPage"),
    entry="&Now: the queue as it is",
    keys="Alt+6",
    tip="When the jobs that wait now will start, why they wait, and what would help",
    own_clock=True,
)
