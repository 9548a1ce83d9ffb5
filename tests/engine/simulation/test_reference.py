"""Start for start against the published simulator of Goponenko et al. 2022 on KTH-SP2."""

from __future__ import annotations

import csv
import gzip
from functools import cache

import pytest

from engine.cluster import Cluster
from engine.policy import parse_policy
from engine.simulation.run import simulate
from engine.trace import Trace
from engine.trace.read import read_trace
from tests.paths import SHARED, needs

TRACE = SHARED / "traces" / "KTH-SP2-filtered.swf.gz"
STARTS = SHARED / "reference" / "kth-sp2-starts.csv.gz"

SPELLINGS = {
    "fcfs": "fcfs",
    "easy": "easy",
    "easy-sjbf": "easy-sjbf",
    "easy-labf": "easy:backfill=laf",
    "saf-easy": "saf-easy",
    "fcfs-aggressive": "aggressive",
    "sjf-aggressive": "aggressive:order=sjf",
    "saf-aggressive": "aggressive:order=saf",
    "laf-aggressive": "aggressive:order=laf,ties=longest",
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
@pytest.mark.parametrize("estimate", ["actual", "requested"])
@pytest.mark.parametrize("column", list(SPELLINGS))
def test_no_start_differs_from_the_published_simulator(column: str, estimate: str) -> None:
    assert trace().cluster == Cluster.pool(100)
    assert trace().job_id.tolist() == published()["job_id"]
    schedule = simulate(trace(), trace().cluster, parse_policy(SPELLINGS[column], estimate))
    assert schedule.start.tolist() == published()[f"{column}:{estimate}"]
