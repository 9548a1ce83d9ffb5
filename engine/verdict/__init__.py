"""Verdicts of runs: who was hurt by what, and what would help, as claims."""
