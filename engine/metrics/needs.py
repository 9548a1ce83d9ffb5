"""The records that a simulation has to keep for metrics."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypedDict

FAIR_STARTS = "unfair_"
"""The prefix of metrics that need fair start times."""

LOGGED = ("prediction_", "backfilled")
"""Prefixes of metrics that need the decision log."""


class Needs(TypedDict):
    """Arguments of `simulate`."""

    log: bool
    fair_starts: bool


def needs_of(metrics: Iterable[str]) -> Needs:
    """The records that these metrics, by name, need besides starts and ends."""
    names = list(metrics)
    return Needs(
        log=any(name.startswith(LOGGED) for name in names),
        fair_starts=any(name.startswith(FAIR_STARTS) for name in names),
    )
