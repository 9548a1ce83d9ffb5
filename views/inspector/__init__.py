"""The details of the selection, in words and numbers."""

from views.inspector.panel import Inspector

__all__ = ["Inspector"]
