"""Promises of each pass: of depth, limits, test_limit, threshold and relaxed, each broken once."""

import pytest

from engine.audit.audit import audit
from engine.audit.report import AuditReport
from engine.audit.table import table_of
from engine.machine.cluster import Cluster, parse_cluster
from engine.policy.policy import parse_policy
from engine.simulation.run import simulate
from engine.trace import Trace
from tests.engine.audit.tables import found, make_table, only
from tests.traces import make_trace

POOL = Cluster.pool(10)


def audited(trace: Trace, start: list[float], policy: str) -> AuditReport:
    return audit(make_table(trace, start), POOL, parse_policy(policy))


@pytest.mark.parametrize("depth", ["2", "3", "all"])
def test_a_start_in_the_way_of_a_second_reservation(depth: str) -> None:
    """Job 4 ends at 153: that delays nobody but job 3, of the second reservation."""
    trace = make_trace([0, 1, 2, 3], [100, 10, 20, 150], [6, 5, 10, 1], cluster=POOL)
    assert audited(trace, [0, 100, 153, 3], "easy").clean
    finding = only(audited(trace, [0, 100, 153, 3], f"easy:depth={depth}"))
    assert (finding.kind, finding.count, finding.worst) == ("reservation", 1, 127)
    assert (finding.cases[0].job, finding.cases[0].time) == ("4", 3)
    assert finding.cases[0].text == (
        "passed job 2, which waited, and fits beside the reservations only from 130 s on"
    )
    assert audited(trace, [0, 100, 110, 130], f"easy:depth={depth}").clean


def test_who_goes_past_waiting_jobs_is_counted() -> None:
    trace = make_trace([0, 1, 2, 3], [100, 10, 90, 97], [6, 10, 2, 2], cluster=POOL)
    report = audited(trace, [0, 100, 2, 3], "easy:depth=5")
    assert report.clean
    assert (
        "2 starts past waiting jobs of easy:depth=5, beside the reservations of that pass" in report.checked
    )


def test_on_nodes_only_the_first_reservation_is_known() -> None:
    cluster = parse_cluster("2x5c")
    trace = make_trace([0, 1, 2], [100, 10, 20], [6, 10, 9], cluster=cluster)
    report = audit(make_table(trace, [0, 100, 110]), cluster, parse_policy("easy:depth=2"))
    assert "reservations of easy:depth=2: on nodes they hang on where jobs go" in report.not_checked


def test_a_start_of_a_job_that_the_pass_does_not_come_to() -> None:
    trace = make_trace([0, 1, 2, 3], [100, 10, 90, 90], [6, 10, 2, 2], cluster=POOL)
    assert audited(trace, [0, 100, 2, 3], "easy:test_limit=2").clean
    finding = only(audited(trace, [0, 100, 110, 3], "easy:test_limit=2"))
    assert (finding.kind, finding.count, finding.cases[0].job) == ("test_limit", 1, "4")
    assert finding.cases[0].text == "the pass looks at 2 jobs, and this job was behind them"


def test_a_start_of_a_job_whose_user_had_enough_looked_at() -> None:
    trace = make_trace(
        [0, 1, 2, 3], [100, 10, 90, 90], [6, 10, 2, 2], user=["a", "b", "b", "c"], cluster=POOL
    )
    assert audited(trace, [0, 100, 110, 3], "easy:user_test_limit=1").clean
    finding = only(audited(trace, [0, 100, 2, 3], "easy:user_test_limit=1"))
    assert (finding.kind, finding.count, finding.cases[0].job) == ("user_test_limit", 1, "3")
    assert finding.cases[0].text == "the pass looks at 1 job of a user, and this job was behind them"


def test_a_start_in_the_way_of_a_reservation_within_the_horizon() -> None:
    trace = make_trace([0, 1, 2], [100, 10, 200], [6, 10, 4], cluster=POOL)
    assert audited(trace, [0, 202, 2], "easy:horizon=97").clean
    finding = only(audited(trace, [0, 202, 2], "easy:horizon=98"))
    assert (finding.kind, finding.count, finding.cases[0].job) == ("reservation", 1, "3")
    nodes = parse_cluster("5x2c")
    report = audit(make_table(trace, [0, 202, 2]), nodes, parse_policy("easy:horizon=98"))
    assert "which jobs get a reservation is not known on nodes" in "\n".join(report.not_checked)


def test_a_start_in_the_way_of_a_reservation_as_exactly_as_it_is_made() -> None:
    trace = make_trace([0, 1, 2], [95, 10, 110], [6, 10, 4], cluster=POOL)
    assert audited(trace, [0, 112, 2], "easy:resolution=1m").clean
    finding = only(audited(trace, [0, 112, 2], "easy:resolution=50"))
    assert (finding.kind, finding.count, finding.cases[0].job) == ("reservation", 1, "3")


@pytest.mark.parametrize("cluster", ["10c", "5x2c"])
def test_where_nothing_is_reserved_a_test_limit_is_a_promise_still(cluster: str) -> None:
    machine = parse_cluster(cluster)
    trace = make_trace([0, 1, 2, 3], [100, 10, 90, 90], [6, 10, 2, 2], cluster=machine)
    table = make_table(trace, [0, 100, 110, 3])
    assert found(audit(table, machine, parse_policy("aggressive:test_limit=2"))) == {"test_limit": 1}
    assert audit(table, machine, parse_policy("aggressive:test_limit=3")).clean


def test_a_job_that_starves_goes_first() -> None:
    """Job 2 (sjf: last) has waited for more than a minute when job 1 ends; at 61 s it has not."""
    starving = make_trace([0, 1, 2], [100, 90, 10], [10, 10, 10], cluster=POOL)
    policy = "easy:order=sjf,threshold=1m"
    assert audited(starving, [0, 100, 190], policy).clean
    report = audited(starving, [0, 110, 100], policy)
    assert found(report) == {"reservation": 1, "guarantee": 1}
    not_yet = make_trace([0, 1, 2], [61, 90, 10], [10, 10, 10], cluster=POOL)
    assert audited(not_yet, [0, 71, 61], policy).clean


@pytest.mark.parametrize(
    ("key", "kind", "text"),
    [
        ("max_user_jobs=1", "limit_user_jobs", "user u1: 2 of 1 jobs, for 95 s"),
        ("max_user_cpus=5", "limit_user_processors", "user u1: 6 of 5 processors, for 95 s"),
        ("max_queue_cpus=5", "limit_queue_processors", "queue long: 6 of 5 processors, for 95 s"),
    ],
)
@pytest.mark.parametrize("preset", ["easy", "fairshare-easy", "aggressive"])
def test_a_limit_that_is_passed(key: str, kind: str, text: str, preset: str) -> None:
    """Also under orders of which nothing else can be checked."""
    users, queues = ["u1", "u2", "u1"], ["long", "short", "long"]
    trace = make_trace([0, 5, 5], [100, 10, 100], [3, 2, 3], user=users, queue=queues, cluster=POOL)
    finding = only(audited(trace, [0, 5, 5], f"{preset}:{key}"))
    assert (finding.kind, finding.count, finding.cases[0].time, finding.cases[0].text) == (kind, 1, 5, text)


def test_who_is_held_by_a_limit_is_passed_rightly() -> None:
    trace = make_trace([0, 1, 2], [100, 10, 200], [3, 2, 7], user=["u1", "u1", "u2"], cluster=POOL)
    assert audited(trace, [0, 100, 2], "fcfs:max_user_jobs=1").clean
    assert audited(trace, [0, 100, 2], "easy:max_user_jobs=1").clean
    assert found(audited(trace, [0, 202, 2], "fcfs:max_user_jobs=2"))["order"] == 1


def test_a_relaxed_reservation_is_put_off_as_far_as_its_first_one_says() -> None:
    """Job 2 came at 50 and is first reserved for 100: with relaxed=1 it may wait until 150."""
    trace = make_trace([0, 50, 60], [100, 10, 90], [6, 10, 4], cluster=POOL)
    assert found(audited(trace, [0, 150, 60], "easy")) == {"reservation": 1, "guarantee": 1}
    report = audited(trace, [0, 150, 60], "easy:relaxed=1")
    assert report.clean
    assert report.guarantees is not None
    assert report.guarantees.kept == 1
    assert found(audited(trace, [0, 150, 60], "easy:relaxed=0.98")) == {"reservation": 1, "guarantee": 1}
    assert found(audited(trace, [0, 151, 60], "easy:relaxed=1")) == {"guarantee": 1, "idle": 1}


def test_how_late_a_relaxed_start_may_be_goes_by_the_order_of_the_log() -> None:
    """Job 2 is first reserved for 110, before job 3 starts in the same second: it may wait until 190.

    Were job 3 first, it might until 230, in the way of job 5.
    """
    submit, runtime, walltime = [0, 30, 30, 40, 60], [110, 70, 100, 30, 20], [110, 70, 100, 90, 80]
    trace = make_trace(submit, runtime, [2, 7, 4, 6, 4], walltime=walltime)
    cluster, policy = Cluster.pool(8), parse_policy("just:relaxed=1")
    schedule = simulate(trace, cluster, policy)
    assert schedule.start.tolist() == [0, 130, 30, 200, 110]
    assert audit(table_of(schedule), cluster, policy).clean


def test_whether_a_limit_holds_a_job_goes_by_the_order_of_the_log() -> None:
    """At 100 job 3 reserves 300 to 350 before job 4, of the same user and second, takes the only turn.

    Were job 4 first, job 5 would reserve these, and job 6 be in its way.
    """
    submit, runtime, users = (
        [0, 0, 10, 10, 10, 90],
        [100, 300, 50, 20, 50, 250],
        ["a", "b", "a", "a", "c", "d"],
    )
    trace = make_trace(submit, runtime, [2, 4, 8, 1, 9, 2], user=users)
    cluster, policy = Cluster.pool(10), parse_policy("just:max_user_jobs=1")
    schedule = simulate(trace, cluster, policy)
    assert schedule.start.tolist() == [0, 0, 300, 100, 350, 100]
    assert audit(table_of(schedule), cluster, policy).clean
