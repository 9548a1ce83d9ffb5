"""How some jobs fare under each run: violated expected end times over time, and a box of waits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.metrics.compare import Box, box
from engine.metrics.series import Series, violated
from views.data.results import Result
from views.text.counts import plural
from views.text.ticks import TimeAxis
from views.text.values import duration

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Fare:
    """One run: its violated jobs over time (None where not judged), and its waits in seconds."""

    name: str
    colour: str
    late: Series | None
    waits: Box | None


def fares_of(results: Sequence[Result], picked: NDArray[np.bool_]) -> tuple[Fare, ...]:
    """How the picked jobs, shape (n,), fare under each run."""
    fares = []
    for one in results:
        late = None if one.violations is None else violated(one.schedule, one.violations, picked)
        waits = box(one.schedule.wait[picked & one.schedule.ran])
        fares.append(Fare(one.name, one.colour, late, waits))
    return tuple(fares)


def column_maxima(series: Series, window: tuple[float, float], width: int) -> Ints:
    """The greatest value of a step function in each of `width` pixel columns, shape (width,)."""
    edges = np.linspace(window[0], window[1], width + 1)
    values = np.append(0, series.value)  # values[k] holds after k steps
    first = np.searchsorted(series.time, edges, "right")
    within = np.maximum.reduceat(values, first)[:-1]
    return np.asarray(np.maximum(within, values[first[1:]]))


def most_at_once(fares: Sequence[Fare]) -> int:
    """The most violated jobs that any run has at any time."""
    return max((int(fare.late.value.max(initial=0)) for fare in fares if fare.late is not None), default=0)


def describe_late(fare: Fare, time: float, axis: TimeAxis) -> str:
    """How many jobs are violated at a time."""
    if fare.late is None:
        return f"{fare.name}\nno expected end times"
    count = int(np.append(0, fare.late.value)[np.searchsorted(fare.late.time, time, "right")])
    return f"{fare.name}\n{plural(count, 'violated job')}\n{axis.spell(time)}"


def describe_waits(fare: Fare) -> str:
    """The five numbers of the waits."""
    if fare.waits is None:
        return f"{fare.name}\nno job was run"
    numbers = (
        ("longest", fare.waits.maximum),
        ("upper quartile", fare.waits.q3),
        ("median", fare.waits.median),
        ("lower quartile", fare.waits.q1),
        ("shortest", fare.waits.minimum),
    )
    lines = [f"{name} wait: {duration(value)}" for name, value in numbers]
    return "\n".join([fare.name, *lines, plural(fare.waits.count, "job")])
