"""The view of a change of a site's rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from views.spec import Lazy, ViewSpec

if TYPE_CHECKING:
    from views.change.page import ChangePage

CHANGE: ViewSpec[ChangePage] = ViewSpec(
    "change",
    "Change",
    "page",
    Lazy("views.change.page:ChangePage"),
    entry="C&hange of a site's rules",
    keys="Alt+8",
    tip="Whether a change of slurm.conf helped: waits before and after it, told apart from a change of load",
    docks=True,
    own=lambda page: page.look,
)
