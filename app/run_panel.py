"""One run drawn over time: its Gantt chart, its heatmap, and the use of CPU and RAM, one above the other."""

from __future__ import annotations
