"""The values of a measure under each run, on a common scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.arrays import Floats, Ints
from engine.metrics.compare import BoxStatistics, box
from engine.quantities import Missing
from engine.trace import Trace
from views.data.measures import Measure, Over
from views.data.results import NO_JOBS, Result
from views.data.scales import LinearScale, LogScale, Scale
from views.text.units import sentence

BOX_WIDTH = 0.52
"""Width of a box; boxes have the distance 1."""

_GOLDEN = 0.6180339887498949


@dataclass(frozen=True, eq=False)
class RunValues:
    """A run: the value of each unit (user, job...), shape (units,), and its box-plot.

    `ghost` is the box of the run before exploring.
    """

    run_id: int
    name: str
    colour: str
    values: Floats
    box: BoxStatistics | None
    ghost: BoxStatistics | None = None

    @cached_property
    def ordered(self) -> Floats:
        """The values that are there, ascending."""
        return np.sort(self.values[~np.isnan(self.values)])


@dataclass(frozen=True, eq=False)
class SingleValues:
    """Single values of all runs, an entry per dot: run, unit, value, and position."""

    run: Ints
    unit: Ints
    value: Floats
    x: Floats
    y: Floats


@dataclass(frozen=True, eq=False)
class Samples:
    """A measure over the users, queues, classes or jobs of a trace, under each run.

    `missing` explains why no run has the measure. There may be no values even without it, if there are no
    jobs.
    """

    measure: Measure
    over: Over
    trace: Trace
    runs: tuple[RunValues, ...]
    scale: Scale
    missing: Missing | None = None

    @property
    def empty(self) -> bool:
        """True if no run has a value to show."""
        return all(run.box is None for run in self.runs)

    @property
    def lacking(self) -> str:
        """The reason why nothing can be shown; empty if something can."""
        if self.over == "job" and self.measure.quantity.of_groups:
            return "A single job has no such value: choose users, queues or classes."
        if not self.empty:
            return ""
        return NO_JOBS if self.missing is None else sentence(str(self.missing))

    def of_units(self, units: Sequence[int]) -> list[tuple[int, float]]:
        """The values of these units: the index of the run and the value under it, for each existing value."""
        return [
            (index, float(run.values[unit]))
            for index, run in enumerate(self.runs)
            for unit in units
            if unit < len(run.values) and not np.isnan(run.values[unit])
        ]

    @cached_property
    def outliers(self) -> SingleValues:
        """The values beyond the whiskers."""
        return self._dots([run.box.outliers if run.box else np.empty(0, np.int64) for run in self.runs])

    @cached_property
    def all_dots(self) -> SingleValues:
        """All values."""
        return self._dots([np.flatnonzero(~np.isnan(run.values)) for run in self.runs])

    def _dots(self, units: Sequence[Ints]) -> SingleValues:
        run = np.repeat(np.arange(len(units)), [len(jobs) for jobs in units])
        unit = np.concatenate([np.empty(0, np.int64), *units])
        parts = [values.values[jobs] for values, jobs in zip(self.runs, units, strict=True)]
        value = np.concatenate([np.empty(0), *parts])
        return SingleValues(run, unit, value, run + jitter(unit), self.scale.coordinates_of(value))


def samples_of(measure: Measure, over: Over, results: Sequence[Result], log: bool = True) -> Samples:
    """The values under each run, in the order of `results`, of which there is at least one; percentages have
    a linear scale.
    """
    runs, lacking = [], []
    for result in results:
        values = measure.values(result, over)
        if isinstance(values, Missing):
            lacking.append(values)
            # The run keeps its place among the others, with nothing to show.
            values = np.full(1, np.nan)
        before = measure.values(result.ghost, over) if result.ghost is not None else None
        ghost = box(before) if isinstance(before, np.ndarray) else None
        runs.append(RunValues(result.run_id, result.name, result.colour, values, box(values), ghost))
    # It is told only if no run has the measure.
    trace, missing = results[0].schedule.trace, lacking[0] if len(lacking) == len(runs) else None
    return Samples(measure, over, trace, tuple(runs), _scale(measure, runs, log), missing)


def _scale(measure: Measure, runs: Sequence[RunValues], log: bool) -> Scale:
    """The scale that holds every unit of every run, and the boxes; where any is below 0 it is linear."""
    if measure.percentage:
        return LinearScale()
    boxes = [box for run in runs for box in (run.box, run.ghost) if box is not None]
    quartiles = [number for box in boxes for number in (box.q1, box.median, box.q3)]
    values = np.concatenate([np.array(quartiles, float), *(run.values for run in runs)])
    if log and not (values < 0).any():
        return LogScale.of(values, measure.durations, measure.hours)
    return LinearScale.of(values, measure.durations, measure.hours)


def jitter(unit: Ints) -> Floats:
    """Horizontal shifts that separate dots of the same height; a unit has the same shift in every run."""
    return np.asarray(0.8 * BOX_WIDTH * ((unit * _GOLDEN) % 1.0 - 0.5))
