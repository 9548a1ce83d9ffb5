"""Jobs that wait while they could have started: planted in schedules, and absent where policies say so."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.audit.audit import audit
from engine.audit.table import table_of
from engine.machine.cluster import Cluster, parse_cluster
from engine.policy.policy import parse_policy
from engine.simulation.run import simulate
from engine.trace import Trace
from tests.engine.audit.tables import found, make_table, only
from tests.engine.simulation.workloads import Case, cases, traces
from tests.traces import make_trace

POOL = Cluster.pool(10)
TRACE = make_trace([0, 1, 2], [10, 10, 5], [6, 10, 2], cluster=POOL)
IDLE, FILLED = (
    f"that no job waits {why}"
    for why in ("while the machine is idle", "for which enough processors are free")
)
BEST = "conservative:gap=best"
# The fifth job ends early and the sixth as expected: nothing else is an event before the second job's plan.
LEFT_IDLE = make_trace(
    [1, 4, 21, 26, 26, 34, 49],
    [2301, 17, 1870, 849, 240, 1, 1],
    [3, 4, 1, 1, 1, 4, 4],
    walltime=[6904, 17, 1870, 849, 240, 4, 1],
    cluster=Cluster.pool(4),
)


def test_an_idle_machine_is_found_under_each_policy() -> None:
    for name in ("fcfs", "aggressive", "conservative:gap=best", "plan-search"):
        report = audit(make_table(TRACE, [0, 14, 24]), POOL, parse_policy(name))
        finding = next(finding for finding in report.findings if finding.kind == "idle")
        assert (finding.count, finding.worst, finding.cases[0].job, finding.cases[0].time) == (1, 4, "2", 10)
        assert finding.cases[0].text == "nothing runs for 4 s while the job waits"
        assert IDLE in report.checked


def test_a_machine_is_idle_for_a_job_from_its_submission_on() -> None:
    trace = make_trace([0, 30, 40], [10, 10, 5], [6, 10, 2], cluster=POOL)
    finding = only(audit(make_table(trace, [0, 35, 45]), POOL, parse_policy(BEST)))
    assert (finding.count, finding.worst, finding.cases[0].time) == (1, 5, 30)
    assert audit(make_table(trace, [0, 35, 45]), POOL, parse_policy(BEST), tolerance=5).clean
    assert audit(make_table(trace, [0, 30, 40]), POOL, parse_policy(BEST)).clean


def test_the_machine_is_idle_also_before_the_first_job_starts() -> None:
    finding = only(audit(make_table(TRACE, [3, 13, 23]), POOL, parse_policy(BEST)))
    assert (finding.count, finding.worst, finding.cases[0].job, finding.cases[0].time) == (1, 3, "1", 0)


def test_of_the_jobs_that_wait_for_an_idle_machine_the_oldest_is_named() -> None:
    trace = make_trace([0, 1, 2, 3], [10] * 4, [10] * 4, cluster=POOL)
    finding = only(audit(make_table(trace, [0, 33, 13, 23]), POOL, parse_policy(BEST)))
    assert (finding.count, finding.worst, finding.cases[0].job) == (1, 3, "2")


def test_passes_at_an_interval_may_leave_the_machine_idle_for_as_long() -> None:
    trace = make_trace([0, 1], [5, 5], [10, 10], cluster=POOL)
    policy = parse_policy("easy").with_keys(pass_every="7")
    assert "idle" not in found(audit(make_table(trace, [0, 7]), POOL, policy))
    assert found(audit(make_table(trace, [0, 14]), POOL, policy)) == {"idle": 1}


def test_what_promises_nothing_is_not_asked() -> None:
    table = make_table(TRACE, [0, 14, 24])
    for policy in (None, parse_policy("recorded")):
        assert audit(table, POOL, policy).clean
    failing = parse_cluster("10x1c~30d/4h")
    assert IDLE not in audit(table, failing, parse_policy("fcfs")).checked


def test_processors_that_are_free_for_a_waiting_job_are_found() -> None:
    # Two processors would do for the third job, which waits beside four free ones until it starts at 7.
    table = make_table(TRACE, [0, 12, 7])
    report = audit(table, POOL, parse_policy("aggressive"))
    finding = only(report)
    assert (finding.kind, finding.count, finding.worst) == ("idle_processors", 1, 5)
    assert (finding.cases[0].job, finding.cases[0].time) == ("3", 2)
    assert finding.cases[0].text == "enough processors are free for 5 s while the job waits"
    assert FILLED in report.checked
    assert audit(table, POOL, parse_policy("aggressive"), tolerance=5).clean
    assert audit(make_table(TRACE, [0, 10, 2]), POOL, parse_policy("aggressive")).clean


def test_free_processors_are_asked_for_where_they_alone_decide() -> None:
    table = make_table(TRACE, [0, 12, 7])
    for name in ("easy:depth=0,max_user_jobs=1", "easy:depth=0,test_limit=1", "easy:depth=0,pass_every=3"):
        assert FILLED not in audit(table, POOL, parse_policy(name)).checked
    for spec in ("10c1g", "2x5c"):
        assert FILLED not in audit(table, parse_cluster(spec), parse_policy("aggressive")).checked


def test_a_kept_plan_is_pulled_forward_after_an_end_that_came_as_expected() -> None:
    for name in (BEST, "plan:gap=best", "conservative", "plan"):
        schedule = simulate(LEFT_IDLE, LEFT_IDLE.cluster, parse_policy(name))
        assert "idle" not in found(audit(table_of(schedule), schedule.cluster, schedule.policy)), name
    start = simulate(LEFT_IDLE, LEFT_IDLE.cluster, parse_policy(BEST)).start
    assert start.tolist() == [1, 2742, 21, 1891, 2302, 2740, 2741]


@settings(max_examples=60)
@given(cases(depth="kept", gap="best"))
def test_kept_plans_leave_no_machine_idle(case: Case) -> None:
    trace, cluster, policy = case
    cluster = replace(cluster, failures=None)
    report = audit(table_of(simulate(trace, cluster, policy)), cluster, policy)
    assert report.findings == ()
    assert IDLE in report.checked


@settings(max_examples=60)
@given(
    traces(),
    st.integers(9, 12),
    st.sampled_from(("aggressive", "aggressive:order=sjf", "aggressive:gate=on")),
)
def test_without_reservations_no_processors_are_kept_from_any_job(trace: Trace, cpus: int, name: str) -> None:
    pool, policy = Cluster.pool(cpus), parse_policy(name)
    schedule = simulate(trace, pool, policy)
    report = audit(table_of(schedule), pool, policy)
    assert report.findings == ()
    assert FILLED in report.checked


@settings(max_examples=60)
@given(traces(), st.integers(9, 24), st.integers(1, 40))
def test_a_delayed_job_is_found_where_processors_were_free(trace: Trace, cpus: int, delay: int) -> None:
    """By the definition, second by second: the last job to start is put off, and nothing else changes."""
    pool = Cluster.pool(max(cpus, int(trace.procs.max())))
    schedule = simulate(trace, pool, parse_policy("aggressive"))
    last = int(np.argmax(schedule.start))
    late = schedule.start.copy()
    late[last] += delay
    table = make_table(trace, late.tolist(), submit=trace.submit.tolist())
    report = audit(table, pool, parse_policy("aggressive"))
    assert found(report).get("idle", 0) == int(_is_idle(trace, late, last))
    assert found(report)["idle_processors"] == 1


def _is_idle(trace: Trace, start: np.ndarray, last: int) -> bool:
    """Whether nothing runs in some second in which the job that starts last waits."""
    running = [
        bool(((start <= second) & (second < start + trace.runtime)).any())
        for second in range(int(trace.submit[last]), int(start[last]))
    ]
    return not all(running)
