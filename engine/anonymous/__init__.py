"""A log and its site under other names, in an order that keeps every start."""
