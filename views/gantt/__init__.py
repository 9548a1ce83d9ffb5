"""The Gantt chart of a schedule."""

from views.gantt.chart import GanttChart
from views.gantt.data import GanttData, gantt_data

__all__ = ["GanttChart", "GanttData", "gantt_data"]
