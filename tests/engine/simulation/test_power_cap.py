"""The cap on power: as its slow twin keeps it, and never above it, in pools and on nodes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.errors import InputError
from engine.machine.cluster import Cluster, parse_cluster
from engine.machine.power import NodePower, PowerModel, Rates, power_of, with_power
from engine.metrics.power import power_over_time
from engine.policy.policy import parse_policy
from engine.schedule.explain import explain
from engine.schedule.schedule import NOT_RUN, Decision, Schedule
from engine.simulation.run import simulate
from engine.trace import Trace
from tests.engine.simulation.comparing import (
    assert_equal_to_twin,
    rows_of,
)
from tests.engine.simulation.workloads import Case, cases
from tests.traces import make_trace

MODEL = PowerModel((NodePower(idle_w=100, core_w=20, gpu_w=50),))


def powered(trace: Trace, cluster: Cluster, model: PowerModel = MODEL) -> Trace:
    return replace(trace, cluster=with_power(cluster, model))


@st.composite
def capped_cases(draw: st.DrawFn, **fixed: str) -> Case:
    """Any case with a cap between the power of the idle machine and of the busy one."""
    trace, cluster, policy = draw(cases(**fixed))
    nodes = cluster.cpus if cluster.pooled else cluster.nodes
    room = draw(st.integers(0, 20 * cluster.cpus))
    return powered(trace, cluster), cluster, policy.with_keys(power_cap=f"{(100 * nodes + room) / 1000:g}")


def most_power(schedule: Schedule) -> float:
    """W."""
    return power_over_time(schedule).most / 1000


@settings(max_examples=150)
@given(capped_cases())
def test_a_cap_is_kept_as_the_slow_twin_keeps_it(case: Case) -> None:
    assert_equal_to_twin(case)


RATE_TIMES = st.lists(st.integers(-20, 400), min_size=1, max_size=12, unique=True).map(sorted)


@st.composite
def hours_cases(draw: st.DrawFn, **fixed: str) -> Case:
    """Any case with a cap that changes by the clock, some of it unknown.

    Without gap=best on pools: there the kernel counts what the cap admits as idle, the twin all processors.
    """
    trace, cluster, policy = draw(cases(**fixed))
    assume(policy.gap != "best" or not cluster.pooled)
    nodes, times = cluster.cpus if cluster.pooled else cluster.nodes, draw(RATE_TIMES)
    rooms = st.integers(0, 20 * cluster.cpus).map(lambda room: (100 * nodes + room) / 1000) | st.just(np.nan)
    values = [*draw(st.lists(rooms, min_size=len(times) - 1, max_size=len(times) - 1)), np.nan]
    model = replace(MODEL, cap=Rates(np.array(times, np.int64), np.array(values, np.float64)))
    return powered(trace, cluster, model), cluster, policy.with_keys(power_cap="series")


@settings(max_examples=200)
@given(hours_cases())
def test_a_cap_by_the_clock_is_kept_as_the_slow_twin_keeps_it(case: Case) -> None:
    assert_equal_to_twin(case)


@settings(max_examples=60)
@given(hours_cases(estimate="requested"))
def test_power_is_never_above_a_cap_by_the_clock(case: Case) -> None:
    # Walltimes bound runtimes, so that no job runs beyond its estimate.
    schedule, model = simulate(*case), power_of(case[0].cluster)
    assert model is not None
    assert model.cap is not None
    series = power_over_time(schedule)
    end = int(schedule.end.max(initial=0))
    for time in sorted({*series.time.tolist(), *model.cap.time.tolist()}):
        cap = model.cap.at(time)
        # The power of nodes before the first and after the last job is no matter of the schedule.
        if schedule.first_submit <= time < end and not np.isnan(cap):
            assert series.at(np.array([time]))[0] / 1e6 <= cap + 1e-6


@settings(max_examples=80)
@given(capped_cases())
def test_power_is_never_above_the_cap(case: Case) -> None:
    assert case[2].power_cap is not None
    assert most_power(simulate(*case)) <= 1000 * case[2].power_cap + 1e-6


POOL = Cluster.pool(10)


def starts(policy: str, cluster: Cluster = POOL, procs: tuple[int, ...] = (4, 4, 2)) -> list[int]:
    """Of jobs of 100 s that come a second after the other."""
    trace = make_trace(list(range(len(procs))), [100] * len(procs), list(procs))
    return simulate(powered(trace, cluster), cluster, parse_policy(policy)).start.tolist()


@pytest.mark.parametrize("policy", ["fcfs", "aggressive", "easy", "easy:order=saf", "just", "conservative"])
def test_by_hand(policy: str) -> None:
    # Idle 1 kW, a busy core 20 W more: all run under 1.2 kW; under 1.12 kW six cores are busy at most.
    separator = "," if ":" in policy else ":"
    assert starts(f"{policy}{separator}power_cap=1.2") == [0, 1, 2]
    last = 100 if policy == "fcfs" else 2
    assert starts(f"{policy}{separator}power_cap=1.12") == [0, 100, last]
    nodes = parse_cluster("5x2c")  # idle 500 W
    assert starts(f"{policy}{separator}power_cap=0.62", nodes) == [0, 100, last]


@pytest.mark.parametrize("cluster", [POOL, parse_cluster("5x2c")])
def test_backfilling_does_not_take_the_power_of_a_reservation(cluster: Cluster) -> None:
    idle = 1.0 if cluster.pooled else 0.5
    # Six cores may be busy: the second job is reserved from 100 on with all of them.
    trace = make_trace([0, 1, 2], [100, 50, 200], [4, 6, 2])
    policy = parse_policy(f"easy:power_cap={idle + 0.12:g}")
    assert simulate(powered(trace, cluster), cluster, policy).start.tolist() == [0, 100, 150]
    freer = parse_policy(f"aggressive:power_cap={idle + 0.12:g}")
    assert simulate(powered(trace, cluster), cluster, freer).start.tolist() == [0, 202, 2]


def test_jobs_that_no_cap_admits_are_refused() -> None:
    trace = make_trace([0, 1], [100, 100], [8, 4])
    schedule = simulate(powered(trace, POOL), POOL, parse_policy("easy:power_cap=1.15"))
    assert schedule.start.tolist() == [NOT_RUN, 1]
    assert schedule.refused.tolist() == [True, False]


def test_caps_that_cannot_be_kept_are_refused() -> None:
    trace = make_trace([0], [100], [2])
    with pytest.raises(
        InputError, match=r"the cap of 0\.9 kW is below the power of the idle machine, which is 1 kW"
    ):
        simulate(powered(trace, POOL), POOL, parse_policy("easy:power_cap=0.9"))
    with pytest.raises(InputError, match="needs the power of the machine's nodes: --power tells it"):
        simulate(trace, POOL, parse_policy("easy:power_cap=0.9"))


def test_measured_power_counts_instead() -> None:
    # The log tells 300 J a s of nodes of 100 W: 200 W above their idle power.
    trace = make_trace([0, 1], [100, 100], [2, 2], cluster=parse_cluster("5x2c"))
    trace = replace(
        powered(trace, parse_cluster("5x2c")), energy=np.array([30_000, 30_000]), wait=np.array([0, 0])
    )
    policy = "easy:power_cap={}"
    assert simulate(trace, trace.cluster, parse_policy(policy.format("0.9"))).start.tolist() == [0, 1]
    assert simulate(trace, trace.cluster, parse_policy(policy.format("0.89"))).start.tolist() == [0, 100]


def test_a_reason_changes_at_the_next_pass_though_nothing_happened() -> None:
    # Job 2 starts after job 1 was found short of power: from the next pass on that is short of processors.
    cluster = Cluster.pool(7)
    trace = powered(make_trace([0, 1, 1], [13, 5, 20], [2, 4, 2], cluster=cluster), cluster)
    schedule = simulate(trace, cluster, parse_policy("easy:depth=0,pass_every=3,power_cap=0.8"), log=True)
    assert schedule.start.tolist() == [0, 24, 3]
    reasons = [row[:4:3] for row in rows_of(schedule, Decision.POWER, Decision.CPUS)]
    assert reasons == [(3, 20_000), (6, 1), (15, 20_000)]


def test_the_cap_is_named_as_the_reason() -> None:
    trace = make_trace([0, 1], [100, 100], [4, 4])
    schedule = simulate(powered(trace, POOL), POOL, parse_policy("easy:power_cap=1.12"), log=True)
    assert [row for row in schedule.log.kind.tolist() if row == Decision.POWER]
    assert "held by the cap on power of 1.12 kW (0.04 kW missing at first)" in str(explain(schedule, 1))


def by_the_clock(policy: str, *caps: tuple[int, float], cluster: Cluster = POOL) -> Schedule:
    """Of jobs of 4, 4 and 2 processors and 100 s that come a second after the other, under caps in kW."""
    trace = make_trace([0, 1, 2], [100, 100, 100], [4, 4, 2])
    time, value = zip(*caps, strict=True)
    model = replace(MODEL, cap=Rates(np.array(time), np.array(value, np.float64)))
    return simulate(powered(trace, cluster, model), cluster, parse_policy(policy), log=True)


@pytest.mark.parametrize("policy", ["fcfs", "aggressive", "easy", "easy:order=saf", "just", "conservative"])
def test_caps_by_the_clock_by_hand(policy: str) -> None:
    # Idle 1 kW, a busy core 20 W more. Ten cores may be busy until 50, then four, from 200 on all of them:
    # each job would run into the low cap, under which one of them has room; the second waits for its end.
    separator = "," if ":" in policy else ":"
    spelling = f"{policy}{separator}power_cap=series"
    expected = {"fcfs": [0, 100, 200], "easy:order=saf": [0, 200, 100]}.get(policy, [0, 100, 200])
    assert by_the_clock(spelling, (-9, 1.2), (50, 1.08), (200, 1.2)).start.tolist() == expected
    # Under a cap that lets none of the larger ones start before 150, the small one runs if it may pass them.
    waits = [150, 150, 150] if policy == "fcfs" else [150, 150, 2]
    assert by_the_clock(spelling, (-9, 1.05), (150, 1.2)).start.tolist() == waits
    # Without a cap from 1 on, and before its first row.
    assert by_the_clock(spelling, (300, 1.01), (400, 1.2)).start.tolist() == [0, 1, 2]


def test_a_job_that_no_hour_admits_is_refused() -> None:
    # 100 s of four cores never fit: the cap admits them for 99 s at a time.
    caps = [(-9, 1.05), (100, 1.2), (199, 1.05)]
    schedule = by_the_clock("easy:power_cap=series", *caps)
    assert schedule.start.tolist() == [NOT_RUN, NOT_RUN, 2]
    assert schedule.refused.tolist() == [True, True, False]
    caps[2] = (200, 1.05)
    assert by_the_clock("easy:power_cap=series", *caps).start.tolist() == [100, 100, 2]


def test_a_coming_cap_is_named_as_the_reason() -> None:
    schedule = by_the_clock("easy:power_cap=series", (-9, 1.2), (50, 1.1), (250, 1.2))
    # From 50 on five cores may be busy: at 1 the second job would have three too many then.
    assert schedule.start.tolist() == [0, 100, 200]
    assert (1, 1, Decision.POWER, 60_000) in list(zip(*map(np.ndarray.tolist, log_of(schedule)), strict=True))


def log_of(schedule: Schedule) -> tuple[np.ndarray, ...]:
    log = schedule.log
    return log.time, log.job, log.kind, log.value


def test_a_missing_series_is_told() -> None:
    with pytest.raises(InputError, match=r"power_cap=series needs a table \[cap\] in the file that --power"):
        simulate(powered(make_trace([0], [9], [1]), POOL), POOL, parse_policy("easy:power_cap=series"))
    with pytest.raises(InputError, match=r"the cap of 0.9 kW is below the power of the idle machine"):
        by_the_clock("easy:power_cap=series", (0, 2), (50, 0.9))
