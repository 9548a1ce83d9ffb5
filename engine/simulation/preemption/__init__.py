"""Preemption by value: what jobs bid, and the part of a pass in which they stop others."""
