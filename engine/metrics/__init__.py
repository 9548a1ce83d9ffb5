"""Metrics: per job, per user, per system, and as series over time."""
