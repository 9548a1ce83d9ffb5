"""The value of jobs, the loss by delay, and the value that each run delivers. No Qt here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from engine.arrays import Floats
from engine.policy.offers import values_of
from engine.schedule.responses import slowdown
from engine.value.tolerance import TOLERANCES
from views.data.results import Result

DELTAS = np.geomspace(0.5, 100.0, 41)
"""Delay tolerances, in runtimes, over which the value that runs deliver is shown."""

_FINEST = 201
"""Points of a tolerance function."""


class Delivered(NamedTuple):
    """The delivered part of all value under a run, in %, over DELTAS, and under the chosen tolerance."""

    left: Floats
    chosen: float


@dataclass(frozen=True)
class JobValues:
    """The value of the jobs of some runs if they are not delayed: `values`, ascending, shape (n,).

    `runs` are the indices of the results whose policies assign these values.
    """

    valuation: str
    seed: int
    values: Floats
    runs: tuple[int, ...]


def left_over_delay(shape: str, delta: float, most: float) -> tuple[Floats, Floats]:
    """Delays F / D from 1 to `most`, and the % of a job's value that each leaves.

    Van den Bossche, Vanmechelen & Broeckhove 2011, figure 1, equations 2 and 3.
    """
    delay = np.linspace(1.0, most, _FINEST)
    return delay, 100.0 * TOLERANCES[shape](delay, delta)


def delivered_over_tolerance(result: Result, shape: str, delta: float) -> Delivered | None:
    """The value of the measured jobs that a run delivers; None if they have no value.

    The starts are the same for all tolerances (the same, figures 2 to 4).
    """
    schedule, jobs = result.schedule, result.measured
    values, delay = values_of(schedule.policy, schedule.trace)[jobs], slowdown(schedule)[jobs]
    whole = float(values.sum())
    if whole <= 0:
        return None
    parts = [
        100.0 * float(values @ TOLERANCES[shape](delay, tolerance)) / whole for tolerance in (*DELTAS, delta)
    ]
    return Delivered(np.array(parts[:-1]), parts[-1])


def worths(results: Sequence[Result]) -> list[JobValues]:
    """The values of the measured jobs; runs that assign the same values share an entry."""
    alike = dict[tuple[str, int], list[int]]()
    for index, result in enumerate(results):
        policy = result.schedule.policy
        alike.setdefault((str(policy.valuation), policy.seed), []).append(index)
    curves = []
    for (valuation, seed), runs in alike.items():
        first = results[runs[0]]
        values = values_of(first.schedule.policy, first.schedule.trace)[first.measured]
        curves.append(JobValues(valuation, seed, np.sort(values), tuple(runs)))
    return curves
