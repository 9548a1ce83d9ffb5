"""Sessions: what a window holds, kept in a file, saved by itself, and brought back."""
