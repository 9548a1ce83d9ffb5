"""Fair start times of the engine beside those of the slow twin."""

from __future__ import annotations

import inspect

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.machine.cluster import Cluster
from engine.policy.policy import parse_policy
from engine.simulation.run import simulate
from engine.trace import Trace
from tests.engine.simulation.naive import NaiveSimulation
from tests.engine.simulation.workloads import Case, cases, traces

READY = "fair_starts" in inspect.signature(simulate).parameters
pytestmark = pytest.mark.skipif(not READY, reason="the engine has no fair start times yet")


@settings(max_examples=300)
@given(cases(max_jobs=12))
def test_fair_starts_are_those_of_the_twin(case: Case) -> None:
    schedule = simulate(*case, fair_starts=True)
    naive = NaiveSimulation(*case, fair_starts=True)
    assert schedule.start.tolist() == naive.simulate()
    assert schedule.fair_start is not None
    assert schedule.fair_start.tolist() == [job.fair_start for job in naive.jobs]


@given(traces(), st.integers(8, 24), st.sampled_from(("fcfs", "conservative", "just")))
def test_nobody_is_treated_unfairly_in_order_of_submission_where_runtimes_are_known(
    trace: Trace, processors: int, name: str
) -> None:
    schedule = simulate(trace, Cluster.pool(processors), parse_policy(name, "actual"), fair_starts=True)
    assert schedule.fair_start is not None
    assert schedule.fair_start.tolist() == schedule.start.tolist()
