"""The audit and the simulator share no code: the one finds nothing in what the other makes."""

from dataclasses import replace

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.audit.audit import audit
from engine.audit.table import table_of
from engine.machine.cluster import Cluster
from engine.policy.policy import Policy, parse_policy
from engine.policy.static_order import STATIC_ORDERS, TIES
from engine.simulation.run import simulate
from engine.trace import Trace
from tests.engine.simulation.workloads import Case, cases, clusters, policies, traces

PLAIN = ("fcfs", "easy", "easy-sjbf", "saf-easy", "easy:estimate=actual", "easy:order=laf,ties=longest")


@st.composite
def checkable(draw: st.DrawFn) -> Policy:
    """A policy whose promises an audit can check: every order with every word of `ties` that it uses."""
    values = {"order": draw(st.sampled_from(list(STATIC_ORDERS)))}
    # Only orders of one key leave ties.
    if len(STATIC_ORDERS[values["order"]]) == 1:
        values["ties"] = draw(st.sampled_from(list(TIES)))
    preset = draw(st.sampled_from(("fcfs", "easy", "easy", "just", "aggressive")))
    if draw(st.integers(0, 2)) == 0:
        values["estimate"] = draw(st.sampled_from(("actual", "scaled0.5", "scaled1.5", "scaled2")))
    if preset in ("easy", "aggressive") and draw(st.integers(0, 2)) == 0:
        values["backfill"] = draw(st.sampled_from(list(STATIC_ORDERS)))
    if preset == "easy" and draw(st.integers(0, 3)) == 0:
        values["depth"] = draw(st.sampled_from(("2", "3")))
    # Each further key in a fifth of the cases, where the preset knows it.
    seldom = {
        "gate": ("on",),
        "test_limit": ("1", "2", "5"),
        "pass_every": ("3", "20"),
        "max_user_jobs": ("1", "2"),
        "max_user_cpus": ("6", "9"),
        "max_queue_cpus": ("8",),
        "queue_limits": ("q0@7", "q0@8;q1@6"),
    }
    if values["order"] != "fcfs":
        seldom["threshold"] = ("5", "20", "60")
    if preset in ("easy", "just"):
        seldom["relaxed"] = ("0", "0.3", "2")
        seldom |= {"user_test_limit": ("1", "2"), "horizon": ("5", "30"), "resolution": ("3", "20")}
    for name, words in seldom.items():
        if draw(st.integers(0, 4)) == 0:
            values[name] = draw(st.sampled_from(words))
    return parse_policy(preset).with_keys(**values)


@settings(max_examples=120)
@given(traces(), clusters(), policies())
def test_nothing_is_broken(trace: Trace, cluster: Cluster, policy: Policy) -> None:
    schedule = simulate(trace, cluster, policy, log=True)
    report = audit(table_of(schedule), cluster, policy)
    assert report.findings == ()
    given_up = int(schedule.given_up.sum())  # which the audit cannot tell from refused ones in all cases
    assert len(trace) - given_up <= report.ran + report.refused <= len(trace)


@settings(max_examples=150)
@given(traces(), st.integers(9, 12), checkable())
def test_nothing_is_broken_in_any_order_that_is_fixed(trace: Trace, cpus: int, policy: Policy) -> None:
    cluster = Cluster.pool(cpus)
    report = audit(table_of(simulate(trace, cluster, policy, log=True)), cluster, policy)
    assert report.findings == ()
    assert policy.depth == 0 or report.guarantees is not None or report.not_checked


@given(traces(), clusters().filter(lambda cluster: cluster.failures is not None))
def test_a_schedule_that_knows_of_no_failures_uses_nodes_that_are_down(
    trace: Trace, cluster: Cluster
) -> None:
    schedule = simulate(trace, replace(cluster, failures=None), parse_policy("easy"))
    report = audit(table_of(schedule), cluster, schedule.policy)
    assert "nodes that are down" in report.checked
    assert [text for text in report.not_checked if "nodes fail" in text]
    job = np.repeat(np.arange(len(trace)), np.diff(schedule.pieces.offset))
    begin, end, node = schedule.start[job], schedule.end[job], schedule.pieces["node"]
    outages = cluster.outages(trace.submit)
    rows = zip(outages.node, outages.start, outages.end, strict=True)
    used = any(((node == n) & (begin < until) & (since < end)).any() for n, since, until in rows)
    assert used == bool([found for found in report.findings if found.kind == "over_node_cpus"])


@given(cases(constraints="on"))
def test_nothing_is_broken_where_jobs_keep_to_some_nodes_or_take_whole_ones(case: Case) -> None:
    _, cluster, policy = case
    report = audit(table_of(simulate(*case, log=True)), cluster, policy)
    assert report.findings == ()
    assert "whether jobs keep to the nodes that the log asks for" in report.not_checked


@given(traces(), clusters())
def test_what_is_promised_is_checked(trace: Trace, cluster: Cluster) -> None:
    assume(cluster.failures is None)
    for text in PLAIN:
        policy = parse_policy(text)
        report = audit(table_of(simulate(trace, cluster, policy)), cluster, policy)
        tally = report.guarantees
        assert tally is not None
        assert (tally.broken, tally.excused) == (0, 0)
        assert tally.made == tally.kept + tally.lapsed
        if cluster.pooled:
            assert not [text for text in report.not_checked if "guaranteed" in text]


@given(traces(), policies())
def test_guarantees_of_fixed_orders_are_counted_on_a_pool(trace: Trace, policy: Policy) -> None:
    """A job that waits at the head of the queue has a guarantee: none goes unseen."""
    cluster = Cluster.pool(12)
    easy = parse_policy("easy", "actual" if policy.estimate.kind == "actual" else "requested")
    schedule = simulate(trace, cluster, easy)
    tally = audit(table_of(schedule), cluster, easy).guarantees
    assert tally is not None
    waited = schedule.start[schedule.ran] > trace.submit[schedule.ran]
    assert (tally.made > 0) == bool(waited.any())
