"""Boxes of jobs over time and rows: where they lie and what colours say; for charts and figures."""
