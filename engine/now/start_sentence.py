"""The sentence of a brief answer that says when a waiting job starts, and how sure that is."""

from __future__ import annotations

from typing import NamedTuple

from engine.words import format_seconds


class ExpectedSpan(NamedTuple):
    """The expected start of a job, and the span of its start, s from now."""

    early: int
    expected: int
    late: int


def start_sentence(name: str, planned: int | None, span: ExpectedSpan | None, share: float | None) -> str:
    """When a job of that name starts: by the plan (s from now, None without one), or as expected.

    `share` of the starts come within such spans, from 0 to 1; None where that is not known.
    """
    if planned is None and span is None:
        return f"{name} has no planned start."
    if span is None:
        assert planned is not None
        return f"{name} starts {from_now(planned)} if all jobs use their time limits."
    sure = "likelihood unknown" if share is None else f"{100 * share:.0f} % sure"
    bounds = f"{rough_duration(span.early)} to {rough_duration(span.late)}"
    return f"{name} starts {from_now(span.expected)} ({bounds}; {sure})."


def from_now(seconds: int) -> str:
    """A start so many s from now, in words."""
    return "now" if seconds < 60 else f"in {rough_duration(seconds)}"


def rough_duration(seconds: int) -> str:
    """So many seconds in words, to the minute, and to the hour from ten hours on: no start is surer."""
    step = 1 if seconds < 60 else 60 if seconds < 36_000 else 3600
    return format_seconds(seconds // step * step)
