"""The reasons in a decision log: each that is planted and false is found, and none that is true."""

from dataclasses import replace

import numpy as np
import pytest

from engine.audit.audit import audit
from engine.audit.reasons import CHECKED_REASONS
from engine.audit.report import AuditReport
from engine.audit.table import table_of
from engine.machine.cluster import Cluster, parse_cluster
from engine.schedule.schedule import Decision, DecisionLog, LimitKind, Schedule, Untried
from tests.engine.audit.tables import found, only
from tests.traces import make_schedule, make_trace

Row = tuple[int, int, int, int]

# Jobs 1 to 4 on a pool of 10: 1 holds 6 until 100, 2 waits for all ten, 3 goes past it and
# ends in time, 4 would not.
TRACE = make_trace([0, 1, 2, 3], [100, 10, 90, 150], [6, 10, 2, 2], cluster=Cluster.pool(10))
STARTS = [0, 100, 2, 110]
TRUE: tuple[Row, ...] = (
    (1, 1, Decision.CPUS, 6),
    (1, 1, Decision.RESERVED, 100),
    (2, 2, Decision.BACKFILLED, 1),
    (3, 3, Decision.RESERVATION, 1),
)


def log_of(*rows: Row) -> DecisionLog:
    """A log of rows (time, job, kind, value)."""
    table = np.array(sorted(rows, key=lambda row: row[0]), np.int64)
    return DecisionLog(*(np.ascontiguousarray(table[:, k]) for k in range(4)))


def with_rows(*rows: Row, policy: str = "easy") -> AuditReport:
    """What an audit says of the schedule with these rows in its log."""
    return audited(make_schedule(TRACE, STARTS, policy=policy, log=log_of(*rows)))


def audited(schedule: Schedule) -> AuditReport:
    return audit(table_of(schedule), schedule.cluster, schedule.policy)


def test_true_reasons_are_not_found() -> None:
    report = with_rows(*TRUE)
    assert found(report) == {}
    assert CHECKED_REASONS in report.checked
    without = audited(make_schedule(TRACE, STARTS))
    assert CHECKED_REASONS not in without.checked


PLANTED: dict[str, tuple[Row, str, str, str]] = {
    "too few missing": ((1, 1, Decision.CPUS, 5), "easy", "false_cpus", "it asks for 10, and 4 to 4 of"),
    "enough processors": ((2, 2, Decision.CPUS, 1), "easy", "false_cpus", "not 1 too few"),
    "RAM that is not known": ((1, 1, Decision.RAM, 5), "easy", "false_ram", "no node's RAM is known"),
    "scattered, but too few": (
        (1, 1, Decision.FRAGMENTED, 0),
        "easy",
        "false_fragmented",
        "4 were free in all",
    ),
    "the reservation of a running job": (
        (3, 3, Decision.RESERVATION, 0),
        "easy",
        "false_reservation",
        "did not wait",
    ),
    "a reservation that begins later": (
        (2, 2, Decision.RESERVATION, 1),
        "easy",
        "false_reservation",
        "it would have ended before the reservation at 100 s",
    ),
    "a reservation, but too few processors": (
        (3, 1, Decision.RESERVATION, 3),
        "easy",
        "false_reservation",
        "no more than 2 were free",
    ),
    "a limit that is not reached": (
        (1, 1, Decision.LIMIT, LimitKind.USER_JOBS),
        "easy:max_user_jobs=3",
        "false_limit",
        "with it 2 of 3 were in use",
    ),
    "a limit of processors": (
        (1, 1, Decision.LIMIT, LimitKind.USER_CPUS),
        "easy:max_user_cpus=20",
        "false_limit",
        "with it 16 of 20 were in use",
    ),
    "a limit that there is not": (
        (1, 1, Decision.LIMIT, LimitKind.QUEUE_CPUS),
        "easy",
        "false_limit",
        "with it 16 of",
    ),
    "behind nobody": ((1, 1, Decision.BEHIND, 1), "fcfs", "false_behind", "0 other jobs waited, not 1"),
    "not tried, but alone": (
        (1, 1, Decision.UNTRIED, Untried.OF_PASS),
        "easy:test_limit=2",
        "false_untried",
        "only 0 other jobs waited",
    ),
    "started at another time": (
        (50, 3, Decision.BACKFILLED, 1),
        "easy",
        "false_backfilled",
        "did not start then",
    ),
    "past a job that runs": ((2, 2, Decision.BACKFILLED, 0), "easy", "false_backfilled", "did not wait"),
    "after its start": ((105, 1, Decision.CPUS, 6), "easy", "false_wait", "it did not wait"),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_false_reason_is_found_with_its_job_and_time(name: str) -> None:
    row, policy, kind, text = PLANTED[name]
    schedule = make_schedule(TRACE, STARTS, policy=policy, log=log_of(row, *TRUE[1:2]))
    (finding,) = [each for each in audited(schedule).findings if each.kind.startswith("false_")]
    assert (finding.kind, finding.count) == (kind, 1)
    (case,) = finding.cases
    assert (case.job, case.time) == (str(TRACE.job_id[row[1]]), row[0])
    assert text in case.text


def test_scattered_nodes_are_looked_at_one_by_one() -> None:
    """Job 1 holds the first of two nodes of four; a job of four single tasks fits on the other."""
    cluster = parse_cluster("2x4c8g")
    trace = make_trace(
        [0, 0, 0], [50, 50, 50], [3, 4, 4], tasks=[[(3, 1, 0)], [(4, 1, 0)], [(1, 4, 0)]], cluster=cluster
    )
    schedule = make_schedule(trace, [0, 50, 50], policy="fcfs")
    for job in (1, 2):
        planted = replace(schedule, log=log_of((0, job, Decision.FRAGMENTED, 0)))
        assert found(audited(planted))["false_fragmented"] == 1
    half = schedule.pieces.columns | {"node": np.array([0, 1, 0]), "cpus": np.array([2, 2, 4])}
    taken = make_schedule(trace, [0, 0, 50], policy="fcfs", log=log_of((0, 2, Decision.FRAGMENTED, 0)))
    assert only_false(audited(replace(taken, pieces=replace(taken.pieces, columns=half)))) == {}


def only_false(report: AuditReport) -> dict[str, int]:
    """The false reasons alone."""
    return {kind: count for kind, count in found(report).items() if kind.startswith("false_")}


def test_missing_ram_is_counted() -> None:
    cluster = parse_cluster("1x8c8g")
    trace = make_trace([0, 1], [50, 50], 2, ram=[6144, 4096], cluster=cluster)
    schedule = make_schedule(trace, [0, 50], log=log_of((1, 1, Decision.RAM, 2048)))
    assert only_false(audited(schedule)) == {}
    planted = audited(replace(schedule, log=log_of((1, 1, Decision.RAM, 1024))))
    assert only(planted).cases[0].text == (
        "it asks for 4,096 MiB, and 2,048 to 2,048 MiB of RAM were free, not 1,024 MiB too few"
    )
