"""The heatmap of violated expected end times."""

from views.heatmap.chart import HeatmapChart
from views.heatmap.order import OrderKind, user_rows
from views.heatmap.paint import Measure
from views.user_rows import UserRows

__all__ = ["HeatmapChart", "Measure", "OrderKind", "UserRows", "user_rows"]
