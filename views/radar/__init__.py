"""Scores of several metrics, and what they gain together."""

from views.radar.page import ScoresPage

__all__ = ["ScoresPage"]
