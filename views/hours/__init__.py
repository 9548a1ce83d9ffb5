"""Waits by the hour of the day and the day of the week of submission."""
