"""Runtime estimates and predictors of schedulers."""
