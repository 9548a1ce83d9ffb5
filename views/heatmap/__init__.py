"""The heatmap of violated expected end times."""

from views.heatmap.chart import HeatmapChart
from views.heatmap.order import OrderKind, user_rows

__all__ = ["HeatmapChart", "OrderKind", "user_rows"]
