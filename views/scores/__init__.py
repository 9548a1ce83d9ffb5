"""Scores of several metrics, and what they gain together."""
