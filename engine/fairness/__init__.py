"""Fairness: usage, penalties and expected end times."""
