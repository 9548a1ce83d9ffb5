"""Sessions: the content of a window, saved to a file, autosaved, and restored."""
