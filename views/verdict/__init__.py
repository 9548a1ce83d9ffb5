"""Verdicts of runs above their charts."""
