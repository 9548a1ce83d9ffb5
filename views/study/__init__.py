"""A study file on the trace that is open: its runs as curves and heatmaps, and its findings."""
