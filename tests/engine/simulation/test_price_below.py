"""Jobs that wait for cheap energy: as their slow twin lets them wait, and by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.machine.power import NodePower, PowerModel, Rates, power_of, with_power
from engine.policy.policy import parse_policy
from engine.schedule.explain import explain
from engine.schedule.schedule import Schedule
from engine.simulation.run import simulate
from engine.trace import Trace
from tests.engine.simulation.comparing import assert_equal_to_twin
from tests.engine.simulation.workloads import Case, cases
from tests.traces import make_trace

NODES = (NodePower(idle_w=100, core_w=20),)
POOL = Cluster.pool(10)
TIMES = st.lists(st.integers(-20, 300), min_size=1, max_size=12, unique=True).map(sorted)


def priced(trace: Trace, cluster: Cluster, time: list[int], value: list[float]) -> Trace:
    price = Rates(np.array(time, np.int64), np.array(value, np.float64))
    return replace(trace, cluster=with_power(cluster, PowerModel(NODES, price=price)))


@st.composite
def priced_cases(draw: st.DrawFn) -> Case:
    """Any case whose jobs, or narrow ones, wait for a price of at most 2; some prices are not known."""
    trace, cluster, policy = draw(cases(window="1"))
    assume(policy.depth != "kept" and not policy.allocates_windows)
    time = draw(TIMES)
    values = st.sampled_from((-1.0, 1.0, 2.0, 2.5, 9.0, np.nan))
    value = draw(st.lists(values, min_size=len(time), max_size=len(time)))
    named = draw(st.sampled_from(("all", "procs <= 3")))
    keys = {"price_below": "2", "price_jobs": named, "price_wait": str(draw(st.integers(0, 120)))}
    return priced(trace, cluster, time, value), cluster, policy.with_keys(**keys)


@settings(max_examples=200)
@given(priced_cases())
def test_jobs_wait_for_prices_as_in_the_slow_twin(case: Case) -> None:
    assert_equal_to_twin(case)


@settings(max_examples=80)
@given(priced_cases())
def test_no_job_starts_in_a_dear_hour_within_its_bound(case: Case) -> None:
    trace, _, policy = case
    schedule, model = simulate(*case), power_of(trace.cluster)
    assert model is not None
    assert model.price is not None
    for job in np.flatnonzero(schedule.ran).tolist():
        if policy.price_jobs is None or schedule.procs[job] <= 3:
            start, submit = int(schedule.start[job]), int(schedule.submit[job])
            assert start >= submit + policy.price_wait or not model.price.at(start) > 2


def run(policy: str, *prices: tuple[int, float]) -> Schedule:
    """Of jobs of 4, 4 and 2 processors and 100 s that come a second after the other."""
    trace = make_trace([0, 1, 2], [100, 100, 100], [4, 4, 2])
    time, value = zip(*prices, strict=True)
    return simulate(priced(trace, POOL, list(time), list(value)), POOL, parse_policy(policy), log=True)


@pytest.mark.parametrize("policy", ["fcfs", "aggressive", "easy", "easy:order=saf", "just"])
def test_by_hand(policy: str) -> None:
    separator = "," if ":" in policy else ":"
    key = f"{policy}{separator}price_below=0.1"
    # Dear from 1 to 60: the first job starts at once, the others when energy is cheap.
    assert run(key, (-9, 0.1), (1, 0.3), (60, 0.05)).start.tolist() == [0, 60, 60]
    # Wide jobs alone, and for 30 s at most.
    wide = f"{key},price_jobs=procs > 2,price_wait=30"
    assert run(wide, (-9, 0.3)).start.tolist() == [30, 31, 2]
    # Prices that are not known are not waited for, and a negative price is cheap.
    assert run(key, (5, 0.3)).start.tolist() == [0, 1, 2]
    assert run(key, (-9, 0.3), (70, -0.2)).start.tolist() == [70, 70, 70]


def test_a_reservation_ends_where_energy_becomes_dear() -> None:
    # The second job is reserved from 100 on; at 50 energy becomes dear, and the third no longer waits for it.
    trace = make_trace([0, 1, 2], [100, 100, 500], [8, 8, 2])
    shown = priced(trace, POOL, [-9, 50, 300], [0.1, 0.3, 0.1])
    policy = parse_policy("easy:price_below=0.1,price_jobs=procs > 2")
    assert simulate(shown, POOL, policy).start.tolist() == [0, 300, 2]
    narrower = replace(
        shown, procs=np.array([8, 9, 2]), tasks=make_trace([0, 1, 2], [1] * 3, [8, 9, 2]).tasks
    )
    assert simulate(narrower, POOL, policy).start.tolist() == [0, 550, 50]


def test_explain_names_the_price() -> None:
    schedule = run("easy:price_below=0.1", (-9, 0.1), (1, 0.3), (60, 0.05))
    assert "held until energy costs at most 0.1" in str(explain(schedule, 1))


def test_what_is_missing_is_told() -> None:
    trace, policy = make_trace([0], [9], [1]), parse_policy("easy:price_below=0.1")
    with pytest.raises(InputError, match=r"price_below needs prices of energy: a table \[price\]"):
        simulate(trace, POOL, policy)
    with pytest.raises(InputError, match="wait is not known at the submission of a job, or changes"):
        parse_policy("easy:price_below=0.1,price_jobs=wait > 5")
    with pytest.raises(InputError, match="depth=kept starts jobs at planned times"):
        parse_policy("conservative:price_below=0.1")
