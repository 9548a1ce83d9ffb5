"""The compiled audit against its slow twin, on schedules that keep promises and on such that do not."""

from collections import Counter
from dataclasses import replace

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.audit.audit import audit
from engine.audit.policy_rules import estimates
from engine.audit.report import KEPT_CASES, AuditReport, Guarantees
from engine.audit.table import ScheduleTable, table_of
from engine.machine.cluster import Cluster, parse_cluster
from engine.policy.policy import Policy, parse_policy
from engine.simulation.run import simulate
from engine.trace import Trace
from tests.engine.audit.naive_promises import Broken, promised
from tests.engine.audit.test_own_schedules import checkable
from tests.engine.simulation.workloads import traces
from tests.traces import make_trace

OF_PASSES = ("order", "test_limit", "user_test_limit", "reservation")
PLANS = ("conservative", "conservative:estimate=actual", "conservative:replan=planned")


@st.composite
def disturbed(draw: st.DrawFn, table: ScheduleTable) -> ScheduleTable:
    """The same schedule, but some jobs start at other times, take more processors, or run longer."""
    rows = len(table.job)
    moved = draw(st.lists(st.tuples(st.integers(0, 200), st.sampled_from([-3, 1, 2.5, 7, 40])), max_size=6))
    start, end, procs = table.start.copy(), table.end.copy(), table.procs.copy()
    for row, seconds in moved if rows else ():
        start[row % rows] += seconds
        end[row % rows] += seconds
    for row, more in draw(st.lists(st.tuples(st.integers(0, 200), st.integers(0, 1)), max_size=2)):
        if rows:
            procs[row % rows] += more
            end[row % rows] += 11 * (1 - more)
    return replace(table, start=start, end=end, procs=procs)


def found(report: AuditReport, kinds: tuple[str, ...]) -> dict[str, tuple[int, list[Broken]]]:
    """Of each kind how many cases there are, and the first of them."""
    names = {str(name): job for job, name in enumerate(report_jobs(report))}
    return {
        finding.kind: (
            finding.count,
            [
                Broken(finding.kind, names[case.job or ""], case.time or 0.0, case.amount)
                for case in finding.cases
            ],
        )
        for finding in report.findings
        if finding.kind in kinds
    }


def report_jobs(report: AuditReport) -> range:
    return range(1, report.jobs + 1)


def expected(broken: list[Broken]) -> dict[str, tuple[int, list[Broken]]]:
    """Of each kind how many there are, and the first of them."""
    many = Counter(broken_rule.kind for broken_rule in broken)
    return {
        kind: (many[kind], [broken_rule for broken_rule in broken if broken_rule.kind == kind][:KEPT_CASES])
        for kind in many
    }


def by_moment(broken: list[Broken]) -> list[Broken]:
    """In the order of time, those of one second in the order of jobs."""
    return sorted(broken, key=lambda broken_rule: (broken_rule.time, broken_rule.job))


def compare(table: ScheduleTable, cluster: Cluster, policy: Policy, tolerance: float) -> None:
    report = audit(table, cluster, policy, tolerance)
    estimate = estimates(policy, table.trace)
    assert estimate is not None
    late, kept, broken, past = promised(table, cluster, policy, estimate, tolerance)
    # What the audit says that it did not check is not compared.
    if not any("reservations of" in text or "promises of" in text for text in report.not_checked):
        assert found(report, OF_PASSES) == expected(by_moment(broken))
    for text in report.checked:
        if "past waiting jobs" in text:
            assert int(text.split()[0].replace(",", "")) == past
    if report.guarantees is not None:
        assert report.guarantees == Guarantees(*kept)
        assert found(report, ("guarantee",)) == expected(sorted(late, key=lambda item: _turn(item, policy)))


def _turn(broken_rule: Broken, policy: Policy) -> float:
    """Kept plans are told of in the order of jobs, other promises as they are broken."""
    return broken_rule.job if policy.depth == "kept" else 0.0


@settings(max_examples=100)
@given(traces(), st.integers(9, 12), checkable(), st.sampled_from([0.0, 0.5, 3.0]), st.data())
def test_passes_and_promises_on_a_pool(
    trace: Trace, cpus: int, policy: Policy, tolerance: float, data: st.DataObject
) -> None:
    cluster = Cluster.pool(cpus)
    table = data.draw(disturbed(table_of(simulate(trace, cluster, policy))))
    compare(table, cluster, policy, tolerance)


@settings(max_examples=80)
@given(traces(), st.sampled_from(["10c", "12c40g"]), st.sampled_from(PLANS), st.data())
def test_plans_on_a_pool(trace: Trace, machine: str, text: str, data: st.DataObject) -> None:
    cluster, policy = parse_cluster(machine), parse_policy(text)
    table = data.draw(disturbed(table_of(simulate(trace, cluster, policy))))
    compare(table, cluster, policy, 0.0)


@settings(max_examples=60)
@given(traces(), checkable(), st.data())
def test_the_order_of_starts_on_nodes(trace: Trace, policy: Policy, data: st.DataObject) -> None:
    cluster = parse_cluster("3x4c")
    assume(policy.horizon is None and policy.relaxed is None)
    table = data.draw(disturbed(table_of(simulate(trace, cluster, policy))))
    report = audit(table, cluster, policy)
    estimate = estimates(policy, trace)
    assert estimate is not None
    if not any("promises of" in text for text in report.not_checked):
        broken = promised(table, cluster, policy, estimate, 0.0)[2]
        assert found(report, OF_PASSES) == expected(by_moment(broken))


def test_starts_of_equal_jobs_go_by_nothing_but_the_schedule() -> None:
    """Of two jobs that differ by their index alone either may start first."""
    cluster, policy = Cluster.pool(4), parse_policy("fcfs")
    table = table_of(simulate(make_trace([0, 1, 1], [10, 10, 10], [4, 4, 4]), cluster, policy))
    swapped = replace(table, start=table.start[[0, 2, 1]], end=table.end[[0, 2, 1]])
    assert swapped.start.tolist() == [0, 20, 10]
    assert found(audit(swapped, cluster, policy), OF_PASSES) == {}
