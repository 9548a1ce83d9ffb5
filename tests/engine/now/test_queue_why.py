"""Why jobs of a queue wait, by the model: with names and numbers, and beside what Slurm says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.logs.queue.state import RUNNING, WAITING, QueuedJob
from engine.now.prediction import Prediction, first_forecast, predict
from engine.schedule.schedule import Decision
from engine.slurm.site.associations import Association
from engine.slurm.site.folder import read_site_at
from engine.slurm.site.reservations import Reservation
from engine.slurm.site.site import Site

CONF = """NodeName=a[1-2] CPUs=4
PartitionName=batch Nodes=a[1-2]
SchedulerParameters=bf_interval=30
AccountingStorageEnforce=limits
"""
JOB = QueuedJob("1", "ann", "astro", "batch", WAITING, "", 0, 0, 3600, 4, 1, 0, 0, False, "", "", 10.0)
RUNS = replace(JOB, job_id="9", state=RUNNING, elapsed=600, node_list="a1")


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """Two nodes of 4 CPUs, and an account that may use six of them."""
    conf = tmp_path / "slurm.conf"
    conf.write_text(CONF)
    limits = (("grpjobs", "3"), ("grptres", "cpu=6"))
    return replace(read_site_at(conf), associations=(Association("bio", "", "root", 1.0, limits),))


def told(site: Site, *jobs: QueuedJob) -> dict[str, Prediction]:
    """What is said of each waiting job."""
    return {each.job.job_id: each for each in predict(site, jobs, replays=0).waiting}


def test_a_job_is_short_of_processors_and_another_one_is_behind_it(site: Site) -> None:
    wide = replace(JOB, job_id="2", cpus=8, nodes=2, priority=2500.0)
    behind = replace(JOB, job_id="3", user="bob", limit=7200, priority=1204.0)
    found = told(site, RUNS, wide, behind)
    assert found["2"].why == "it asks for 8 CPUs, and 4 of them are not free on the nodes of partition batch"
    assert found["3"].why == "the free nodes are planned for job 2 of ann, which it would delay"
    other = replace(RUNS, job_id="8", node_list="a2")
    busy = told(site, RUNS, other, wide, behind)
    assert busy["3"].why == "job 2 of ann goes first (priority 2\u202f500 against 1\u202f204)"
    reason = busy["3"].reason
    assert reason is not None
    assert reason.kind is Decision.PRIORITY


def test_the_first_plan_tells_reasons_too(site: Site) -> None:
    (found,) = first_forecast(site, [RUNS, replace(JOB, job_id="2", cpus=8, nodes=2)]).waiting
    assert found.why.startswith("it asks for 8 CPUs")


def test_limits_are_told_with_what_is_used(site: Site) -> None:
    runs = replace(RUNS, account="bio", cpus=4)
    found = told(site, runs, replace(JOB, job_id="2", account="bio"))
    assert found["2"].why == "account bio uses 4 of 6 CPUs, and it asks for 4"
    single = replace(JOB, account="bio", cpus=1)
    many = [replace(single, job_id=f"{k}", state=RUNNING, node_list="a1") for k in (5, 6, 7)]
    assert told(site, *many, replace(single, job_id="2"))["2"].why == "account bio runs 3 of 3 jobs"


def test_a_job_that_starts_at_once_is_told_so(site: Site) -> None:
    assert told(site, RUNS, JOB)["1"].why == "nothing holds it: the next pass of the scheduler starts it"


def test_nodes_are_kept_for_a_reservation(site: Site) -> None:
    dates = ("1970-01-01T00:10:00", "1970-01-01T02:00:00")
    kept = replace(site, clock=0, reservations=(Reservation("maint", *dates, ("a2",)),))
    assert told(kept, RUNS, JOB)["1"].why == "nodes are kept for the reservation maint"
    inside = replace(JOB, reservation="maint")
    assert told(kept, RUNS, inside)["1"].why == "its reservation maint is not open"


def test_slurm_s_own_reason_is_told_where_it_is_another_one(site: Site) -> None:
    wide = replace(JOB, job_id="2", cpus=8, nodes=2, reason="Resources")
    same = told(site, RUNS, wide)["2"]
    assert "Slurm says" not in same.why
    licenses = told(site, RUNS, replace(wide, reason="Licenses"))["2"]
    assert licenses.why == f"{same.why}; Slurm says: it waits for licenses"
    limited = replace(JOB, account="bio", cpus=8, nodes=2, reason="AssocGrpCpuLimit")
    runs = replace(RUNS, account="bio")
    many = [replace(runs, job_id=f"{k}", cpus=1, node_list="a1") for k in (5, 6, 7)]
    narrow = replace(limited, cpus=1, nodes=1)
    assert told(site, *many, narrow)["1"].why == "account bio runs 3 of 3 jobs"
    assert "Slurm says: a limit of its quality of service holds it (QOSGrpCpuLimit)" in (
        told(site, RUNS, replace(wide, reason="QOSGrpCpuLimit"))["2"].why
    )
