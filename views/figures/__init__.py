"""Publication figures, drawn by matplotlib from the same arrays as the charts; no Qt in here."""

from views.figures.boxplot import boxplot_figure
from views.figures.difference import difference_figure
from views.figures.fairshare import fairshare_figure
from views.figures.gantt import gantt_figure
from views.figures.heatmap import heatmap_figure
from views.figures.hours import hours_figure
from views.figures.lines import lines_figure, sizes_figure, value_figure
from views.figures.penalties import penalties_figure
from views.figures.planning import planning_figure
from views.figures.predictions import predictions_figure
from views.figures.save import FORMATS, save
from views.figures.scatter import scatter_figure
from views.figures.scores import gains_figure, radar_figure
from views.figures.search import search_figure
from views.figures.study import study_figure
from views.figures.surface import surface_figure
from views.figures.timeline import timeline_figure

__all__ = [
    "FORMATS",
    "boxplot_figure",
    "difference_figure",
    "fairshare_figure",
    "gains_figure",
    "gantt_figure",
    "heatmap_figure",
    "hours_figure",
    "lines_figure",
    "penalties_figure",
    "planning_figure",
    "predictions_figure",
    "radar_figure",
    "save",
    "scatter_figure",
    "search_figure",
    "sizes_figure",
    "study_figure",
    "surface_figure",
    "timeline_figure",
    "value_figure",
]
