"""The accuracy of predicted starts: shares of each run, and errors by wait."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.metrics.compare import BoxStatistics, box
from engine.quantities import QUANTITIES
from engine.schedule.predictions import StartAccuracy, accuracy
from views.data.results import Result
from views.data.scales import LinearScale
from views.text.values import DAY, HOUR, MINUTE

SHARES = ("early", "on time", "late")
"""What becomes of a predicted start, in the order of `StartAccuracy`."""

PUBLISHED = StartAccuracy(33.8, 48.5, 17.7)
"""Results of the planning scheduler of MetaCentrum (Klusacek, Chlumsky & Rudova 2014, section 4)."""

WAITS = (
    (10 * MINUTE, "under 10 min"),
    (HOUR, "10 min to 1 h"),
    (6 * HOUR, "1 to 6 h"),
    (DAY, "6 h to 1 d"),
    (np.inf, "1 d or longer"),
)
"""Classes of jobs that waited: the seconds that each stays below, and its name."""


@dataclass(frozen=True, eq=False)
class PredictionErrors:
    """The predicted starts of a run, over the jobs that were measured."""

    result: Result
    shares: StartAccuracy
    boxes: tuple[BoxStatistics | None, ...]  # of errors, s, negative: earlier; a box for each of WAITS


def prediction_errors_of(results: Sequence[Result]) -> list[PredictionErrors]:
    """The errors of the runs that predict starts; the time is linear in the number of their jobs."""
    runs_with_errors = []
    for result in results:
        errors = QUANTITIES["prediction_error"].of_run(result.fared)
        # A run without predictions has no errors, and no plot.
        if not isinstance(errors, np.ndarray):
            continue
        schedule = result.schedule
        errors = np.where(result.measured & schedule.ran, errors, np.nan)
        shares = accuracy(errors)
        if shares is None:
            continue
        # Jobs that did not wait are predicted without effort, and would only make boxes small.
        kind = np.searchsorted([below for below, _ in WAITS], schedule.wait, "right")
        waited = schedule.wait > 0
        boxes = tuple(box(errors[waited & (kind == index)]) for index in range(len(WAITS)))
        runs_with_errors.append(PredictionErrors(result, shares, boxes))
    return runs_with_errors


def scale_of(runs: Sequence[PredictionErrors]) -> LinearScale:
    """The scale of errors, s, that holds all whiskers."""
    ends = [
        end for run in runs for errors in run.boxes if errors is not None for end in (errors.low, errors.high)
    ]
    return LinearScale.of(np.array(ends, np.float64), durations=True)
