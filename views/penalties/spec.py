"""The view of penalties."""

from __future__ import annotations

from typing import TYPE_CHECKING

from views.spec import FigureSpec, Lazy, ViewSpec, show_results

if TYPE_CHECKING:
    from views.figures.request import FigureRequest


def _lacks(request: FigureRequest) -> str:
    machine = request.results[0].schedule.cluster
    return "" if machine.limits_ram else "the machine does not limit RAM, so that all penalties are alike"


PENALTIES = ViewSpec(
    "penalties",
    "Penalties",
    "tab",
    Lazy("views.penalties.panel:PenaltiesPanel"),
    show_results,
    tip="The penalty of a job by its requested CPUs and RAM under each formula, and where users lie",
    plots=Lazy("views.penalties.plots:penalty_page"),
    figures=(FigureSpec("penalties", "&Penalties…", lacks=_lacks),),
)
