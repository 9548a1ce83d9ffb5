"""Parameter grids: many policies on a trace, with the metrics of each."""
