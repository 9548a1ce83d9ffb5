"""Against the published simulator of Goponenko et al. 2022 on KTH-SP2, by replaying its schedules."""

from __future__ import annotations

import csv
import gzip
from functools import cache

import numpy as np
import pytest

from engine.estimate.accuracy import estimate_accuracy
from engine.trace import Trace
from engine.trace.read import read_trace
from tests.engine.estimate.events import first_predictions
from tests.paths import SHARED, needs

TRACE = SHARED / "traces" / "KTH-SP2-filtered.swf.gz"
STARTS = SHARED / "reference" / "kth-sp2-starts.csv.gz"

R2 = {
    "last2": 0.3255,
    "hierarchy": 0.6402,
    "survival2": 0.5989,
    "survival3": 0.6000,
    "survival4": 0.6024,
    "linear": -0.0181,
}


@cache
def trace() -> Trace:
    return read_trace(TRACE)


@cache
def published() -> dict[str, list[int]]:
    with gzip.open(STARTS, "rt") as file:
        rows = list(csv.reader(file))
    return {name: [int(row[i]) for row in rows[1:]] for i, name in enumerate(rows[0])}


@needs(TRACE)
@needs(STARTS)
@pytest.mark.parametrize("name", list(R2))
def test_accuracy_of_the_published_predictions(name: str) -> None:
    assert trace().job_id.tolist() == published()["job_id"]
    said = first_predictions(trace(), published()[f"just:{name}"], name)
    every = np.ones(len(trace()), np.bool_)
    r2 = estimate_accuracy(said, trace().runtime, every).r2
    assert r2 is not None
    assert round(r2, 4) == R2[name]


@needs(TRACE)
def test_accuracy_of_the_requested_walltimes() -> None:
    every = np.ones(len(trace()), np.bool_)
    accuracy = estimate_accuracy(trace().walltime, trace().runtime, every)
    assert accuracy.r2 == pytest.approx(0.5934, abs=5e-5)
    assert accuracy.underestimated == 0
