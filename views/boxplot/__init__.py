"""Box-plots of how users fare, one box a run."""

from views.boxplot.panel import BoxplotPanel

__all__ = ["BoxplotPanel"]
