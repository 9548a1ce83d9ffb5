"""The view of heatmaps, a heatmap for each run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from views.spec import FigureSpec, ViewSpec

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from PySide6.QtWidgets import QWidget

    from views.figures.request import FigureRequest


def _draw(request: FigureRequest) -> Figure:
    from views.figures.heatmap import heatmap_figure

    look = request.options.heatmaps
    return heatmap_figure(
        request.results,
        request.window,
        request.title,
        request.rows,
        look.measure,
        look.shared_scale,
        request.options.marks,
        dict(request.options.offsets),
    )


HEATMAP: ViewSpec[QWidget] = ViewSpec(
    "heatmap",
    "Heatmaps",
    "runs",
    figures=(FigureSpec("heatmap", "&Heatmaps…", _draw, caption="time"),),
)
