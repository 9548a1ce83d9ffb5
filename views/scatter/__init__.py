"""Two measures against each other, a dot a user, queue, class or job."""

from views.scatter.panel import ScatterPanel

__all__ = ["ScatterPanel"]
