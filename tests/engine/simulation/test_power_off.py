"""Nodes that are switched off when idle: as the slow twin switches them, and by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.errors import InputError
from engine.machine.cluster import Cluster, parse_cluster
from engine.machine.power import SWITCHED, NodePower, PowerModel, with_power
from engine.policy.policy import parse_policy
from engine.policy.switching_off import cannot_switch
from engine.schedule.schedule import Schedule
from engine.simulation.run import simulate
from engine.trace import Trace
from tests.engine.simulation.comparing import assert_equal_to_twin
from tests.engine.simulation.workloads import Case, cases
from tests.traces import make_trace


def booting(trace: Trace, cluster: Cluster, *boots: int) -> Trace:
    """The trace of a machine whose nodes, or groups of nodes, take so long to be on again, s."""
    texts = [group.name or group.spelling for group in cluster.groups] if len(boots) > 1 else [""]
    entries = tuple(
        NodePower(100, 20, 0, 10, group, boot_s=boot, boot_w=150)
        for group, boot in zip(texts, boots, strict=False)
    )
    return replace(trace, cluster=with_power(cluster, PowerModel(entries)))


@st.composite
def switched_cases(draw: st.DrawFn) -> Case:
    """Any case in which nodes can be switched off."""
    depth = draw(st.sampled_from(("stop", "0", "1")))
    fixed = {
        "depth": depth,
        "window": "1",
        "tune": "none",
        "estimate": draw(st.sampled_from(("requested", "actual", "scaled0.5"))),
        "order": draw(st.sampled_from(("fcfs", "fcfs", "sjf", "saf", "widest", "balanced", "slack"))),
    }
    if depth == "1":
        fixed |= dict.fromkeys(("relaxed", "user_test_limit", "horizon", "resolution"), "none")
    trace, cluster, policy = draw(cases(**fixed))
    cluster = replace(cluster, failures=None)
    policy = policy.with_keys(power_off=str(draw(st.integers(1, 60))), placement="first", partitions="any")
    assume(not cannot_switch(cluster, policy))
    names = [group.name or group.spelling for group in cluster.groups]
    several = len(set(names)) == len(names) and draw(st.booleans())
    boots = [draw(st.integers(0, 40)) for _ in (names if several else names[:1])]
    return booting(trace, cluster, *boots), cluster, policy


@settings(max_examples=200)
@given(switched_cases())
def test_nodes_are_switched_as_in_the_slow_twin(case: Case) -> None:
    schedule, naive = assert_equal_to_twin(case)
    assert schedule.took is not None
    assert schedule.took.tolist() == [naive.switching.took.get(job, -1) for job in range(len(schedule.start))]


NODES = parse_cluster("3x1c")


def run(policy: str, submit: list[int], runtime: list[int], procs: list[int], boot: int = 10) -> Schedule:
    trace = booting(make_trace(submit, runtime, procs), NODES, boot)
    return simulate(trace, NODES, parse_policy(policy))


@pytest.mark.parametrize("policy", ["fcfs", "aggressive", "easy", "easy:order=saf"])
def test_by_hand(policy: str) -> None:
    key = f"{policy}{',' if ':' in policy else ':'}power_off=50"
    # The second job finds the node of the first still on; the third needs two that are off by then.
    made = run(key, [0, 120, 400], [100, 30, 10], [1, 1, 2])
    assert (made.start.tolist(), made.end.tolist()) == ([0, 120, 410], [100, 150, 420])
    assert made.took is not None
    assert made.took.tolist() == [0, 120, 400]
    # Off from 50 on: not at 49, as for all that a job waits.
    assert run(key, [0, 49], [10, 9], [1, 3]).start.tolist() == [0, 49]
    assert run(key, [0, 50], [10, 9], [1, 3]).start.tolist() == [0, 60]


def test_all_nodes_of_a_wide_job_boot_and_are_idle_after_it() -> None:
    # On 70 nodes, which are in two words: all are held until 10, and off from 60 on.
    wide = parse_cluster("70x1c")
    for submit, start in ((40, 40), (59, 59), (60, 70), (100, 110)):
        trace = booting(make_trace([0, submit], [10, 5], [70, 70]), wide, 10)
        assert simulate(trace, wide, parse_policy("easy:power_off=50")).start.tolist() == [0, start]


def test_nodes_that_are_on_come_first() -> None:
    # Nodes 0 and 1 are taken at first; at 100 only the second is on, which the narrow job takes.
    made = run("easy:power_off=60", [0, 0, 100], [10, 95, 5], [1, 1, 1])
    assert made.pieces["node"].tolist() == [0, 1, 1]
    assert made.start.tolist() == [0, 0, 100]


def test_a_job_whose_boot_would_delay_the_reservation_is_not_backfilled() -> None:
    # The wide job is reserved from 200 on. The narrow one takes 95 s on a node that is off: with a boot of
    # 10 s it would end at 205.
    wide, narrow = [0, 90, 100], [1, 3, 1]
    assert run("easy:power_off=50", wide, [200, 10, 95], narrow, boot=5).start.tolist() == [0, 205, 105]
    assert run("easy:power_off=50", wide, [200, 10, 95], narrow).start.tolist()[2] > 200


@pytest.mark.parametrize(
    ("policy", "reason"),
    [
        ("just:power_off=60", "plans know of no boots"),
        ("easy:depth=3,power_off=60", "plans know of no boots"),
        ("conservative:power_off=60", "plans know of no boots"),
        ("easy:power_off=60,placement=best", "with placement=first"),
        ("easy:power_off=60,order=fairshare", "not kept in orders that go by what users had"),
        ("easy:power_off=60,estimate=last2", "needs estimates that are not learned"),
        ("easy:power_off=60,power_cap=1", "not kept under a power_cap"),
    ],
)
def test_what_cannot_be_kept_is_refused(policy: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        run(policy, [0], [9], [1])


def test_pools_and_unknown_power_are_refused() -> None:
    trace, policy = make_trace([0], [9], [1]), parse_policy("easy:power_off=60")
    with pytest.raises(InputError, match="power_off needs a machine of nodes"):
        simulate(booting(trace, Cluster.pool(3), 5), Cluster.pool(3), policy)
    with pytest.raises(InputError, match="with boot_s, the seconds that a node takes to be on again"):
        simulate(trace, NODES, policy)
    with pytest.raises(InputError, match="fair starts are not computed"):
        simulate(booting(trace, NODES, 5), NODES, policy, fair_starts=True)
    # Nodes of which it is not known how long they boot would seem to boot at once.
    learned = PowerModel((NodePower(100, 20, unknown=SWITCHED),))
    with pytest.raises(InputError, match="--power does not tell off_w, boot_s and boot_w of all nodes"):
        simulate(replace(trace, cluster=with_power(NODES, learned)), NODES, policy)


def test_no_boots_and_no_switching_are_the_same() -> None:
    trace = make_trace([0, 5, 90, 200], [100, 20, 30, 40], [2, 3, 1, 2])
    plain = simulate(trace, NODES, parse_policy("easy"))
    made = simulate(booting(trace, NODES, 0), NODES, parse_policy("easy:power_off=30"))
    assert np.array_equal(plain.start, made.start)
