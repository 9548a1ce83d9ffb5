"""A metric over two keys of a policy."""

from views.surface.page import SweepPage

__all__ = ["SweepPage"]
