"""The ways to step from one job to the next."""

from __future__ import annotations

from typing import Literal

StepKind = Literal["row", "user", "delay"]

STEP_NAMES: dict[StepKind, str] = {
    "row": "Along the row",
    "user": "Along the user's jobs",
    "delay": "Along the jobs that delayed it",
}
"""The ways to step as a menu offers them."""
