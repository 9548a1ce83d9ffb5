"""The numbers of one box-plot: a box a run over the same users, on one scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.metrics.compare import Box, box
from views.measures import Measure
from views.results import Result
from views.scales import LinearScale, LogScale, Scale

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

BOX_WIDTH = 0.52
"""Width of a box; boxes stand 1 apart."""

_GOLDEN = 0.6180339887498949


@dataclass(frozen=True, eq=False)
class RunBox:
    """One run: the value of each user, shape (users,), and what the box says of them."""

    name: str
    colour: str
    values: Floats
    box: Box | None


@dataclass(frozen=True, eq=False)
class Dots:
    """The outliers of all runs, one entry a dot: run, user code, value, and where it stands."""

    run: Ints
    user: Ints
    value: Floats
    x: Floats
    y: Floats


@dataclass(frozen=True, eq=False)
class BoxData:
    """All that one chart shows; empty where `runs` is."""

    measure: Measure
    runs: tuple[RunBox, ...]
    scale: Scale
    dots: Dots

    @property
    def empty(self) -> bool:
        """Whether no run has a value to show."""
        return all(run.box is None for run in self.runs)


def box_data(measure: Measure, results: Sequence[Result]) -> BoxData:
    """The boxes of one measure, a run each, in the order of `results`."""
    runs = []
    for result in results:
        values = measure.values(result.users)
        if values is None:
            values = np.full(len(result.users.jobs), np.nan)
        runs.append(RunBox(result.name, result.colour, values, box(values)))
    scale = make_scale(measure, runs)
    return BoxData(measure, tuple(runs), scale, _dots(runs, scale))


def make_scale(measure: Measure, runs: Sequence[RunBox]) -> Scale:
    """The scale that holds every user of every run, and the boxes."""
    if measure.percentage:
        return LinearScale()
    quartiles = [q for run in runs if run.box for q in (run.box.q1, run.box.median, run.box.q3)]
    parts = [np.array(quartiles, float), *(run.values for run in runs)]
    return LogScale.of(np.concatenate(parts), measure.durations)


def jitter(user: Ints) -> Floats:
    """Shifts to either side that keep dots of one height apart; a user has the same in every run."""
    return np.asarray(0.8 * BOX_WIDTH * ((user * _GOLDEN) % 1.0 - 0.5))


def _dots(runs: Sequence[RunBox], scale: Scale) -> Dots:
    boxes = [run.box for run in runs]
    count = [0 if b is None else len(b.outliers) for b in boxes]
    run = np.repeat(np.arange(len(runs)), count)
    user = np.concatenate([np.empty(0, np.int64), *(b.outliers for b in boxes if b)])
    value = np.concatenate([np.empty(0), *(b.outlier_values for b in boxes if b)])
    return Dots(run, user, value, run + jitter(user), scale.place(value))
