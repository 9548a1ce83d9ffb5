"""What the charts of the inspector are drawn from, as tables for those who do not see them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from views.inspector.lanes import JobLane
from views.inspector.outcomes import RunOutcome

Table = list[tuple[str, list[Any]]]
"""Titles and values of columns of equal length."""

_QUANTILES = ("minimum", "q1", "median", "q3", "maximum")


def wait_table(lanes: Sequence[JobLane]) -> Table:
    """A row for each interval of a job's wait under each run, and one for its run; times in s."""
    rows: list[tuple[Any, ...]] = []
    for lane in lanes:
        explanation = lane.explanation
        rows += [
            (lane.name, interval.begin, interval.end, interval.text) for interval in explanation.intervals
        ]
        if not explanation.intervals and explanation.start > explanation.submit:
            rows.append((lane.name, explanation.submit, explanation.start, explanation.note))
        rows.append((lane.name, explanation.start, lane.end, "runs"))
    return _columns(("run", "from, s", "until, s", "reason"), rows)


def box_table(outcomes: Sequence[RunOutcome]) -> Table:
    """A row for each run: quartiles of the waits of its jobs, s."""
    rows = [
        (outcome.name, *(float(getattr(outcome.waits, name)) for name in _QUANTILES))
        for outcome in outcomes
        if outcome.waits is not None
    ]
    titles = ("shortest wait, s", "lower quartile, s", "median, s", "upper quartile, s", "longest wait, s")
    return _columns(("run", *titles), rows)


def late_table(outcomes: Sequence[RunOutcome]) -> Table:
    """A row for each change of the number of jobs that are past their expected end, of each run."""
    rows = [
        (outcome.name, time, value)
        for outcome in outcomes
        if outcome.late is not None
        for time, value in zip(outcome.late.time.tolist(), outcome.late.value.tolist(), strict=True)
    ]
    return _columns(("run", "time, s", "jobs past their expected end"), rows)


def _columns(titles: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> Table:
    return [(title, [row[k] for row in rows]) for k, title in enumerate(titles)]
