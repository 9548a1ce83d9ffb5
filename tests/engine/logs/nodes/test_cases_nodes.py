"""Nodes of real logs: which there are, how large they are, and on which of them jobs ran."""

from pathlib import Path

import numpy as np
import pytest

from engine.reading.options import Reading
from engine.reading.read import read_log_as
from engine.schedule.schedule import Schedule
from engine.simulation.recorded_run import recorded_schedule
from engine.slurm.conf.slurm_conf import read_slurm_conf
from engine.trace import Trace
from tests.paths import SHARED, needs

REAL, FILES = SHARED / "cases/real-slurm", SHARED / "cases/files"
REFERENCE = SHARED / "reference/slurm"
HEADER = "JobID|User|Submit|Start|End|State|NNodes|NCPUS|ReqTRES|AllocTRES|NodeList"


def read(path: Path, conf: Path | None = None) -> Trace:
    return read_log_as(path, Reading(machine=str(conf) if conf else "")).trace


def log(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "sacct.txt"
    path.write_text("\n".join((HEADER, *lines)) + "\n")
    return path


def line(job: str, start: int, end: int, cpus: int, hosts: str, nodes: int = 1, gpus: int = 0) -> str:
    """A job of `cpus` on `hosts`, or a step of it, from minute to minute."""
    tres = f"cpu={cpus},node={nodes}" + (f",gres/gpu={gpus}" if gpus else "")
    times = [f"2026-03-02T08:{minute:02}:00" for minute in (0, start, end)]
    return "|".join((job, "anna", *times, "COMPLETED", str(nodes), str(cpus), tres, tres, hosts))


def sizes(trace: Trace) -> dict[str, int]:
    return dict(zip(trace.cluster.node_names(), trace.cluster.node_cpus().tolist(), strict=True))


def placed(trace: Trace) -> dict[str, dict[str, int]]:
    """The nodes of each job, with the CPUs that it had there."""
    nodes = trace.recorded_nodes
    assert nodes is not None
    found = {}
    for k, job in enumerate(trace.job_id.tolist()):
        own = slice(nodes.offset[k], nodes.offset[k + 1])
        names = [trace.cluster.node_name(node) for node in nodes["node"][own].tolist()]
        found[str(job)] = dict(zip(names, nodes["cpus"][own].tolist(), strict=True))
    return found


def counts(trace: Trace) -> dict[str, int]:
    return {note.rule: note.count for note in trace.notes if note.count}


def in_use(schedule: Schedule, node: int) -> int:
    """The jobs that a recorded schedule has on a node."""
    return len(schedule.jobs_on(node))


@needs(REAL / "uneven.txt")
def test_rs06_the_first_share_is_that_of_the_batch_step() -> None:
    trace = read(REAL / "uneven.txt")
    jobs = placed(trace)
    assert jobs["182"] == {"n1": 6, "n2": 2}
    assert jobs["195"]["g1"] == 8
    assert sum(jobs["195"].values()) == 16
    assert max(sizes(trace).values()) == 8
    assert sum(sizes(trace).values()) == 24  # of the 32 that the four nodes have
    assert set(sizes(trace)) == {"g1", "g2", "n1", "n2"}
    on_real = read(REAL / "uneven.txt", REAL / "nodes.conf")
    assert placed(on_real)["195"] == {"g1": 8, "g2": 6, "n1": 2}  # n1 has no more beside the 6 of 182
    assert "over_capacity" not in counts(on_real)


@needs(REAL / "nodes.txt")
def test_rs05_jobs_lie_on_the_nodes_of_their_names() -> None:
    trace = read(REAL / "nodes.txt", REAL / "nodes.conf")
    jobs = placed(trace)
    with_gpus = {str(job) for job, gpus in zip(trace.job_id, trace.gpus, strict=True) if gpus > 0}
    assert len(with_gpus) == 6
    assert {name for job in with_gpus for name in jobs[job]} == {"g1", "g2"}
    assert jobs["430"] == dict.fromkeys(("n1", "n2", "n3", "n4"), 8)
    gpus = {group.name: dict(group.extra).get("gpu", 0) for group in trace.cluster.groups}
    assert (gpus["g1"], gpus["g2"]) == (4, 2)
    assert not {"over_gpu", "unknown_nodes"} & set(counts(trace))
    assert sizes(read(REAL / "nodes.txt"))["g1"] == 2  # that is all that the log tells


@pytest.mark.parametrize("conf", ["", "other-formats/slurm-gpu.conf"])
@needs(FILES / "hosts.sacct.log")
def test_ad01_four_jobs_ran_on_c017(conf: str) -> None:
    trace = read(FILES / "hosts.sacct.log", SHARED / conf if conf else None)
    node = trace.cluster.find_node("c017")
    assert node is not None
    assert trace.cluster.node_name(node) == "c017"
    assert in_use(recorded_schedule(trace, trace.cluster), node) == 4
    assert node == (16 if conf else 1)


@pytest.mark.parametrize("cluster", ["micro", "fifo"])
@pytest.mark.parametrize("kind", ["txt", "json"])
@needs(REFERENCE / "fifo/sacct.txt.gz")
def test_real_machines_are_found_again(cluster: str, kind: str) -> None:
    conf = read_slurm_conf(REFERENCE / cluster / "slurm.conf").machine
    trace = read(REFERENCE / cluster / f"sacct.{kind}.gz")
    true = dict(zip(conf.node_names(), conf.node_cpus().tolist(), strict=True))
    assert sizes(trace) == true
    for job, own in placed(trace).items():
        assert set(own) <= set(true), job


def test_shares_are_known_of_the_first_node_and_of_what_is_left(tmp_path: Path) -> None:
    trace = read(
        log(
            tmp_path,
            line("1", 0, 9, 10, "a[1-2]", 2),
            line("1.batch", 0, 9, 7, "a1"),
            line("1.extern", 0, 9, 10, "a[1-2]", 2),
            line("2", 10, 19, 10, "a[1-2]", 2),
            line("2.batch", 10, 19, 3, "a2"),  # where the script ran, whichever stands first
            line("3_7", 20, 29, 12, "a[1-3]", 3),
            line("3_7.batch", 20, 29, 6, "a1"),
        )
    )
    assert placed(trace) == {
        "1": {"a1": 7, "a2": 3},
        "2": {"a1": 7, "a2": 3},
        "3_7": {"a1": 6, "a2": 3, "a3": 3},
    }
    assert sizes(trace) == {"a1": 7, "a2": 3, "a3": 3}
    assert "machine_uncertain" not in counts(trace)
    assert counts(trace)["free_tasks_uneven"] == 3  # as tasks of 5 CPUs the first would fit nowhere
    assert set(trace.tasks["cpus"].tolist()) == {1}


def test_even_jobs_keep_a_share_on_each_node(tmp_path: Path) -> None:
    trace = read(
        log(
            tmp_path,
            line("1", 0, 9, 9, "a[1-2]", 2),
            line("1.batch", 0, 9, 5, "a1"),
            line("2", 10, 19, 16, "a[1-2]", 2),
            line("3", 10, 19, 12, "g[1-2]", 2, gpus=2),
            line("4", 30, 39, 8, "g1"),
        )
    )
    assert sizes(trace) == {"a1": 8, "a2": 8, "g1": 8, "g2": 6}
    assert placed(trace)["1"] == {"a1": 5, "a2": 4}
    groups = zip(trace.tasks["count"].tolist(), trace.tasks["cpus"].tolist(), strict=True)
    assert list(groups) == [(1, 5), (1, 4), (2, 8), (2, 6), (1, 8)]


def test_a_last_run_has_its_own_first_share(tmp_path: Path) -> None:
    lines = [
        line("1", 0, 3, 8, "a[1-2]", 2).replace("COMPLETED", "NODE_FAIL"),
        line("1.batch", 0, 3, 6, "a1"),
        line("1", 5, 9, 8, "a[1-2]", 2),
        line("1.batch", 5, 9, 3, "a1"),
    ]
    assert placed(read(log(tmp_path, *lines, line("2", 0, 9, 1, "a1")))) == {
        "1": {"a1": 3, "a2": 5},
        "2": {"a1": 1},
    }


def test_a_conf_has_fewer_nodes_than_the_log(tmp_path: Path) -> None:
    conf = tmp_path / "slurm.conf"
    conf.write_text(
        "NodeName=c[001-004] CPUs=8\nNodeName=g[1-2] CPUs=8 Gres=gpu:2\nPartitionName=p Nodes=ALL\n"
    )
    path = log(
        tmp_path,
        line("1", 0, 9, 8, "c003"),
        line("2", 0, 9, 2, "g2", gpus=2),
        line("3", 0, 9, 8, "c[004-005]", 2),
        line("4", 10, 19, 8, "x9"),
        line("5", 10, 19, 16, "c[001-002]", 2),
    )
    trace = read(path, conf)
    assert placed(trace) == {
        "1": {"c003": 8},
        "2": {"g2": 2},
        "3": {},
        "4": {},
        "5": {"c001": 8, "c002": 8},
    }
    (note,) = (note for note in trace.notes if note.rule == "unknown_nodes")
    assert (note.count, note.lines) == (2, (4, 5))
    assert "2 of 7 nodes: c005, x9" in note.text
    assert [group.name for group in trace.cluster.groups] == ["c", "g"]


def test_a_spelled_machine_keeps_the_names_of_the_log(tmp_path: Path) -> None:
    """The log's own nodes with more CPUs each."""
    path = log(tmp_path, line("1", 0, 9, 8, "c003"), line("2", 0, 9, 8, "c017"))
    read_log = read_log_as(path, Reading(machine="2x64c"))
    assert read_log.cluster.node_names() == ["c003", "c017"]
    schedule = recorded_schedule(read_log.trace, read_log.cluster)
    assert [in_use(schedule, node) for node in (0, 1)] == [1, 1]
    pool = read_log_as(path, Reading(machine="128c"))
    assert not recorded_schedule(pool.trace, pool.cluster).pieces["node"].any()


def test_pbs_logs_tell_the_hosts_too(tmp_path: Path) -> None:
    path = tmp_path / "20260302"
    path.write_text(
        "03/02/2026 09:00:00;E;7.srv;user=anna queue=q ctime=1772438400 qtime=1772438400 etime=1772438400 "
        "start=1772438460 exec_host=node12/0*6+node07/0*2 Resource_List.ncpus=8 Resource_List.nodect=2 "
        "session=1 end=1772442000 Exit_status=0 resources_used.walltime=00:59:00\n"
    )
    trace = read(path)
    assert list(placed(trace).values()) == [{"node12": 6, "node07": 2}]
    assert trace.tasks["cpus"].tolist() == [1]  # else it would not fit where it ran
    assert sizes(trace) == {"node12": 6, "node07": 2}


def test_nodes_of_one_size_are_in_order(tmp_path: Path) -> None:
    hosts = ("c10", "c9", "c1")
    trace = read(log(tmp_path, *(line(str(k), 0, 9, 8, host) for k, host in enumerate(hosts, 1))))
    assert trace.cluster.node_names() == ["c1", "c9", "c10"]
    assert np.all(trace.cluster.node_cpus() == 8)


@needs(REFERENCE / "fifo")
def test_jobs_of_real_slurm_lie_on_nodes_that_hold_them() -> None:
    """At most one CPU too much, at one instant, which a note tells of."""
    for name, most in (
        ("fifo/sacct", 0),
        ("fifo/sacct.run2", 6),
        ("micro/sacct", 0),
        ("micro/sacct.run2", 0),
    ):
        for conf in (None, REFERENCE / name.partition("/")[0] / "slurm.conf"):
            trace = read(REFERENCE / f"{name}.txt.gz", conf)
            assert trace.cluster.cpus == 120
            assert counts(trace).get("overfull_nodes", 0) <= most
