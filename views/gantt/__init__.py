"""The Gantt chart of a schedule."""
