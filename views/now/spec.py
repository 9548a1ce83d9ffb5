"""The view of the queue as it is now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from views.spec import Lazy, ViewSpec

if TYPE_CHECKING:
    from views.now.page import NowPage

NOW: ViewSpec[NowPage] = ViewSpec(
    "now",
    "Now",
    "page",
    Lazy("views.now.page:NowPage"),
    entry="&Now: the queue as it is",
    keys="Alt+6",
    tip="When the jobs that wait now will start, why they wait, and what would help",
    own_clock=True,
)
