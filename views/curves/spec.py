"""The view of job sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from views.spec import FigureSpec, ViewSpec

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from PySide6.QtWidgets import QWidget

    from views.data.shown_runs import ShownRuns
    from views.figures.request import FigureRequest
    from views.state.context import ViewContext
    from views.theme.theme import Theme


def _make(context: ViewContext, theme: Theme, parent: QWidget) -> QWidget:
    from views.curves.panel import CurvesPanel

    return CurvesPanel(context, theme, parent)


def _show(panel: Any, shown: ShownRuns) -> None:
    panel.set_results(shown.results)


def _draw(request: FigureRequest) -> Figure:
    from views.figures import sizes_figure

    return sizes_figure(request.results, request.title)


SIZES = ViewSpec(
    "sizes",
    "Sizes",
    "tab",
    _make,
    _show,
    figures=(FigureSpec("sizes", "&Job sizes…", _draw),),
)
