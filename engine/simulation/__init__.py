"""The embedded simulator: schedules of a trace under a policy."""
