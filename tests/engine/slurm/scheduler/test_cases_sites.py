"""Sites whose Slurm was modelled wrongly once: when and where their jobs start."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.logs.queue.clusters import PrintTime, read_queues_at
from engine.now.prediction import predict
from engine.policy.policy import site_policy
from engine.reading.options import Reading
from engine.reading.read import read_log_as
from engine.schedule.schedule import Schedule
from engine.simulation.run import simulate
from engine.slurm.site.folder import read_site_at
from tests.paths import SHARED, needs

CASES = SHARED / "cases" / "broken" / "sites"
pytestmark = needs(CASES)


def run_of(name: str) -> Schedule:
    """What the model does with the log of a case."""
    site = CASES / name
    read = read_log_as(CASES / f"{name}.log", Reading(machine=str(site / "slurm.conf")))
    return simulate(read.trace, read.cluster, site_policy(read_site_at(site)))


@pytest.mark.parametrize(
    ("name", "starts"),
    [
        ("E-array", [0, 600, 1200, 1800]),  # one task at a time
        ("F-grptres", [0, 600]),  # of two qualities of service, and of one account with eight CPUs
        ("F-grptres-same-qos", [0, 600]),
        ("F2-first-met", [0, 600, 1200]),  # the first has a limit of its partition's quality
        ("P-partition-qos", [0, 10]),  # the limit of the partition's goes before that of the job's
        ("H-maxnodes", [0, 1, 2, 600]),
    ],
)
def test_limits_hold_back_whom_they_should(name: str, starts: list[int]) -> None:
    found = run_of(name)
    apart = found.start - found.trace.submit[0] - np.array(starts)
    assert (apart >= 0).all()
    assert (apart <= 60).all()


def test_a_job_that_asks_for_two_nodes_never_starts_on_one(tmp_path: Path) -> None:
    assert not run_of("A-N2-never").ran.any()
    both = tmp_path / "site"
    both.mkdir()
    text = (CASES / "A-N2-never" / "slurm.conf").read_text()
    (both / "slurm.conf").write_text(text.replace("PartitionName=p Nodes=a1", "PartitionName=p Nodes=a1,b1"))
    read = read_log_as(CASES / "A-N2-never.log", Reading(machine=str(both / "slurm.conf")))
    found = simulate(read.trace, read.cluster, site_policy(read_site_at(both)))
    assert found.pieces["node"].tolist() == [0, 1]


def test_a_pool_has_no_nodes_to_count() -> None:
    read = read_log_as(CASES / "A-N2-never.log", Reading(machine="8c"))
    assert simulate(read.trace, read.cluster, site_policy(read_site_at(CASES / "A-N2-never"))).ran.all()


def test_no_job_has_more_nodes_than_its_partition_gives() -> None:
    assert np.diff(run_of("H-maxnodes").pieces.offset).max() == 2


def test_a_job_that_waits_for_two_nodes_is_not_planned_on_one() -> None:
    site = read_site_at(CASES / "A-now")
    (queue,) = read_queues_at(CASES / "A-now.json", PrintTime(1_709_557_200))
    found = predict(site, queue.jobs, replays=0).waiting
    assert [(each.job.job_id, each.planned) for each in found] == [("2", 600 * 60 - 3600)]
    alone = [replace(job, most_nodes=0) for job in queue.jobs]  # as of a print that says: tasks alone
    assert predict(site, alone, replays=0).waiting[0].planned == 0
