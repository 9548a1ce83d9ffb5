"""Parameter grids: many policies on one trace, with the metrics of each."""
