"""A policy: its value, its keys, its spelling and its tunings."""
