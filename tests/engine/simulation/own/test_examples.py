"""The examples of own code: short, and what they say of themselves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.estimate.accuracy import estimate_accuracy
from engine.machine.cluster import Cluster
from engine.own.allowed import allow_named
from engine.policy.policy import parse_policy
from engine.simulation.run import simulate
from engine.trace import Trace
from resources import example_code_path
from tests.engine.simulation.own.in_place import run_in_place
from tests.engine.simulation.own.test_orders import crowd
from tests.traces import make_trace

EXAMPLES = example_code_path("wfp3").parent
TRACE, MACHINE = crowd(400), Cluster.pool(16)


def own(name: str, rest: str, trace: Trace = TRACE, machine: Cluster = MACHINE) -> list[int]:
    """The starts under an example."""
    spelling = f"{EXAMPLES / name}:{rest}"
    allow_named(spelling)
    s, calls = run_in_place(trace, machine, parse_policy(spelling))
    assert calls.fault is None
    return s.start.tolist()


def built_in(spelling: str, trace: Trace = TRACE, machine: Cluster = MACHINE) -> list[int]:
    return simulate(trace, machine, parse_policy(spelling)).start.tolist()


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.name)
def test_an_example_has_at_most_forty_lines(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 40


@pytest.mark.parametrize(
    ("name", "rest", "spelling"),
    [
        ("wfp3.py", "wfp3", "wfp3"),
        ("unicef.py", "unicef", "unicef"),
        ("filler.py", "filler", "aggressive"),
        ("dynp.py", "low=36000,high=36000", "easy:order=sjf"),  # of equal jobs the narrowest first
        ("dynp.py", "low=600,high=600", "easy:order=ljf"),
        ("dynp.py", "low=600,high=36000", "easy"),
    ],
)
def test_what_is_written_anew_starts_the_same_jobs(name: str, rest: str, spelling: str) -> None:
    trace = TRACE
    if name == "dynp.py":  # all jobs as wide as the others, and of over ten minutes and under ten hours
        runtime = TRACE.runtime + 700
        trace = make_trace(TRACE.submit, runtime, 3, walltime=runtime + 1000)
        rest = f"dynp,{rest}"
    assert own(name, rest, trace) == built_in(spelling, trace)


def test_the_nearest_neighbours_are_those_of_the_user() -> None:
    # On a machine for one job at a time: the user's jobs ran for 10 s; the other user's for 1,000.
    submit = [0, 0, 2000, 4000, 4000]
    trace = make_trace(
        submit,
        [10, 1000, 10, 20, 500],
        2,
        walltime=[100, 2000, 100, 100, 2000],
        user=["a", "b", "a", "a", "b"],
    )
    spelling = f"{EXAMPLES / 'knn.py'}:Neighbours"
    allow_named(spelling)
    s, calls = run_in_place(trace, Cluster.pool(2), parse_policy(spelling))
    assert calls.fault is None
    assert s.work.estimate.tolist() == [100, 2000, 10, 10, 1000]


def test_neighbours_predict_better_than_requests() -> None:
    draws = np.random.default_rng(1)
    kind = draws.integers(0, 4, 600)
    runtime = np.array([30, 100, 300, 900])[kind] + draws.integers(0, 9, 600)
    walltime = np.array([600, 1200, 2400, 4800])[kind]
    users = [f"u{number}" for number in draws.integers(0, 5, 600)]
    trace = make_trace(np.arange(600) * 200, runtime, 1 + kind, walltime=walltime, user=users)
    spelling = f"{EXAMPLES / 'knn.py'}:Neighbours,k=3"
    allow_named(spelling)
    s, _ = run_in_place(trace, Cluster.pool(8), parse_policy(spelling))
    everything = np.ones(600, np.bool_)
    mine, asked = (
        estimate_accuracy(estimate, trace.runtime, everything).r2 for estimate in (s.work.estimate, walltime)
    )
    assert mine is not None
    assert asked is not None
    assert mine > 0.3 > 0 > asked
