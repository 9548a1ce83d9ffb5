"""The view of Gantt charts, one under each run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from views.spec import FigureSpec, ViewSpec

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from views.figures.request import FigureRequest


def _draw(request: FigureRequest) -> Figure:
    from views.figures import gantt_figure

    return gantt_figure(request.results, request.window, request.title, request.gantt, request.options.marks)


def _draw_column(request: FigureRequest) -> Figure:
    from views.figures import gantt_figure
    from views.figures.sheet import COLUMN

    marks = request.options.marks
    return gantt_figure(request.results, request.window, request.title, request.gantt, marks, COLUMN)


GANTT = ViewSpec(
    "gantt",
    "Gantt charts",
    "runs",
    figures=(
        FigureSpec("gantt", "&Gantt charts…", _draw, "Ctrl+E", "selection"),
        FigureSpec(
            "gantt-column", "Gantt charts, a &column wide…", _draw_column, "Ctrl+Shift+E", "selection"
        ),
    ),
)
