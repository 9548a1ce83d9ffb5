"""Whose work gets done, and who waits for it, over the size of jobs."""

from views.curves.panel import CurvesPanel

__all__ = ["CurvesPanel"]
