"""Mean waits of what was submitted in each hour of the day, or on each day of the week, by run. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.metrics.groups import GROUPINGS
from views.data.results import Result

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Lane:
    """A run: the mean wait, s, and the number of measured jobs of each step, shape (steps,); NaN for none."""

    name: str
    colour: str
    wait: Floats
    jobs: Floats


def wait_lanes(results: Sequence[Result], by: str) -> tuple[list[Lane], tuple[str, ...]]:
    """A lane for each run, of which there is at least one, and the names of the steps that group jobs, `by`
    hour or day.
    """
    groups = GROUPINGS[by](results[0].schedule.trace)
    many, lanes = len(groups.names), []
    for result in results:
        chosen = result.measured
        codes = groups.codes[chosen]
        jobs = np.bincount(codes, minlength=many).astype(np.float64)
        waited = np.bincount(codes, result.schedule.wait[chosen], many)
        wait = np.where(jobs > 0, waited / np.maximum(jobs, 1), np.nan)
        lanes.append(Lane(result.name, result.colour, wait, jobs))
    return lanes, tuple(groups.names)


def longest(lanes: Sequence[Lane]) -> float:
    """The longest mean wait of some lanes, s."""
    return max((float(lane.wait[lane.jobs > 0].max(initial=0)) for lane in lanes), default=0.0)
