"""Scores of several metrics, and what they gain together."""

from views.scores.page import ScoresPage

__all__ = ["ScoresPage"]
