"""The queue as it is now: what runs, what waits until when, and when another job would start."""
