"""Fair start times of the engine beside those of the slow twin."""

import inspect
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.machine.cluster import Cluster
from engine.policy.policy import parse_policy
from engine.schedule.schedule import FairBy
from engine.simulation.run import simulate
from engine.trace import Trace
from tests.engine.simulation.naive import NaiveSimulation
from tests.engine.simulation.workloads import Case, cases, traces
from tests.traces import make_trace

READY = "fair_starts" in inspect.signature(simulate).parameters
pytestmark = pytest.mark.skipif(not READY, reason="the engine has no fair start times yet")


@settings(max_examples=60)
@given(cases(max_jobs=12))
def test_fair_starts_are_those_of_the_twin(case: Case) -> None:
    schedule = simulate(*case, fair_starts=True)
    naive = NaiveSimulation(*case, fair_starts=True)
    assert schedule.start.tolist() == naive.simulate()
    assert schedule.fair_start is not None
    assert schedule.fair_start.tolist() == [job.fair_start for job in naive.jobs]


@settings(max_examples=50)
@given(cases(max_jobs=12))
def test_fair_starts_by_actual_runtimes_are_those_of_the_twin(case: Case) -> None:
    schedule = simulate(*case, fair_starts=True, fair_by="actual")
    naive = NaiveSimulation(*case, fair_starts=True, fair_by="actual")
    naive.simulate()
    assert schedule.fair_start is not None
    assert schedule.fair_start.tolist() == [job.fair_start for job in naive.jobs]


def test_by_actual_runtimes_an_early_end_is_no_unfairness() -> None:
    # Job 0 is believed to run until 100 and ends at 10, and job 1 starts then. Job 2, which is
    # submitted after both, would start at 100 by what is believed.
    trace = make_trace([0, 1, 2], [10, 5, 5], [4, 4, 4], walltime=[100, 5, 5])
    found = {}
    for by in get_args(FairBy):
        schedule = simulate(trace, Cluster.pool(4), parse_policy("easy"), fair_starts=True, fair_by=by)
        assert schedule.fair_start is not None
        found[by] = schedule.fair_start.tolist()
    assert found == {"estimate": [0, 100, 105], "actual": [0, 10, 15]}


@given(traces(), st.integers(8, 24), st.sampled_from(("fcfs", "conservative", "just")))
def test_nobody_is_treated_unfairly_in_order_of_submission_where_runtimes_are_known(
    trace: Trace, processors: int, name: str
) -> None:
    schedule = simulate(trace, Cluster.pool(processors), parse_policy(name, "actual"), fair_starts=True)
    assert schedule.fair_start is not None
    assert schedule.fair_start.tolist() == schedule.start.tolist()
