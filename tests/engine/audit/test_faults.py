"""One fault of each kind is planted in a sound schedule: it is found, and nothing else."""

import math
from dataclasses import replace

import numpy as np
import pytest

from engine.audit.audit import audit
from engine.audit.table import ScheduleTable
from engine.machine.cluster import Cluster, parse_cluster
from engine.policy.policy import parse_policy
from engine.trace import Pieces, Trace
from tests.engine.audit.tables import found, make_table, only
from tests.traces import make_trace

# Jobs 1 to 4 on a pool of 10: 1 holds 6 until 100, 2 waits for all ten, 3 goes past it and
# ends in time, 4 would not.
TRACE = make_trace([0, 1, 2, 3], [100, 10, 90, 150], [6, 10, 2, 2], cluster=Cluster.pool(10))
EASY = [0, 100, 2, 110]
FCFS = [0, 100, 110, 110]
POOL = TRACE.cluster


def clean(table: ScheduleTable, policy: str = "easy") -> bool:
    return audit(table, POOL, parse_policy(policy)).clean


def test_sound_schedules_have_no_finding() -> None:
    easy = audit(make_table(TRACE, EASY), POOL, parse_policy("easy"))
    assert easy.clean
    assert easy.ran == easy.jobs == 4
    assert easy.guarantees is not None
    assert (easy.guarantees.made, easy.guarantees.kept) == (2, 2)
    assert clean(make_table(TRACE, FCFS), "fcfs")


def test_a_missing_job() -> None:
    report = audit(make_table(TRACE, [0, 100, math.nan, 110]), POOL, parse_policy("easy"))
    finding = only(report)
    assert (finding.kind, finding.count) == ("missing", 1)
    assert (finding.cases[0].job, finding.cases[0].time) == ("3", 2)
    assert report.ran == 3


def test_a_job_too_large_for_the_machine_is_not_missing() -> None:
    trace = make_trace([0, 0, 1], [10, 10, 10], [4, 40, 4])
    report = audit(make_table(trace, [0, math.nan, 1]), Cluster.pool(8))
    assert report.clean
    assert report.refused == 1


@pytest.mark.parametrize(
    ("cluster", "tasks"), [("3x4c", (1, 6, 0)), ("3x4c", (4, 3, 0)), ("2x8c1g", (1, 1, 2000))]
)
def test_a_job_that_no_node_holds_is_not_missing(cluster: str, tasks: tuple[int, int, int]) -> None:
    trace = make_trace([0, 0], [10, 10], [tasks[0] * tasks[1], 1], tasks=[[tasks], [(1, 1, 0)]])
    report = audit(make_table(trace, [math.nan, 0]), parse_cluster(cluster))
    assert report.clean
    assert report.refused == 1


def test_an_unknown_job() -> None:
    table = make_table(TRACE, [*EASY, 50], ids=[1, 2, 3, 4, "x5"])
    finding = only(audit(table, POOL))
    assert (finding.kind, finding.count, finding.cases[0].job) == ("unknown", 1, "x5")


def test_a_job_run_twice() -> None:
    table = make_table(TRACE, [*EASY, 500], ids=[1, 2, 3, 4, 2])
    finding = only(audit(table, POOL, parse_policy("easy")))
    assert (finding.kind, finding.count, finding.cases[0].job, finding.cases[0].time) == (
        "twice",
        1,
        "2",
        500,
    )


def test_equal_ids_in_the_trace_are_taken_in_turn() -> None:
    trace = replace(TRACE, job_id=np.array([7, 7, 7, 7]))
    assert audit(make_table(trace, EASY), POOL).clean


def test_a_job_that_starts_before_its_submission() -> None:
    trace = make_trace([0, 50], [10, 10], 1, cluster=POOL)
    finding = only(audit(make_table(trace, [0, 48], submit=[0, 50]), POOL))
    assert (finding.kind, finding.count, finding.worst, finding.cases[0].job) == ("early", 1, 2, "2")
    assert audit(make_table(trace, [0, 48], submit=[0, 50]), POOL, tolerance=2).clean


def test_a_submission_at_another_time() -> None:
    """Also of a job that is not run; what is off by a part of a second fell into that second."""
    trace = make_trace([0, 5, 9, 12], [10, 10, 4, 1], [6, 6, 2, 40], cluster=POOL)
    start = [0, 10, 10, math.nan]
    finding = only(audit(make_table(trace, start, submit=[0, 5, 8.1, 512]), POOL))
    assert (finding.kind, finding.count, finding.worst, finding.cases[0].job) == ("submit", 1, 500, "4")
    assert finding.cases[0].text == "is listed as submitted at 512 s, not at 12 s"
    report = audit(make_table(trace, start, submit=[0, 5, 8.1, 512]), POOL, tolerance=500)
    assert report.clean
    assert "submissions" in report.checked


def test_a_job_that_runs_too_long() -> None:
    finding = only(audit(make_table(TRACE, EASY, end=[100, 110, 92, 261]), POOL))
    assert (finding.kind, finding.count, finding.worst, finding.cases[0].job) == ("duration", 1, 1, "4")
    assert "ran for 151 s, not 150 s" in finding.cases[0].text
    assert audit(make_table(TRACE, EASY, end=[100, 110, 92, 261]), POOL, tolerance=1).clean


def test_a_job_that_runs_on_too_few_processors() -> None:
    finding = only(audit(make_table(TRACE, EASY, procs=[6, 10, 2, 1]), POOL))
    assert (finding.kind, finding.count, finding.worst) == ("processors", 1, 1)


def test_a_fraction_of_a_processor_is_too_much() -> None:
    finding = only(audit(make_table(TRACE, EASY, procs=[6, 10, 2.9, 2]), POOL))
    assert (finding.kind, finding.count, finding.worst) == ("processors", 1, 0.9)
    assert finding.cases[0].text == "ran on 2.9 processors, not 2"
    _, over = audit(make_table(TRACE, EASY, procs=[8.9, 10, 2, 2]), POOL).findings
    assert (over.kind, over.worst, over.cases[0].text) == ("over_cpus", 0.9, "10.9 of 10 in use, for 90 s")


@pytest.mark.parametrize("procs", [-4, 0])
def test_a_job_on_fewer_than_no_processors_hides_no_others(procs: int) -> None:
    trace = make_trace([0, 0, 1], [10, 10, 10], [5, 6, 4], cluster=POOL)
    kinds = audit(make_table(trace, [0, 0, 1], procs=[5, 6, procs]), POOL).findings
    assert [kind.kind for kind in kinds] == ["processors", "over_cpus"]
    assert kinds[0].cases[0].text == f"ran on {procs} processors, not 4"
    assert kinds[1].cases[0].text == "11 of 10 in use, for 10 s"


def test_minus_one_processor_says_nothing() -> None:
    report = audit(make_table(TRACE, EASY, procs=[6, 10, 2, -1]), POOL)
    assert report.clean
    assert "processors of 1 run: the schedule does not say them" in report.not_checked


def test_a_runtime_that_contradicts_start_and_end() -> None:
    finding = only(audit(make_table(TRACE, EASY, runtime=[100, 10, 95, 150]), POOL))
    assert (finding.kind, finding.count, finding.worst, finding.cases[0].job) == ("runtime_column", 1, 5, "3")
    assert finding.cases[0].text == "its runtime is listed as 95 s; by its times it is 90 s"
    tolerant = audit(make_table(TRACE, EASY, runtime=[100, 10, 95, -1]), POOL, tolerance=5)
    assert tolerant.clean
    assert "runtimes that are listed beside the times" in tolerant.checked
    without_ends = audit(make_table(TRACE, EASY, ids=[1, 2, 3, 4], runtime=TRACE.runtime.tolist()), POOL)
    assert "durations" in without_ends.checked
    assert "runtimes that are listed beside the times" not in without_ends.checked


@pytest.mark.parametrize("submit", [None, [17, 18, 19, 20]])
def test_a_wait_that_contradicts_submission_and_start(submit: list[float] | None) -> None:
    """Also on another clock than the trace's, and where the file gives no submissions."""
    start = np.array(EASY) + 17
    finding = only(audit(make_table(TRACE, start.tolist(), submit=submit, wait=[0, 97, 0, 107]), POOL))
    assert (finding.kind, finding.count, finding.worst, finding.cases[0].job) == ("wait_column", 1, 2, "2")
    assert finding.cases[0].text == "its wait is listed as 97 s; by its times it is 99 s"
    assert audit(make_table(TRACE, EASY, wait=[0, -1, 0, 107]), POOL).clean


def test_processors_in_use_beyond_the_machine() -> None:
    finding = only(audit(make_table(TRACE, [0, 95, 2, 110]), POOL))
    assert (finding.kind, finding.count, finding.worst) == ("over_cpus", 1, 6)
    assert finding.cases[0].time == 95
    assert finding.cases[0].text == "16 of 10 in use, for 5 s"


def test_each_maximal_interval_counts_once() -> None:
    # Between 20 and 30, and from 40 on: at 40 to 60 the excess changes, but it is one interval.
    trace = make_trace([0, 0, 0, 0], [100, 10, 60, 20], [8, 4, 4, 4], cluster=POOL)
    finding = only(audit(make_table(trace, [0, 20, 40, 40]), POOL))
    assert (finding.kind, finding.count, finding.worst) == ("over_cpus", 2, 6)
    assert [case.time for case in finding.cases] == [20, 40]
    assert finding.cases[1].text == "16 of 10 in use, for 60 s"


def test_ram_in_use_beyond_the_machine() -> None:
    trace = make_trace([0, 1], [10, 10], 1, tasks=[[(1, 1, 700)], [(1, 1, 700)]])
    finding = only(audit(make_table(trace, [0, 9]), parse_cluster("8c1g")))
    assert (finding.kind, finding.count, finding.worst) == ("over_ram", 1, 1400 - 1024)
    assert "1,400 of 1,024 MiB in use, for 1 s" in finding.cases[0].text
    assert audit(make_table(trace, [0, 10]), parse_cluster("8c1g")).clean


@pytest.mark.parametrize(("cpus", "ram", "kind"), [(3, 100, "over_node_cpus"), (1, 700, "over_node_ram")])
def test_a_node_that_holds_too_much(cpus: int, ram: int, kind: str) -> None:
    trace = make_trace([0, 5], [10, 10], cpus, tasks=[[(1, cpus, ram)], [(1, cpus, ram)]])
    cluster = parse_cluster("2x4c1g")

    def on(nodes: list[int]) -> ScheduleTable:
        columns = {"node": np.array(nodes), "cpus": np.full(2, cpus), "ram": np.full(2, ram)}
        return replace(make_table(trace, [0, 5]), pieces=Pieces(np.arange(3), columns))

    assert audit(on([0, 1]), cluster).clean
    finding = only(audit(on([1, 1]), cluster))
    assert (finding.kind, finding.count, finding.cases[0].time) == (kind, 1, 5)
    assert "on node 1, for 5 s" in finding.cases[0].text


def test_a_job_that_passes_another_under_fcfs() -> None:
    report = audit(make_table(TRACE, [0, 100, 2, 110]), POOL, parse_policy("fcfs"))
    finding = only(report)
    assert (finding.kind, finding.count) == ("order", 1)
    assert (finding.cases[0].job, finding.cases[0].text) == ("3", "passed job 2, which waited")


def test_jobs_of_one_second_pass_nobody() -> None:
    trace = make_trace([0, 1, 1], [10, 10, 10], [10, 6, 6], cluster=POOL)
    assert found(audit(make_table(trace, [0, 20, 10]), POOL, parse_policy("fcfs"))) == {"guarantee": 1}


def test_a_guarantee_that_a_backfilled_job_breaks() -> None:
    # Job 4 may not start at 3: it keeps two processors until 153, and job 2 needs all ten at 100.
    report = audit(make_table(TRACE, [0, 153, 2, 3]), POOL, parse_policy("easy"))
    passer, finding = report.findings
    assert (passer.kind, passer.count, passer.worst, passer.cases[0].job) == ("reservation", 1, 107, "4")
    assert passer.cases[0].text == (
        "passed job 2, which waited, and fits beside the reservations only from 110 s on"
    )
    assert (finding.kind, finding.count, finding.worst) == ("guarantee", 1, 53)
    assert (finding.cases[0].job, finding.cases[0].time) == ("2", 153)
    assert "guaranteed at 1 s to start by 100 s: 53 s late" in finding.cases[0].text
    assert report.guarantees is not None
    assert (report.guarantees.made, report.guarantees.broken) == (1, 1)
    assert audit(make_table(TRACE, [0, 153, 2, 3]), POOL, parse_policy("aggressive")).clean


def test_a_plan_that_is_not_kept() -> None:
    # Planned at submission: 100, 2 and 110; job 4 goes first nevertheless.
    policy = parse_policy("easy").with_keys(depth="kept")
    assert audit(make_table(TRACE, [0, 100, 2, 110]), POOL, policy).clean
    report = audit(make_table(TRACE, [0, 153, 2, 3]), POOL, policy)
    finding = only(report)
    assert (finding.kind, finding.count, finding.worst, finding.cases[0].job) == ("guarantee", 1, 53, "2")
    assert report.guarantees is not None
    assert (report.guarantees.made, report.guarantees.kept) == (4, 3)


def overrun() -> Trace:
    return make_trace([0, 1], [100, 10], [6, 10], walltime=[50, 10], cluster=POOL)


@pytest.mark.parametrize("depth", ["1", "kept"])
def test_a_job_that_outlives_its_estimate_excuses_who_waited_for_it(depth: str) -> None:
    report = audit(make_table(overrun(), [0, 100]), POOL, parse_policy("easy").with_keys(depth=depth))
    assert report.clean
    assert report.guarantees is not None
    assert report.guarantees.excused == 1
    assert any("outlived an estimate" in text for text in report.not_checked)


def test_a_guarantee_lapses_when_a_job_comes_that_goes_first() -> None:
    # Job 2 (area 100) is first in the queue until job 3 (area 60) comes and goes first.
    trace = make_trace([0, 1, 2], [10, 10, 6], [8, 10, 10], cluster=POOL)
    report = audit(make_table(trace, [0, 16, 10]), POOL, parse_policy("saf-easy"))
    assert report.clean
    assert report.guarantees is not None
    assert (report.guarantees.made, report.guarantees.kept, report.guarantees.lapsed) == (3, 2, 1)
