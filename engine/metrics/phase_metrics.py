"""Metrics of a site's run over phases of slurmctld's loops, and the changes that these explain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

Value = float | int | None


class PhaseRange(NamedTuple):
    """The least and the largest value of a metric over the phases of a run."""

    low: float
    high: float


Ranges = Mapping[str, PhaseRange]
"""The ranges of metrics by name."""


def ranges_of(summaries: Sequence[Mapping[str, Value]]) -> Ranges:
    """The range of each metric that has a value in all of the summaries, one a phase (at least one)."""
    ranges = {}
    for name in summaries[0]:
        # Further phases have no decision log: what is read from that has no range.
        values = [value for each in summaries if (value := each.get(name)) is not None]
        if len(values) == len(summaries):
            ranges[name] = PhaseRange(min(values), max(values))
    return ranges


def is_explained(
    own: Value, base: Value, own_range: PhaseRange | None, base_range: PhaseRange | None
) -> bool:
    """True if phases alone explain that two runs differ in a metric: its ranges overlap.

    A run that is not repeated has its value alone. False without a range, and where nothing differs.
    """
    if own is None or base is None or own == base or (own_range is None and base_range is None):
        return False
    # The phases of two machines are independent: any phase of the first may go with any of the second.
    first, second = own_range or PhaseRange(own, own), base_range or PhaseRange(base, base)
    return first.low <= second.high and second.low <= first.high
