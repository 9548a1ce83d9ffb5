"""What came out of a simulation or stands in a log: starts, places, and why jobs waited."""
