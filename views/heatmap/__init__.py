"""The heatmap of violated expected end times."""

from views.heatmap.chart import NONE_LATE, HeatmapChart
from views.heatmap.order import OrderKind, user_rows

__all__ = ["NONE_LATE", "HeatmapChart", "OrderKind", "user_rows"]
