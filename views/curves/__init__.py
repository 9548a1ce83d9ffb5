"""Whose work gets done, and who waits for it, over the size of jobs."""
