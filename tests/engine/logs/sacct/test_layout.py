"""How jobs of sacct may lie on nodes, what limits them, and how long those that reached their limit stay."""

import pytest

from engine.machine.cluster import Cluster, NodeGroup
from engine.trace import MISSING, Trace
from tests.engine.logs.lines import counts
from tests.engine.logs.sacct.dumps import FIELDS, clock, job, read_jobs

TWELVE = Cluster((NodeGroup(9, 12),))


def groups(trace: Trace, row: int) -> list[tuple[int, int, int]]:
    own = slice(trace.tasks.offset[row], trace.tasks.offset[row + 1])
    return list(zip(*(trace.tasks[name][own].tolist() for name in ("count", "cpus", "ram")), strict=True))


def read_alone(folder, *more: str, **values: object) -> Trace:
    """The trace of a job with more fields than FIELDS, given as `Name=value`."""
    pairs = [text.split("=", 1) for text in more]
    header = "|".join([*FIELDS, *(name for name, _ in pairs)])
    line = "|".join([job(**values), *(value for _, value in pairs)])
    return read_jobs(folder, line, header=header, cluster=TWELVE)


@pytest.mark.parametrize(
    ("cpus", "nodes", "asked", "line", "expected"),
    [
        (14, 2, "node=1", "", [(14, 1, 0)]),  # none named
        (14, 2, "node=2", "", [(2, 7, 0)]),  # -N 2
        (14, 2, "", "", [(14, 1, 0)]),  # nothing tells
        (24, 2, "", "", [(2, 12, 0)]),  # nothing tells, and the nodes were full
        (24, 2, "node=1", "", [(24, 1, 0)]),
        (10, 1, "node=1", "", [(1, 10, 0)]),  # -n 10 and -c 10 look the same
        (10, 1, "node=1", "sbatch -n 10 a", [(10, 1, 0)]),
        (10, 1, "node=1", "sbatch -N 1 -n 10 a", [(1, 10, 0)]),
        (10, 1, "node=1", "sbatch -c 10 a", [(1, 10, 0)]),
        (10, 1, "node=1", "sbatch -n 5 -c 2 a", [(5, 2, 0)]),
        (10, 1, "node=1", "sbatch -n 5 a", [(5, 2, 0)]),  # -c in the script
        (10, 1, "node=1", "sbatch -n 10 --mem=4G a", [(1, 10, 0)]),
        (24, 2, "node=1", "sbatch -n 4 -c 6 a", [(4, 6, 0)]),
        (24, 2, "node=1", "sbatch -n 24 --ntasks-per-node=12 a", [(2, 12, 0)]),
        (26, 3, "node=1", "sbatch -n 26 --ntasks-per-node=12 a", [(2, 12, 0), (1, 2, 0)]),
        (24, 2, "node=1", "sbatch -N 2 -n 24 a", [(2, 12, 0)]),
        (24, 2, "node=1", "sbatch a", [(24, 1, 0)]),
    ],
)
def test_task_groups(cpus, nodes, asked, line, expected, tmp_path):
    hosts = f"c[1-{nodes}]"
    values = {"NCPUS": cpus, "ReqCPUS": cpus, "NNodes": nodes, "ReqTRES": asked, "NodeList": hosts}
    trace = read_alone(tmp_path, f"SubmitLine={line}", **values)
    assert groups(trace, 0) == expected
    loose = expected[0][0] * expected[0][1] == cpus and len(expected) == 1 and expected[0][0] > nodes
    assert (counts(trace).get("free_tasks", 0) + counts(trace).get("free_tasks_guessed", 0) > 0) == loose


def test_nodes_asked_for_count_where_they_are_reported(tmp_path):
    values = {"NCPUS": 14, "ReqCPUS": 14, "NNodes": 2, "NodeList": "c[1-2]"}
    assert groups(read_alone(tmp_path, "ReqNodes=2", **values), 0) == [(2, 7, 0)]
    assert groups(read_alone(tmp_path, "ReqNodes=1", **values), 0) == [(14, 1, 0)]


def test_memory_of_free_tasks_is_that_of_the_job_to_the_mebibyte(tmp_path):
    values = {"NCPUS": 14, "ReqCPUS": 14, "NNodes": 2, "NodeList": "c[1-2]"}
    trace = read_alone(tmp_path, AllocTRES="cpu=14,mem=1000M,node=2", **values)
    assert groups(trace, 0) == [(6, 1, 72), (8, 1, 71)]
    assert trace.ram.tolist() == [1000]


def test_jobs_with_gpus_stay_on_as_many_nodes(tmp_path):
    values = {"NCPUS": 14, "ReqCPUS": 14, "NNodes": 2, "NodeList": "c[1-2]"}
    trace = read_alone(tmp_path, ReqTRES="cpu=14,gres/gpu=4,node=1", **values)
    assert groups(trace, 0) == [(2, 7, 0)]
    assert trace.tasks["gpu"].tolist() == [2]


def no_memory(number: int, cpus: int, asked: str) -> str:
    return job(JobID=number, NCPUS=cpus, ReqCPUS=cpus, ReqMem=asked, AllocTRES=f"billing=1,cpu={cpus},node=1")


def test_memory_that_is_not_allocated_limits_nothing(tmp_path):
    with_ram = Cluster((NodeGroup(2, 12, 48_000),))
    lines = [no_memory(1, 1, "48000M"), no_memory(2, 4, "48000M"), no_memory(3, 2, "2000M")]
    trace = read_jobs(tmp_path, *lines, cluster=with_ram)
    assert trace.ram.tolist() == [MISSING, MISSING, 2000]  # a request is known, and still limits nothing
    assert trace.tasks["ram"].tolist() == [0, 0, 0]
    assert counts(trace)["ram_not_consumed"] == 3
    assert counts(trace)["ram_unasked"] == 2


def test_memory_that_is_allocated_limits(tmp_path):
    line = job(ReqMem="8000M", AllocTRES="billing=4,cpu=4,mem=8000M,node=1")
    trace = read_jobs(tmp_path, line, no_memory(2, 4, "9000M"), job(JobID=3, ReqMem="70M"), cluster=TWELVE)
    assert trace.tasks["ram"].tolist() == [8000, 0, 70]
    assert trace.ram.tolist() == [8000, 9000, 70]  # one alone may have asked for all that
    assert counts(trace)["ram_not_consumed"] == 1


@pytest.mark.parametrize(
    ("state", "ran", "kept"),
    [
        ("TIMEOUT", 86, 86),
        ("TIMEOUT", 3000, 3000),
        ("TO", 61, 61),
        ("COMPLETED", 70, 70),  # it ended by itself before it was killed
        ("CANCELLED by 0", 180, 180),
        ("COMPLETED", 181, 60),
        ("FAILED", 50, 50),
        ("TIMEOUT", 60, 60),
    ],
)
def test_jobs_that_reached_their_limit_keep_what_they_took(state, ran, kept, tmp_path):
    trace = read_jobs(tmp_path, job(State=state, Start=clock(0), End=clock(ran), Timelimit="00:01:00"))
    assert trace.runtime.tolist() == [kept]
    assert trace.recorded_runtime.tolist() == [ran]
    assert trace.walltime.tolist() == [60]
    assert counts(trace).get("over_limit", 0) == int(kept > 60)
    assert counts(trace).get("clamp_runtime", 0) == int(kept < ran)
