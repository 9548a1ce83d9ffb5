"""Two runs against each other: what moved, by how much, and for whom."""

from views.difference.page import DifferencePage

__all__ = ["DifferencePage"]
