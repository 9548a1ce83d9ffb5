"""A log, read as it is asked for."""
