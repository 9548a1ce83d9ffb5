"""How jobs of logs ended: the numbers that the readers of all formats give."""

from __future__ import annotations

FAILED, COMPLETED, CANCELLED = 0, 1, 5
"""As the Standard Workload Format numbers them (field 11); MISSING of a job that has not ended."""
