"""Charts and figures of engine results."""
