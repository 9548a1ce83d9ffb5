"""Queue, utilization and tunables of all runs over time."""

from views.timeline.page import TimelinePage

__all__ = ["TimelinePage"]
