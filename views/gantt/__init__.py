"""The Gantt chart of a schedule."""

from views.data.gantt.data import GanttData, gantt_data
from views.gantt.chart import GanttChart

__all__ = ["GanttChart", "GanttData", "gantt_data"]
