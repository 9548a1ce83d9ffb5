"""GPUs as a resource that binds: five jobs counted by hand, the slow twin, and the audit."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from engine.audit.audit import audit
from engine.audit.reasons import false_reasons
from engine.audit.table import table_of
from engine.errors import InputError
from engine.fairness.eet import schedule_eet
from engine.logs.read import read_trace
from engine.machine.cluster import Cluster, parse_cluster
from engine.metrics.summary import summary
from engine.policy.penalty import penalties
from engine.policy.policy import parse_policy
from engine.policy.share import parse_share
from engine.schedule.explain import explain
from engine.schedule.instant import at_instant
from engine.schedule.schedule import COLUMNS, NOT_RUN, Decision, Schedule, split_short
from engine.simulation.recorded_run import recorded_schedule
from engine.simulation.refused_jobs import refused_jobs
from engine.simulation.run import simulate
from engine.simulation.workload import make_workload
from engine.trace import Pieces, Trace
from engine.trace.gpu_tasks import tasks_with_gpus
from tests.engine.schedule.test_wait_claims import check
from tests.engine.simulation.comparing import assert_equal_logs, assert_equal_schedules
from tests.engine.simulation.naive import NaiveSimulation
from tests.engine.simulation.workloads import Case, cases
from tests.traces import make_trace

COUNTS = st.lists(st.integers(1, 5), min_size=1, max_size=3)
TWO_NODES = parse_cluster("2x8c4gpu")


def five_jobs() -> Trace:
    """The third waits for GPUs, while CPUs are free; the last one needs all GPUs of both nodes."""
    return make_trace(
        [0, 0, 0, 10, 20],
        [100, 100, 50, 50, 10],
        [2, 2, 2, 8, 2],
        gpus=[4, 4, 2, 0, 8],
        user=["a", "b", "a", "b", "b"],
        cluster=TWO_NODES,
    )


def by_easy(trace: Trace, cluster: Cluster = TWO_NODES) -> Schedule:
    return simulate(trace, cluster, parse_policy("easy"))


def test_jobs_wait_for_gpus_while_processors_are_free() -> None:
    schedule = by_easy(five_jobs())
    assert schedule.start.tolist() == [0, 0, 100, 10, 150]
    without = by_easy(five_jobs(), parse_cluster("2x8c"))
    assert without.start.tolist() == [0, 0, 0, 10, 20]


def test_who_is_short_of_gpus_is_told_so() -> None:
    schedule = simulate(five_jobs(), TWO_NODES, parse_policy("easy"), log=True)
    assert [str(explain(schedule, job)) for job in (2, 4)] == [
        "1 min 40 s short of GPUs (2 of its 2 missing)",
        "2 min 10 s short of GPUs (2 to 8 of its 8 missing)",
    ]
    assert not false_reasons(schedule)
    rows = np.flatnonzero(schedule.log.kind == Decision.RESOURCE)
    assert split_short(int(schedule.log.value[rows[0]])) == (2, 2)
    value = schedule.log.value.astype(np.int64)
    value[rows] += COLUMNS  # a GPU more than were missing
    wrong = replace(schedule, log=replace(schedule.log, value=value))
    assert [found.kind for found in false_reasons(wrong)] == ["false_resource"]


def test_each_resource_has_its_utilization() -> None:
    values = summary(by_easy(five_jobs()))
    assert values["makespan"] == 160
    assert values["utilization"] == (200 + 200 + 100 + 400 + 20) / (16 * 160)
    assert values["utilization_gpu"] == (400 + 400 + 100 + 0 + 80) / (8 * 160)
    assert values["utilization_ram"] is None
    assert summary(by_easy(five_jobs(), parse_cluster("16c")))["utilization_gpu"] is None


def test_expected_ends_are_those_of_the_resource_that_is_met_last() -> None:
    trace, schedule = five_jobs(), by_easy(five_jobs())
    capacity = parse_share("4c2gpu").capacity(trace, TWO_NODES, schedule)
    assert capacity[:, [0, 2]].tolist() == [[4, 2], [4, 2]]
    # Of user a the first has 2 of the 4 GPUs it asks for up to 200, and the next 2 from then on. Of b the
    # fourth has 2 CPUs from 10, and 4 from 100 on: 180 + 4 x 55 = 400.
    assert schedule_eet(schedule, capacity).tolist() == [200, 200, 250, 155, 240]
    processors = parse_share("4c").capacity(trace, TWO_NODES, schedule)
    assert schedule_eet(schedule, processors).tolist() == [100, 100, 50, 155, 165]
    half = parse_share("1/2").capacity(trace, TWO_NODES, schedule)
    assert half[:, [0, 2]].tolist() == [[8, 4], [8, 4]]


def test_penalties_weigh_gpus_like_other_resources() -> None:
    trace = five_jobs()
    work = make_workload(trace, TWO_NODES, trace.walltime)
    cpus, gpus = np.array([2, 2, 2, 8, 2]) / 16, np.array([4, 4, 2, 0, 8]) / 8
    expected = {
        "cpu": cpus,
        "max": [0.5, 0.5, 0.25, 0.5, 1.0],
        "product": [0.5625, 0.5625, 0.34375, 0.5, 1.0],
        "sqrt": 1 - np.sqrt((1 - cpus) * (1 - gpus)),
        # Tasks of 2, 2, 1, 0 and 4 GPUs of a node's 4: half of it, a quarter, and one of 8 CPUs, all.
        "equivalent": [0.5, 0.5, 0.25, 0.5, 1.0],
    }
    for penalty, values in expected.items():
        assert penalties(work, penalty) == pytest.approx(values), penalty


def test_gpus_of_a_job_lie_with_its_tasks() -> None:
    groups = [[(4, 1, 0)], [(2, 1, 0)], [(1, 1, 5), (3, 1, 0)]]
    plain = make_trace([0, 0, 0], [1, 1, 1], [4, 2, 4], tasks=groups)
    dealt = tasks_with_gpus(plain.tasks, np.array([2, 5, 2]))
    rows = list(zip(*(dealt[name].tolist() for name in ("count", "cpus", "ram", "gpu")), strict=True))
    offset = dealt.offset.tolist()
    assert [rows[offset[j] : offset[j + 1]] for j in range(3)] == [
        [(2, 1, 0, 1), (2, 1, 0, 0)],
        [(1, 1, 0, 3), (1, 1, 0, 2)],
        [(1, 1, 5, 1), (1, 1, 0, 1), (2, 1, 0, 0)],
    ]


@settings(max_examples=60)
@given(st.lists(st.tuples(COUNTS, st.integers(-1, 12)), max_size=6))
def test_all_gpus_of_a_job_are_dealt_out_evenly(jobs: list[tuple[list[int], int]]) -> None:
    procs = [sum(counts) for counts, _ in jobs]
    tasks = [[(count, 1, 0) for count in counts] for counts, _ in jobs]
    trace = make_trace([0] * len(jobs), [1] * len(jobs), procs, tasks=tasks)
    dealt = tasks_with_gpus(trace.tasks, np.array([gpus for _, gpus in jobs], np.int64))
    for j, (counts, gpus) in enumerate(jobs):
        own = slice(dealt.offset[j], dealt.offset[j + 1])
        each = np.repeat(dealt["gpu"][own], dealt["count"][own])
        assert len(each) == sum(counts)
        assert each.sum() == max(gpus, 0)
        assert each.max() - each.min() <= 1


def test_a_job_with_more_gpus_a_task_than_any_node_has_is_refused() -> None:
    trace = make_trace([0, 0], [5, 5], [1, 4], gpus=[5, 8])
    assert refused_jobs(trace, TWO_NODES).tolist() == [True, False]
    assert by_easy(trace).start.tolist() == [NOT_RUN, 0]


def test_a_machine_is_spelled_with_gpus() -> None:
    cluster = parse_cluster("4x64c512g8gpus+2x64c")
    assert cluster.spelling == "4x64c512g8gpu+2x64c"
    assert cluster.resources == ("cpus", "ram", "gpu")
    assert cluster.total("gpu") == 32
    assert cluster.capacity()[:, 2].tolist() == [8, 8, 8, 8, 0, 0]
    assert parse_cluster("2x8c").resources == ("cpus",)
    assert parse_cluster("2x8c0gpu").resources == ("cpus",)
    with pytest.raises(InputError, match="names a resource twice"):
        parse_cluster("2x8c1gpu2gpus")
    with pytest.raises(InputError, match="cannot read the share"):
        parse_share("2x8c1gpu")


def test_a_log_s_gpus_are_simulated_where_the_machine_has_some(tmp_path: Path) -> None:
    text = "submit,runtime,procs,gpus,user\n0,100,2,2,a\n0,100,2,2,b\n0,100,2,,c\n"
    (tmp_path / "log.csv").write_text(text, "utf-8")
    trace = read_trace(tmp_path / "log.csv")
    assert by_easy(trace, parse_cluster("1x8c2gpu")).start.tolist() == [0, 100, 0]
    assert by_easy(trace, parse_cluster("8c")).start.tolist() == [0, 0, 0]


def test_an_instant_knows_what_gpus_are_left() -> None:
    schedule = by_easy(five_jobs())
    found = at_instant(schedule, 60)
    assert found.nodes is not None
    assert found.nodes.unusable == 12  # no node has a GPU for those that wait


def test_the_audit_finds_gpus_that_are_held_twice() -> None:
    trace = five_jobs()
    schedule = by_easy(trace)
    assert not audit(table_of(schedule), TWO_NODES).findings
    earlier = schedule.start.copy()
    earlier[2] = 50
    wrong = replace(schedule, start=earlier, end=earlier + trace.runtime)
    rules = {found.kind for found in audit(table_of(wrong), TWO_NODES).findings}
    assert {"over_gpu", "over_node_gpu"} <= rules


@settings(max_examples=80, phases=(Phase.generate,))  # shrinking takes minutes
@given(cases(max_jobs=14, order="fcfs", placement="first"), st.data())
def test_schedules_with_gpus_are_those_of_the_slow_twin(case: Case, data: st.DataObject) -> None:
    trace, cluster, policy = case
    gpus = data.draw(st.lists(st.integers(0, 4), min_size=len(trace), max_size=len(trace)))
    amounts = [data.draw(st.integers(1, 6)) for _ in cluster.groups]
    pairs = zip(cluster.groups, amounts, strict=True)
    groups = tuple(replace(group, extra=(("gpu", amount),)) for group, amount in pairs)
    dealt = replace(trace, tasks=tasks_with_gpus(trace.tasks, np.array(gpus)), gpus=np.array(gpus))
    machine = replace(cluster, groups=groups)
    naive = NaiveSimulation(dealt, machine, policy)
    naive.simulate()
    schedule = simulate(dealt, machine, policy, log=True)
    assert_equal_schedules(schedule, naive)
    assert_equal_logs(schedule, naive)
    assert not false_reasons(schedule)
    check(schedule)


def test_the_pass_after_a_start_names_the_processors_that_it_took() -> None:
    trace = make_trace([0, 0, 0], [100, 100, 50], [1, 2, 7], gpus=[4, 2, 0])
    machine, policy = parse_cluster("1x8c4gpu"), parse_policy("easy:pass_every=3")
    naive = NaiveSimulation(trace, machine, policy)
    naive.simulate()
    assert naive.reasons[:2] == [(0, 1, Decision.RESOURCE, 2 * COLUMNS + 2), (3, 1, Decision.CPUS, 2)]
    assert_equal_logs(simulate(trace, machine, policy, log=True), naive)


def test_a_recorded_schedule_on_named_nodes_has_the_gpus_of_its_jobs() -> None:
    nodes = Pieces(np.array([0, 2, 3, 3, 3, 3]), {"node": np.array([0, 1, 1]), "cpus": np.array([1, 1, 2])})
    trace = replace(five_jobs(), recorded_nodes=nodes, wait=np.zeros(5, np.int64))
    trace = replace(trace, tasks=tasks_with_gpus(trace.tasks, np.array([3, 4, 2, 0, 8])))
    schedule = recorded_schedule(trace, TWO_NODES)
    assert schedule.pieces["gpu"].tolist() == [2, 1, 4]
    assert schedule.pieces["node"].tolist() == [0, 1, 1]
