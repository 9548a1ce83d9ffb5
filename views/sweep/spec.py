"""The view of sweeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from views.spec import FigureSpec, ViewSpec

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from PySide6.QtWidgets import QWidget

    from views.figures.request import FigureRequest
    from views.state.context import ViewContext
    from views.theme.theme import Theme


def _make(_: ViewContext, theme: Theme, parent: QWidget) -> QWidget:
    from views.sweep.page import SweepPage

    return SweepPage(theme, parent)


def _draw(request: FigureRequest) -> Figure:
    from views.figures import surface_figure

    assert request.cells is not None  # `lacks` says so before
    return surface_figure(request.cells, request.trace.name)


def _lacks(request: FigureRequest) -> str:
    none = "There is no sweep to export: press Sweep in the tab of that name."
    return none if request.cells is None or not request.cells.values else ""


SWEEP = ViewSpec(
    "sweep",
    "Sweep",
    "tab",
    _make,
    entry="S&weep",
    tip="Every combination of two keys of a policy, and how any metric fares",
    figures=(FigureSpec("sweep", "S&weep…", _draw, caption="sweep", lacks=_lacks),),
)
