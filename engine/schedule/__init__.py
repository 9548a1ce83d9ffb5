"""What came out of a simulation or stands in a log: starts, allocations, and why jobs waited."""
