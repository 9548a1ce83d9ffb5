"""A metric over two keys of a policy."""

from views.sweep.page import SweepPage

__all__ = ["SweepPage"]
