"""Verdicts of runs against judges that decide from schedules alone."""
