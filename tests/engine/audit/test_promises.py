"""What is not checked is said, and only what is promised is asked for."""

from dataclasses import replace

import numpy as np
import pytest

from engine.audit.audit import audit
from engine.audit.policy_rules import estimates
from engine.audit.table import recorded_table
from engine.errors import InputError
from engine.machine.cluster import Cluster, parse_cluster
from engine.policy.policy import parse_policy
from engine.trace import Pieces
from tests.engine.audit.tables import make_table, only
from tests.traces import make_trace

TRACE = make_trace([0, 1], [10, 10], [6, 6], cluster=Cluster.pool(10))
TABLE = make_table(TRACE, [0, 10])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("fairshare-easy", "the order fairshare is not fixed by submission, estimate and processors"),
        ("aggressive", "no waiting job has a reservation"),
        ("recorded", "a schedule of the log or of a file promises nothing"),
    ],
)
def test_a_promise_that_cannot_be_checked_is_named(text: str, why: str) -> None:
    report = audit(TABLE, TRACE.cluster, parse_policy(text))
    assert f"promises of {text}: {why}" in report.not_checked
    assert report.guarantees is None


def test_estimates_that_change_are_not_believed() -> None:
    policy = parse_policy("easy").with_keys(estimate="last2")
    report = audit(TABLE, TRACE.cluster, policy)
    assert [text for text in report.not_checked if "change as it learns" in text]
    assert report.guarantees is None


def test_estimates() -> None:
    trace = make_trace([0, 1, 2], [1, 10, 25], walltime=[5, 20, 30])
    easy = parse_policy("easy")

    def believed(name: str) -> list[int]:
        found = estimates(easy.with_keys(estimate=name), trace)
        assert found is not None
        return found.tolist()

    assert believed("requested") == [5, 20, 30]
    assert believed("actual") == [1, 10, 25]
    assert believed("scaled1.5") == [2, 15, 38]
    assert believed("scaled0.3") == [1, 3, 8]


def test_on_nodes_a_schedule_has_to_say_where_jobs_ran() -> None:
    cluster = parse_cluster("2x8c")
    trace = make_trace([0, 1], [10, 10], [8, 16], cluster=cluster)
    report = audit(make_table(trace, [0, 10]), cluster, parse_policy("easy"))
    assert report.clean
    assert [text for text in report.not_checked if "on which nodes" in text and "--cluster" in text]


def test_a_guarantee_on_nodes_is_that_of_the_nodes() -> None:
    # Two CPUs are free on each of two nodes: four in all, and yet a task of four must wait.
    cluster = parse_cluster("2x8c")
    tasks = [[(1, 6, 0)], [(1, 6, 0)], [(1, 4, 0)]]
    trace = make_trace([0, 0, 1], [10, 20, 5], [6, 6, 4], tasks=tasks, cluster=cluster)
    pieces = Pieces(np.arange(4), {"node": np.array([0, 1, 0]), "cpus": np.array([6, 6, 4])})
    easy = parse_policy("easy")
    kept = audit(replace(make_table(trace, [0, 0, 10]), pieces=pieces), cluster, easy)
    assert kept.clean
    assert kept.guarantees is not None
    assert kept.guarantees.made == 1
    late = audit(replace(make_table(trace, [0, 0, 12]), pieces=pieces), cluster, easy)
    assert (only(late).kind, only(late).worst) == ("guarantee", 2)


def test_the_log_of_a_machine_keeps_its_own_runtimes_and_processors() -> None:
    trace = make_trace(
        [0, 5, 6],
        [10, 10, 10],
        [6, 6, 1],
        wait=[0, 2, -1],
        recorded_runtime=[12, 30, 9],
        recorded_procs=[5, 6, 1],
        cluster=Cluster.pool(10),
    )
    report = audit(recorded_table(trace), trace.cluster)
    finding = only(report)
    assert (finding.kind, finding.cases[0].text) == ("over_cpus", "11 of 10 in use, for 5 s")
    assert report.ran == 2
    assert "1 job whose start the log does not give" in report.not_checked
    with pytest.raises(InputError, match="no recorded schedule"):
        recorded_table(TRACE)


@pytest.mark.parametrize("depth", ["stop", "1", "kept"])
def test_promises_of_fractional_times(depth: str) -> None:
    """Sums of such times differ in the last bit, which is neither an overrun nor a delay."""
    zero = 1_356_996_118
    trace = make_trace([zero, zero + 1, zero + 2], [10, 7, 9], [6, 10, 10], cluster=Cluster.pool(10))
    start = [zero + 0.35, zero + 10.35, zero + 17.35]
    table = make_table(trace, start, submit=trace.submit.tolist())
    policy = parse_policy("easy").with_keys(depth=depth)
    # Until job 1 starts it has a guarantee too, for the second of its submission.
    report = audit(table, trace.cluster, policy, tolerance=0.35)
    assert report.clean
    assert report.guarantees is not None
    assert (report.guarantees.made, report.guarantees.kept) == (3, 3)
    late = audit(make_table(trace, [*start[:2], zero + 17.75]), trace.cluster, policy, 0.35).findings
    assert [(finding.kind, finding.worst) for finding in late] == [("idle", 0.4), ("guarantee", 0.4)]
