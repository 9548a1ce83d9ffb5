"""Priorities at times of a log, against usage that is summed second by second."""

from pathlib import Path

import numpy as np
import pytest

from engine.logs.queue.state import RUNNING, WAITING
from engine.logs.read import read_trace
from engine.now.log_queue import LogQueues
from engine.now.log_spans import learn_spans
from engine.slurm.site.site import Site, read_site
from engine.trace import Trace
from tests.engine.logs.sacct.dumps import HEADER, clock, job

CONF = """NodeName=a[1-2] CPUs=4
PartitionName=batch Nodes=a[1-2] PriorityJobFactor=10
PartitionName=low Nodes=a[1-2] PriorityJobFactor=5
PriorityType=priority/multifactor
PriorityFlags=NO_FAIR_TREE
PriorityWeightAge=1000
PriorityWeightFairshare=10000
PriorityWeightJobSize=400
PriorityWeightPartition=200
PriorityMaxAge=0-01:00:00
PriorityDecayHalfLife=0-00:10:00
"""
_CALCULATED = 150  # s before a time, of which its usage is: half of the usual period
ROWS = ((1, "ann", "batch", 0, 0, 600, 8), (2, "bob", "batch", 10, 600, 900, 4),
        (3, "ann", "batch", 20, 900, 1200, 4), (4, "bob", "low", 30, 950, 1300, 8))  # fmt: skip
"""Number, user, partition, submission, start and end in s, and CPUs."""


def _read(folder: Path, conf: str) -> tuple[Site, Trace]:
    rows = [
        job(
            JobID=number, User=user, Account="all", Partition=partition, Submit=clock(submit),
            Start=clock(start), End=clock(end), Timelimit="00:20:00", NCPUS=cpus, ReqCPUS=cpus,
            NNodes=cpus // 4, NodeList="a[1-2]" if cpus == 8 else "a1",
        )
        for number, user, partition, submit, start, end, cpus in ROWS
    ]  # fmt: skip
    (folder / "log.txt").write_text("\n".join((HEADER, *rows, "")))
    (folder / "slurm.conf").write_text(conf)
    return read_site(folder / "slurm.conf"), read_trace(folder / "log.txt")


def _priority(now: int, user: str, submit: int, cpus: int, factor: int) -> int:
    used = dict.fromkeys(("ann", "bob"), 0.0)
    for _, name, _, _, start, end, procs in ROWS:
        for second in range(start, min(end, now - _CALCULATED)):
            used[name] += procs * 0.5 ** ((now - _CALCULATED - second - 0.5) / 600)
    # Both have half of the account's shares, and the account half of the root's: root has the other half.
    share = used[user] / max(sum(used.values()), 1e-9)
    effective = share + (1 - share) * 0.5
    fairshare = 2 ** (-effective / 0.25)
    size = 400 * (cpus / 8 + (cpus // 4) / 2) / 2
    return int(200 * factor / 10 + size + 1000 * min((now - submit) / 3600, 1) + 10000 * fairshare)


@pytest.mark.parametrize("now", [500, 700, 920])
def test_priorities_are_those_of_usage_summed_second_by_second(tmp_path: Path, now: int) -> None:
    site, trace = _read(tmp_path, CONF)
    zero = int(trace.submit[0])
    jobs, started = LogQueues(site, trace).at(zero + now)
    waiting = {int(queued.job_id): queued.priority for queued in jobs if queued.state == WAITING}
    expected = {
        k: _priority(now, user, submit, cpus, 10 if partition == "batch" else 5)
        for k, (_, user, partition, submit, start, _, cpus) in enumerate(ROWS)
        if submit <= now < start
    }
    assert waiting == pytest.approx(expected, abs=2)
    assert {int(name): start for name, start in started.items()} == {k: ROWS[k][4] - now for k in expected}
    running = [queued for queued in jobs if queued.state == RUNNING]
    assert [queued.node_list for queued in running] == ["a1,a2" if now < 600 else "a1"]


def test_without_priorities_jobs_go_by_submission(tmp_path: Path) -> None:
    site, trace = _read(tmp_path, CONF.replace("multifactor", "basic"))
    jobs, _ = LogQueues(site, trace).at(int(trace.submit[0]) + 500)
    assert [queued.priority for queued in jobs if queued.state == WAITING] == [None] * 3


def test_spans_say_which_order_they_were_learned_with(tmp_path: Path) -> None:
    """Two users take turns; what waits at an instant waits a minute at most."""
    rows = [
        job(
            JobID=k, User=("ann", "bob")[k % 2], Account="all", Partition="batch", Submit=clock(55 * k),
            Start=clock(55 * k + k % 4 * 10), End=clock(55 * k + k % 4 * 10 + 30), Timelimit="00:04:00",
            NCPUS=8, ReqCPUS=8, NNodes=2, NodeList="a[1-2]",
        )
        for k in range(120)
    ]  # fmt: skip
    (tmp_path / "log.txt").write_text("\n".join((HEADER, *rows, "")))
    (tmp_path / "slurm.conf").write_text(CONF)
    learned = learn_spans(read_site(tmp_path / "slurm.conf"), read_trace(tmp_path / "log.txt"), 100)
    assert learned.by is not None
    assert learned.words.endswith("; its jobs go by the site's priorities then")
    assert 0.5 <= learned.share <= 1
    assert np.isfinite(np.array(learned.by.shifts)).all()
