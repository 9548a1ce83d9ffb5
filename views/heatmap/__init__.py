"""The heatmap of violated expected end times."""
