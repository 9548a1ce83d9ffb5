"""Simulations in which a user's own code decides, each in a process of its own."""
