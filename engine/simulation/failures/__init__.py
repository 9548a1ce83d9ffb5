"""Nodes that fail, and the jobs that they stop."""
