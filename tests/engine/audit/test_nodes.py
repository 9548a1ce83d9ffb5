"""Schedules that say on which nodes jobs ran, as this program writes them."""

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings

from app.export.output import write_table
from engine.audit.audit import audit
from engine.audit.report import AuditReport
from engine.audit.table import read_table, recorded_table, table_of
from engine.machine.cluster import parse_cluster
from engine.policy.policy import parse_policy
from engine.quantities.job_table import schedule_table
from engine.simulation.run import simulate
from engine.trace import Pieces
from tests.engine.audit.tables import found, only
from tests.engine.simulation.workloads import Case, cases
from tests.traces import make_trace

CLUSTER = parse_cluster("2x8c1g")
TASKS = [[(1, 6, 100)], [(1, 6, 100)], [(1, 4, 100)], [(2, 1, 0)]]
TRACE = make_trace([0, 0, 1, 2], [10, 20, 5, 30], [6, 6, 4, 2], tasks=TASKS, cluster=CLUSTER)
ROWS = ["0,0,10,6,0:6c100m", "0,0,20,6,1:6c100m", "1,10,15,4,0:4c100m", "2,2,32,2,0-1:1c0m"]


def audited(
    folder: Path, rows: list[str], policy: str | None = "easy", cluster: str = "2x8c1g"
) -> AuditReport:
    lines = [f"{job},{row}" for job, row in enumerate(rows, 1)]
    path = folder / "schedule.csv"
    path.write_text("\n".join(["job_id,submit,start,end,procs,node_list", *lines]) + "\n")
    machine = parse_cluster(cluster)
    return audit(read_table(path, TRACE), machine, parse_policy(policy) if policy else None)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_an_exported_schedule_names_its_nodes(tmp_path: Path, suffix: str) -> None:
    policy = parse_policy("easy")
    path = tmp_path / f"schedule.{suffix}"
    write_table(schedule_table(simulate(TRACE, CLUSTER, policy)), path)
    report = audit(read_table(path, TRACE), CLUSTER, policy)
    assert report.clean
    assert report.guarantees is not None
    assert report.guarantees.kept == 1
    assert "every node" in report.checked


def test_a_schedule_of_a_pool_names_none() -> None:
    pool = parse_cluster("16c")
    names = [name for name, _ in schedule_table(simulate(TRACE, pool, parse_policy("easy")))]
    assert "node_list" not in names


def test_a_promise_on_nodes_is_checked_on_those_of_the_file(tmp_path: Path) -> None:
    assert audited(tmp_path, ROWS).clean
    # Job 3 fits on node 0 from 10 on; counted over all nodes, four processors are free at once.
    late = [*ROWS[:2], "1,12,17,4,0:4c100m", ROWS[3]]
    assert found(audited(tmp_path, late)) == {"guarantee": 1}


def test_a_node_that_holds_too_much(tmp_path: Path) -> None:
    twice = [ROWS[0], "0,0,20,6,0:6c100m", *ROWS[2:]]
    report = audited(tmp_path, twice, None)
    assert found(report) == {"over_node_cpus": 1}
    assert report.findings[0].cases[0].text == "13 of 8 in use on node 0, for 15 s"


@pytest.mark.parametrize(
    ("nodes", "kind", "text"),
    [
        ("0:5c100m", "nodes_cpus", "its nodes give it 5, not 6"),
        ("0:6c99m", "nodes_ram", "its nodes give it 99 MiB, not 100 MiB"),
    ],
)
def test_nodes_that_give_a_job_too_little(tmp_path: Path, nodes: str, kind: str, text: str) -> None:
    finding = only(audited(tmp_path, [f"0,0,10,6,{nodes}", *ROWS[1:]], None))
    assert (finding.kind, finding.count, finding.cases[0].job, finding.cases[0].text) == (kind, 1, "1", text)


@pytest.mark.parametrize(
    ("nodes", "cluster", "note"),
    [
        ("7:6c100m", "2x8c1g", "2x8c1g has 2 nodes, numbered from 0"),
        (
            "rack-7",
            "2x8c1g",
            "cannot read the nodes 'rack-7'; they are spelled like c017:8c, c[1-3]:2c128m or 0-5:2c",
        ),
        ("", "2x8c1g", "1 job of those that ran have none"),
    ],
)
def test_lists_that_say_nothing_of_this_machine_are_left_out(
    tmp_path: Path, nodes: str, cluster: str, note: str
) -> None:
    report = audited(tmp_path, [f"0,0,10,6,{nodes}", *ROWS[1:]], "easy", cluster)
    assert report.clean
    assert report.notes == (f"the lists of nodes are left out: {note}",)
    assert [text for text in report.not_checked if "does not say on which nodes" in text]


@settings(max_examples=30)
@given(case=cases())
def test_what_is_written_is_audited_as_what_was_simulated(case: Case) -> None:
    schedule = simulate(*case)
    assume(schedule.ran.any())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "schedule.csv")
        write_table(schedule_table(schedule), path)
        table = read_table(path, case[0])
    own, read = audit(table_of(schedule), *case[1:]), audit(table, *case[1:])
    assert read.findings == own.findings == ()
    assert (read.guarantees, read.not_checked) == (own.guarantees, own.not_checked)


@pytest.mark.parametrize("policy", ["easy", "just", "fcfs", "conservative"])
def test_a_log_names_nodes_but_not_the_ram_of_jobs_on_them(policy: str) -> None:
    nodes = Pieces(np.arange(3), {"node": np.array([0, 1]), "cpus": np.array([8, 8])})
    trace = replace(
        make_trace(
            [0, 1], [10, 20], [8, 8], wait=[0, 0], tasks=[[(1, 8, 600)], [(1, 8, 600)]], cluster=CLUSTER
        ),
        recorded_nodes=nodes,
    )
    report = audit(recorded_table(trace), CLUSTER, parse_policy(policy))
    assert report.clean
    assert "every node" in report.checked
    said = " ".join(report.not_checked)
    assert "RAM of single nodes: the schedule does not say how much jobs held of each node" in said
    assert f"guaranteed starts of {policy}: " in said
