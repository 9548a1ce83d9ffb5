"""Numbers, durations, dates and names as people read them."""
