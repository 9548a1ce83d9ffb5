"""Claims: their bounds and their words."""
