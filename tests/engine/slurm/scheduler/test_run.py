"""Starts by a site's own Slurm: what its passes do by hand, and how near they come to a real one."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.metrics.twin import unlike
from engine.policy.policy import parse_policy
from engine.reading.options import Reading
from engine.reading.read import read_log_as
from engine.schedule.schedule import Schedule
from engine.simulation.run import simulate
from tests.engine.logs.sacct.dumps import HEADER, clock, job
from tests.engine.slurm.scheduler.worst_jobs import table
from tests.paths import ROOT, SHARED

CONF = """NodeName=a[1-2] CPUs=4
PartitionName=batch Nodes=a[1-2]
PriorityType=priority/basic
SchedulerParameters=bf_interval=60,bf_resolution=1
"""
_REAL = SHARED / "reference" / "slurm"


def _schedule(
    folder: Path, rows: list[str], conf: str = CONF, header: str = HEADER, **options: Any
) -> Schedule:
    log, path = folder / "log", folder / "slurm.conf"
    log.write_text("\n".join((header, *rows, "")))
    path.write_text(conf)
    read = read_log_as(log, Reading(machine=str(path), **options))
    return simulate(read.trace, read.cluster, parse_policy(f"site:{path}"))


def _job(number: int, cpus: int, begin: int, length: int, limit: str) -> str:
    return job(
        JobID=number,
        Partition="batch",
        Submit=clock(begin),
        Start=clock(begin),
        End=clock(begin + length),
        Timelimit=limit,
        NCPUS=cpus,
        ReqCPUS=cpus,
        NNodes=-(-cpus // 4),
        NodeList="a1" if cpus <= 4 else "a[1-2]",
    )


def test_a_job_that_does_not_fit_stops_the_main_scheduler_and_the_backfiller_passes_it(
    tmp_path: Path,
) -> None:
    """Job 1 holds a node; job 2 wants both; job 3 fits beside job 1, but only the backfiller lets it pass."""
    rows = [_job(1, 4, 0, 600, "00:10:00"), _job(2, 8, 5, 60, "00:01:00"), _job(3, 4, 6, 60, "00:02:00")]
    schedule = _schedule(tmp_path, rows)
    start = schedule.start - schedule.trace.submit[0]
    assert start[0] <= 1  # the pass after its submission
    assert start[2] > 9  # no pass of the main scheduler starts it
    assert start[2] <= 6 + 60 + 30  # but a cycle of the backfiller
    assert start[0] + 600 <= start[1] <= start[0] + 601 + 3  # by the first pass after the first job ended


def test_a_job_that_would_delay_a_planned_one_waits(tmp_path: Path) -> None:
    rows = [_job(1, 4, 0, 600, "00:10:00"), _job(2, 8, 5, 60, "00:01:00"), _job(3, 4, 6, 60, "00:30:00")]
    schedule = _schedule(tmp_path, rows)
    assert schedule.start[2] > schedule.start[1]


def test_a_job_that_follows_another_comes_when_that_has_ended_here(tmp_path: Path) -> None:
    """Job 2 waits for the machine that job 1 holds, job 3 for the end of job 2, and 30 s after it job 4."""
    rows = [
        _job(1, 8, 0, 600, "00:10:00") + "|sbatch a",
        _job(2, 8, 5, 60, "00:01:00") + "|sbatch a",
        _job(3, 4, 65, 60, "00:02:00") + "|sbatch -d afterok:2 a",
        _job(4, 4, 95, 60, "00:02:00") + "|sbatch -d afterany:2 a",
        _job(5, 4, 96, 60, "00:02:00") + "|sbatch -d after:2 a",
    ]
    alone, on = (
        _schedule(tmp_path, rows, header=f"{HEADER}|SubmitLine", dependencies=word) for word in ("off", "on")
    )
    assert alone.submit.tolist() == on.trace.submit.tolist()
    assert on.submit[2:4].tolist() == [on.end[1], on.end[1] + 30]
    assert on.submit[4] == on.trace.submit[4]
    assert on.start[2] - on.submit[2] <= 2
    assert on.start[3] >= min(on.end[2], on.end[4])  # jobs 3 and 5 hold a node each
    assert on.ran.all()
    seen = [dict(unlike(run.trace)) for run in (alone, on)]
    assert seen[0]["follow other jobs, and come when the log says"] == 2
    assert "follow other jobs, and come when the log says" not in seen[1]
    assert seen[1]["wait for others to start (after), which is not kept: jobs follow ends alone"] == 1


def test_a_held_job_waits_from_when_it_was_eligible(tmp_path: Path) -> None:
    """Job 2 was submitted ahead of job 3 but eligible after it: the order is as if it had come then."""
    rows = [
        job(
            JobID=number,
            Submit=clock(submit),
            Eligible=clock(eligible),
            Start=clock(start),
            End=clock(start + length),
            Timelimit="00:10:00",
            NCPUS=cpus,
            ReqCPUS=cpus,
            NNodes=-(-cpus // 4),
            NodeList="a1" if cpus <= 4 else "a[1-2]",
        )
        for number, cpus, submit, eligible, start, length in (
            (1, 8, 0, 0, 0, 600),
            (2, 8, 5, 200, 900, 300),
            (3, 8, 60, 60, 600, 300),
            (4, 4, 1500, 1900, 1900, 60),
        )
    ]
    held, as_if = (_schedule(tmp_path, rows, clean=rule) for rule in ((), ("from_eligible=on",)))
    assert held.trace.held is not None
    assert held.trace.held.tolist() == [0, 195, 0, 400]
    assert as_if.trace.held is None
    assert held.start.tolist() == as_if.start[np.argsort(as_if.trace.job_id)].tolist()
    assert held.start[1] > held.start[2]
    assert held.start[3] >= held.trace.submit[0] + 1900
    assert (held.wait == held.start - held.trace.submit).all()  # as the log counts waits


@pytest.mark.skipif(not _REAL.exists(), reason="no schedules of a real Slurm here")
@pytest.mark.parametrize(("name", "mean", "near"), [("fifo", 0.03, 48), ("micro", 0.15, 30)])
def test_a_real_slurm_is_followed(name: str, mean: float, near: int) -> None:
    """Mean waits, starts within a cycle of the backfiller, and the order of accounts are those of its log."""
    folder = _REAL / name
    read = read_log_as(folder / "sacct.txt.gz", Reading(machine=str(folder / "slurm.conf")))
    trace = read.trace
    schedule = simulate(trace, read.cluster, parse_policy(f"site:{folder}"))
    assert schedule.ran.all()
    assert schedule.wait.mean() == pytest.approx(trace.wait.mean(), rel=mean)
    cycle = 10 if name == "fifo" else 30
    assert 100 * (np.abs(schedule.wait - trace.wait) <= cycle).mean() >= near
    of_accounts = [
        [wait[trace.group.codes == k].mean() for k in range(len(trace.group.names))]
        for wait in (trace.wait, schedule.wait)
    ]
    assert np.argsort(of_accounts[0]).tolist() == np.argsort(of_accounts[1]).tolist()


@pytest.mark.skipif(not _REAL.exists(), reason="no schedules of a real Slurm here")
@pytest.mark.parametrize("name", ["fifo", "micro"])
def test_the_guide_tells_what_keeps_the_worst_jobs_apart(name: str) -> None:
    """`python -m tests.engine.slurm.scheduler.worst_jobs` prints these tables: replace them if this fails."""
    guide = (ROOT / "resources" / "guide" / "sites.md").read_text("utf-8")
    rows = list(table(_REAL / name))
    assert len(rows) == 12
    assert "\n".join(rows) in guide
