"""What jobs of real Slurm occupy of a machine, on cases whose right waits are known."""

from itertools import pairwise
from pathlib import Path

import pytest

from engine.policy.policy import parse_policy
from engine.reading.options import Reading
from engine.reading.read import ReadLog, read_log_as
from engine.simulation.run import simulate
from tests.engine.logs.lines import counts
from tests.paths import SHARED

SLURM = SHARED / "cases" / "real-slurm"
HEAD = "JobID|JobName|User|Account|Partition|Submit|Start|End|State|Timelimit|NCPUS|NNodes|NodeList"


def read(path: Path, machine: Path | str = "", *clean: str) -> ReadLog:
    if not path.exists():
        pytest.skip(f"{path.name} is not here")
    return read_log_as(path, Reading(machine=str(machine), clean=clean))


def waits(log: ReadLog, policy: str = "easy") -> list[int]:
    """When jobs start under a policy, s after their submission."""
    schedule = simulate(log.trace, log.cluster, parse_policy(policy))
    assert schedule.ran.all()
    return (schedule.start - log.trace.submit).tolist()


@pytest.mark.parametrize("policy", ["easy", "fcfs", "conservative", "easy:placement=best"])
@pytest.mark.parametrize(
    ("case", "name", "machine", "expected"),
    [
        ("RS17", "crcore", "crcore.conf", [0, 0]),
        ("RS17", "crcore", "2x1c48g", [0, 0]),  # the log alone tells that its memory limits nothing
        ("RS18", "spread", "spread.conf", [0, 0]),
        ("RS18", "spread", "12c+20c", [0, 0]),
        ("RS19", "feat", "feat.conf", [0, 599]),
        ("RS20", "over", "", [0, 85]),
    ],
)
def test_waits(case, name, machine, expected, policy):
    machine = SLURM / machine if machine.endswith(".conf") else machine
    log = read(SLURM / f"{name}.txt", machine)
    assert waits(log, policy) == expected, case


def test_jobs_that_reached_their_limit_keep_what_they_took():
    log = read(SLURM / "over.txt")
    assert log.trace.runtime.tolist() == [86, 60]
    assert counts(log.trace)["over_limit"] == 1
    assert "clamp_runtime" not in counts(log.trace)


@pytest.mark.parametrize(("machine", "whole"), [("exclusive.conf", 5), ("", 3)])
def test_jobs_that_were_given_whole_nodes_block_them(machine, whole):
    """RS07: also as the log alone tells it, of those that asked for fewer CPUs than they were given."""
    log = read(SLURM / "exclusive.txt", SLURM / machine if machine else "")
    assert log.trace.procs.tolist() == [8, 8, 16, 16, 8]
    assert counts(log.trace)["whole_nodes"] == whole
    schedule = simulate(log.trace, log.cluster, parse_policy("easy"))
    busy = [set(schedule.pieces["node"][a:b]) for a, b in pairwise(schedule.pieces.offset)]
    of_job = {
        job: (log.trace.job_id.tolist().index(job), nodes) for job, nodes in ((47, 1), (85, 1), (128, 1))
    }
    for row, nodes in of_job.values():
        own = slice(schedule.pieces.offset[row], schedule.pieces.offset[row + 1])
        assert schedule.pieces["cpus"][own].tolist() == [8] * nodes
    if whole == 5:  # 127 had four nodes, and 128, which came with it, waits for one of them
        assert len(busy[3]) == 4
        assert (schedule.start - log.trace.submit).tolist() == [0, 0, 0, 0, 3]
    off = read(SLURM / "exclusive.txt", SLURM / machine if machine else "", "whole_nodes=off")
    assert off.trace.procs.tolist() == [1, 2, 16, 16, 4]


def test_features_that_no_machine_names_are_listed():
    log = read(SLURM / "feat.txt", "2x12c")
    assert counts(log.trace)["features_ignored"] == 2


def test_memory_that_no_job_was_given_is_reported():
    log = read(SLURM / "crcore.txt", SLURM / "crcore.conf")
    assert not log.trace.has_ram
    assert counts(log.trace)["ram_not_consumed"] == counts(log.trace)["ram_unasked"] == 2


def test_memory_of_any_log_limits_nothing_where_its_machine_does_not_consume_it(tmp_path):
    conf = tmp_path / "slurm.conf"
    text = (
        "SelectTypeParameters=CR_CPU{}\nNodeName=n[1-2] CPUs=4 RealMemory=1000\nPartitionName=a Nodes=ALL\n"
    )
    log = tmp_path / "log.csv"
    log.write_text("submit,runtime,procs,ram,nodes\n0,100,1,1000,1\n0,100,1,1000,1\n0,100,1,1000,1\n")
    conf.write_text(text.format(""))
    found = read(log, conf)
    assert waits(found) == [0, 0, 0]
    assert counts(found.trace)["ram_without_limit"] == 3
    assert found.trace.ram.tolist() == [1000] * 3
    conf.write_text(text.format("_Memory"))
    found = read(log, conf)
    assert waits(found) == [0, 0, 100]
    assert "ram_without_limit" not in counts(found.trace)
