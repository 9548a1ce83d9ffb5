"""The heatmap of violated expected end times."""

from views.heatmap.chart import NONE_LATE, HeatmapChart

__all__ = ["NONE_LATE", "HeatmapChart"]
