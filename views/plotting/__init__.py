"""The base of all other charts."""
