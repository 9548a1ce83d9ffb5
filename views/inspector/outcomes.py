"""The outcome of some jobs under each run: violated expected end times over time, and a box of waits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints
from engine.metrics.compare import BoxStatistics, box
from engine.metrics.series import StepSeries, violated
from views.data.results import Result
from views.text.counts import plural
from views.text.ticks import TimeAxis
from views.text.values import duration


@dataclass(frozen=True, eq=False)
class RunOutcome:
    """A run: its violated jobs over time (None without expected ends), and its waits in seconds."""

    name: str
    colour: str
    late: StepSeries | None
    waits: BoxStatistics | None


def outcomes_of(results: Sequence[Result], picked: NDArray[np.bool_]) -> tuple[RunOutcome, ...]:
    """The outcome of the picked jobs, shape (n,), under each run."""
    outcomes = []
    for result in results:
        late = None if result.violations is None else violated(result.schedule, result.violations, picked)
        waits = box(result.schedule.wait[picked & result.schedule.ran])
        outcomes.append(RunOutcome(result.name, result.colour, late, waits))
    return tuple(outcomes)


def column_maxima(series: StepSeries, window: tuple[float, float], width: int) -> Ints:
    """The greatest value of a step function in each of `width` pixel columns, shape (width,)."""
    edges = np.linspace(window[0], window[1], width + 1)
    values = np.append(0, series.value)  # values[k] holds after k steps
    first = np.searchsorted(series.time, edges, "right")
    within = np.maximum.reduceat(values, first)[:-1]
    return np.asarray(np.maximum(within, values[first[1:]]))


def most_at_once(outcomes: Sequence[RunOutcome]) -> int:
    """The most violated jobs that any run has at any time."""
    return max(
        (int(outcome.late.value.max(initial=0)) for outcome in outcomes if outcome.late is not None),
        default=0,
    )


def describe_late(outcome: RunOutcome, time: float, axis: TimeAxis) -> str:
    """The number of violated jobs at a time."""
    if outcome.late is None:
        return f"{outcome.name}\nno expected end times"
    count = int(np.append(0, outcome.late.value)[np.searchsorted(outcome.late.time, time, "right")])
    return f"{outcome.name}\n{plural(count, 'violated job')}\n{axis.format(time)}"


def describe_waits(outcome: RunOutcome) -> str:
    """The five numbers of the waits."""
    if outcome.waits is None:
        return f"{outcome.name}\nno job was run"
    numbers = (
        ("longest", outcome.waits.maximum),
        ("upper quartile", outcome.waits.q3),
        ("median", outcome.waits.median),
        ("lower quartile", outcome.waits.q1),
        ("shortest", outcome.waits.minimum),
    )
    lines = [f"{name} wait: {duration(value)}" for name, value in numbers]
    return "\n".join([outcome.name, *lines, plural(outcome.waits.count, "job")])
