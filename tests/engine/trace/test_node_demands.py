"""Whole nodes and features of nodes: how logs and machines tell that jobs took them."""

import numpy as np
import pytest

from engine.logs.read import read_records
from engine.machine.cluster import Cluster, NodeGroup, parse_cluster
from engine.policy.policy import parse_policy
from engine.simulation.run import simulate
from engine.slurm.conf.select import NodeUse
from engine.trace import Trace
from engine.trace.clean import clean_records
from engine.trace.trace import WHOLE_PACKED
from tests.engine.logs.lines import counts, line, read_lines, write_log
from tests.engine.logs.sacct.dumps import FIELDS, clock, job, read_jobs

FOUR = Cluster((NodeGroup(4, 8),))
COLUMNS = ("count", "cpus", "whole")


def groups(trace: Trace) -> list[tuple[int, ...]]:
    return list(zip(*(trace.tasks[name].tolist() for name in COLUMNS), strict=True))


def exclusive(number: int, asked: int, given: int, nodes: str, count: int = 1, **more: object) -> str:
    """A job that asked for so many CPUs and was given others."""
    values = {"JobID": number, "ReqCPUS": asked, "NCPUS": given, "NodeList": nodes, "NNodes": count}
    return job(**values, ReqTRES=f"cpu={asked},node={count}", **more)


def test_whole_nodes_are_those_of_which_a_job_had_all_cpus_and_asked_for_fewer(tmp_path):
    lines = [
        exclusive(1, 1, 8, "n1"),
        exclusive(2, 6, 16, "n[2-3]", 2),
        exclusive(3, 8, 8, "n4"),  # it asked for all of them
        exclusive(4, 2, 4, "n4"),  # and had not all of them
    ]
    trace = read_jobs(tmp_path, *lines, cluster=FOUR)
    assert trace.procs.tolist() == [8, 16, 8, 4 - 2]
    assert groups(trace) == [(1, 8, 1), (2, 8, 3), (1, 8, 0), (1, 2, 0)]
    assert counts(trace)["whole_nodes"] == 2
    off = read_jobs(tmp_path, *lines, cluster=FOUR, clean={"whole_nodes": False})
    assert off.procs.tolist() == [1, 6, 8, 2]
    assert "whole" not in off.tasks.columns
    assert counts(off)["whole_nodes"] == 2


def test_cpus_that_are_rounded_up_to_cores_make_no_node_whole_that_is_guessed(tmp_path):
    rounded = [exclusive(1, 1, 2, "n1"), exclusive(2, 1, 2, "n2")]
    assert "whole_nodes" not in counts(read_jobs(tmp_path, *rounded))
    whole = [exclusive(1, 1, 8, "n1"), exclusive(2, 1, 8, "n2")]
    assert counts(read_jobs(tmp_path, *whole))["whole_nodes"] == 2


@pytest.mark.parametrize(("option", "whole"), [("--exclusive", True), ("--exclusive=user", False)])
def test_whole_nodes_are_those_that_a_command_line_asks_for(option, whole, tmp_path):
    header = "|".join((*FIELDS, "SubmitLine"))
    text = exclusive(1, 8, 8, "n1") + f"|sbatch {option} -n 8 a.sh"
    trace = read_jobs(tmp_path, text, header=header, cluster=FOUR)
    assert ("whole" in trace.tasks.columns) == whole


@pytest.mark.parametrize(
    ("use", "whole"),
    [
        (NodeUse(whole=frozenset(("batch",))), [1, 0]),
        (NodeUse(all_whole=True), [1, 1]),
        (NodeUse(whole=frozenset(("other",))), [0, 0]),
    ],
)
def test_whole_nodes_are_those_of_partitions_that_share_none(use, whole, tmp_path):
    lines = [
        job(NCPUS=1, ReqCPUS=1, NNodes=1, NodeList="n1"),
        job(JobID=2, NCPUS=1, ReqCPUS=1, Partition="x"),
    ]
    read_jobs(tmp_path, *lines, cluster=FOUR)
    records = read_records(tmp_path / "dump.txt", cluster=FOUR)
    trace = clean_records(records, name="x", cluster=FOUR, use=use)
    parts = trace.tasks["whole"].tolist() if any(whole) else [0, 0]
    assert [int(value != 0) for value in parts] == whole


def swf(folder, *lines: str, use: NodeUse, cluster: Cluster) -> Trace:
    records = read_records(write_log(folder / "log.swf", *lines))
    return clean_records(records, name="x", cluster=cluster, use=use)


def test_jobs_that_name_no_nodes_take_as_many_as_they_fill(tmp_path):
    lines = [
        line(procs=3, allocated=3),
        line(job=2, procs=17, allocated=17),
        line(job=3, procs=1, allocated=1),
    ]
    trace = swf(tmp_path, *lines, use=NodeUse(all_whole=True), cluster=FOUR)
    assert groups(trace) == [(3, 1, WHOLE_PACKED), (17, 1, WHOLE_PACKED), (1, 1, WHOLE_PACKED)]
    schedule = simulate(trace, FOUR, parse_policy("fcfs"))
    assert np.diff(schedule.pieces.offset).tolist() == [1, 3, 1]
    assert schedule.start.tolist() == [0, 0, 10]
    assert schedule.procs.tolist() == [3, 17, 1]  # they count with what they took
    wide = parse_cluster("2x64c")
    assert np.diff(simulate(trace, wide, parse_policy("fcfs")).pieces.offset).tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("machine", "starts", "procs"),
    [
        ("4x8c", [0, 0, 60], [8, 24, 8]),
        ("4x64c", [0, 0, 60], [8, 24, 8]),  # larger nodes are blocked whole, too
        ("4x2c", [0, 0, 60], [2, 6, 2]),  # smaller ones, if they hold what was asked for
        ("2x8c+2x3c", [0, 0, 60], [3, 9, 3]),
    ],
)
def test_whole_nodes_are_blocked_whatever_their_size(machine, starts, procs, tmp_path):
    times = {"Submit": clock(0), "Start": clock(0), "End": clock(60)}
    lines = [
        exclusive(1, 1, 8, "n1", **times),
        exclusive(2, 4, 24, "n[2-4]", 3, **times),
        exclusive(3, 2, 8, "n1", **times),
    ]
    trace = read_jobs(tmp_path, *lines, cluster=FOUR)
    cluster = parse_cluster(machine)
    schedule = simulate(trace, cluster, parse_policy("easy"))
    assert (schedule.start - trace.submit).tolist() == starts
    assert schedule.procs.tolist() == procs


def test_a_job_too_large_for_small_nodes_is_refused(tmp_path):
    trace = read_jobs(tmp_path, exclusive(1, 5, 8, "n1"), cluster=FOUR)
    assert simulate(trace, parse_cluster("9x4c"), parse_policy("easy")).refused.tolist() == [True]


def test_features_that_a_machine_names_are_obeyed_and_others_listed(tmp_path):
    machine = Cluster((NodeGroup(1, 4, features=("a",)), NodeGroup(1, 4, features=("b",))))
    header = "|".join((*FIELDS, "Constraints", "SubmitLine"))
    times = {"Submit": clock(0), "Start": clock(0), "End": clock(60)}
    lines = [
        job(JobID=1, **times) + "|b|",
        job(JobID=2, **times) + "||sbatch -C b a.sh",
        job(JobID=3, **times) + "|a|sbatch -C b a.sh",  # the field counts
        job(JobID=4, **times) + "|[a|",
        job(JobID=5, **times) + "|zz|",
        job(JobID=6, **times) + "||",
    ]
    trace = read_jobs(tmp_path, *lines, header=header, cluster=machine)
    assert [trace.features[k] for k in trace.tasks["feature"]] == ["b", "b", "a", "[a", "zz", ""]
    schedule = simulate(trace, machine, parse_policy("fcfs"))
    assert schedule.pieces["node"].tolist()[:3] == [1, 1, 0]
    assert (schedule.start - trace.submit).tolist()[:3] == [0, 60, 60]
    assert counts(trace)["features_ignored"] == 2
    elsewhere = read_jobs(tmp_path, *lines, header=header, cluster=parse_cluster("2x4c"))
    assert counts(elsewhere)["features_ignored"] == 5
    assert simulate(elsewhere, elsewhere.cluster, parse_policy("fcfs")).start.min() == trace.submit[0]


def test_features_stay_with_jobs_that_are_cut_to_the_machine(tmp_path):
    machine = Cluster((NodeGroup(1, 2, features=("a",)), NodeGroup(1, 2, features=("b",))))
    header = "|".join((*FIELDS, "Constraints"))
    trace = read_jobs(tmp_path, job(NCPUS=9, ReqCPUS=9) + "|b", header=header, cluster=machine)
    assert trace.procs.tolist() == [4]
    assert trace.features[trace.tasks["feature"][0]] == "b"


def test_logs_without_any_of_this_have_no_such_columns(tmp_path):
    trace = read_lines(tmp_path, line(procs=2, allocated=2))
    assert {"whole", "feature"}.isdisjoint(trace.tasks.columns)
    assert trace.features == ()
