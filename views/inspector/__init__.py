"""What is selected, in words and numbers."""

from views.inspector.panel import Inspector

__all__ = ["Inspector"]
