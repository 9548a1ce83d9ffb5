"""The view of sweeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from views.spec import FigureSpec, Lazy, ViewSpec

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from views.figures.request import FigureRequest
    from views.state.context import ViewContext
    from views.sweep.page import SweepPage
    from views.theme.theme import Theme


def _make(context: ViewContext, theme: Theme, parent: QWidget) -> QWidget:
    made: QWidget = Lazy("views.sweep.page:SweepPage")(theme, parent, context.files)
    return made


def _lacks(request: FigureRequest) -> str:
    from views.data.sweep_cells import SweepCells

    cells = request.own.find(SweepCells)
    none = "There is no sweep to export: press Sweep in the tab of that name."
    return none if cells is None or not cells.values else ""


SWEEP: ViewSpec[SweepPage] = ViewSpec(
    "sweep",
    "Sweep",
    "tab",
    _make,
    entry="S&weep",
    keys="Alt+5",
    tip="Every combination of two keys of a policy, with any metric of each",
    plots=Lazy("views.sweep.plots:sweep_page"),
    figures=(FigureSpec("sweep", "S&weep…", caption="sweep", lacks=_lacks),),
    own=lambda page: page.cells,
)
