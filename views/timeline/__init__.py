"""Queue, utilization and tunables of all runs over time."""
