"""The status codes of jobs in logs, used by the readers of all formats."""

from __future__ import annotations

FAILED, COMPLETED, CANCELLED = 0, 1, 5
"""As the Standard Workload Format numbers them (field 11); MISSING of a job that has not ended."""
