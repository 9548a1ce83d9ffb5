"""Publication figures, drawn by matplotlib from the same arrays as the charts; no Qt in here."""

from views.figures.difference import difference_figure
from views.figures.gantt import gantt_figure
from views.figures.heatmap import heatmap_figure
from views.figures.plots import plots_figure
from views.figures.save import FORMATS, save

__all__ = [
    "FORMATS",
    "difference_figure",
    "gantt_figure",
    "heatmap_figure",
    "plots_figure",
    "save",
]
