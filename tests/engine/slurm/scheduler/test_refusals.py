"""Jobs that Slurm would refuse at their submission, or never start."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.logs.queue.state import WAITING, QueuedJob, new_job
from engine.machine.cluster import parse_cluster
from engine.slurm.scheduler.refusals import refusal_of
from engine.slurm.site.folder import read_site_at

CONF = """NodeName=a[1-4] CPUs=8 RealMemory=16000 Feature=thin
NodeName=g1 CPUs=8 RealMemory=64000 Gres=gpu:2 Feature=thick
PartitionName=batch Nodes=a[1-4] Default=YES MaxTime=60 MaxNodes=2
PartitionName=gpu Nodes=g1 MaxTime=60
SelectTypeParameters=CR_Core_Memory
GresTypes=gpu
AccountingStorageEnforce={enforce}
EnforcePartLimits={parts}
"""
DUMP = """Cluster - 'k':Fairshare=1:QOS='normal'
Parent - 'root'
Account - 'physics':Fairshare=1:GrpSubmitJobs=3
Parent - 'physics'
User - 'ann':Fairshare=1:MaxSubmitJobs=2:MaxWallDurationPerJob=30
User - 'bob':Fairshare=1
"""
QOS = """Name|Priority|Flags|MaxTRES|MaxWall|MaxSubmitPU
strict|0|DenyOnLimit|cpu=4|00:10:00|
lax|0||cpu=4||1
"""


def _told(
    folder: Path, machine: str, *, queue: int = 0, enforce: str = "limits", parts: str = "ALL", **job: object
) -> tuple[str, bool]:
    """The reason against a job of bob's for ten minutes, and whether it is refused at once."""
    (folder / "slurm.conf").write_text(CONF.format(enforce=enforce, parts=parts))
    (folder / "dump").write_text(DUMP)
    (folder / "qos").write_text(QOS)
    (group,) = parse_cluster(machine).groups
    own: QueuedJob = replace(new_job("bob", "", 600, group), **job)  # type: ignore[arg-type]
    there = [replace(own, job_id=str(k), account="physics", state=WAITING) for k in range(queue)]
    found = refusal_of(read_site_at(folder), there, own)
    return ("", False) if found is None else found


@pytest.mark.parametrize(
    ("machine", "job", "reason", "at_once"),
    [
        ("2x8c", {}, "", False),
        ("8c", {"partition": "none"}, "there is no partition none", True),
        ("9c", {}, "no node of partition batch has 9 CPUs", True),
        ("1c2gpu", {"partition": "batch,gpu"}, "", False),
        ("9c", {"partition": "batch,gpu"}, "no node of partition batch has 9 CPUs", True),
        ("1c32000m", {}, "no node of partition batch has 1 CPU, 32,000 MiB", True),
        ("1c1gpu", {}, "no node of partition batch has 1 CPU, 1 GPU", True),
        ("1c2gpu", {"partition": "gpu"}, "", False),
        ("1c", {"features": "thick"}, "no node of partition batch has the features thick", True),
        ("5x1c", {}, "4 nodes of partition batch have 1 CPU, and the job asks for 5 of them", True),
        ("3x1c", {}, "partition batch allows 2 nodes at most, and the job asks for 3 nodes", True),
        ("1c", {"user": "eve"}, "eve has no association in the site's files", True),
        ("8c", {"qos": "strict"}, "QOS strict allows 4 CPUs at most, and the job asks for 8 CPUs", True),
        ("8c", {"qos": "lax"}, "QOS lax allows 4 CPUs at most, and the job asks for 8 CPUs", False),
    ],
)
def test_what_a_single_job_asks_for(
    tmp_path: Path, machine: str, job: dict[str, object], reason: str, at_once: bool
) -> None:
    assert _told(tmp_path, machine, **job) == (reason, at_once)


def test_limits_of_time_are_those_of_partition_quality_and_user(tmp_path: Path) -> None:
    reason, at_once = _told(tmp_path, "1c", limit=7200)
    assert (reason.startswith("partition batch allows 1 h"), at_once) == (True, True)
    assert _told(tmp_path, "1c", limit=7200, parts="NO")[1] is False  # accepted, and waits for ever
    reason, at_once = _told(tmp_path, "1c", limit=2400, user="ann")
    assert (reason.startswith("user ann allows 30 min"), at_once) == (True, False)
    reason, at_once = _told(tmp_path, "1c", limit=900, qos="strict")
    assert (reason.startswith("QOS strict allows 10 min"), at_once) == (True, True)


def test_limits_of_submitted_jobs_count_the_queue(tmp_path: Path) -> None:
    assert _told(tmp_path, "1c", queue=2) == ("", False)
    told = "account physics may have 3 jobs in the queue, and has 3"
    assert _told(tmp_path, "1c", queue=3) == (told, True)
    assert _told(tmp_path, "1c", queue=3, enforce="associations") == ("", False)
    assert _told(tmp_path, "1c", queue=2, user="ann") == (
        "user ann may have 2 jobs in the queue, and has 2",
        True,
    )
    assert _told(tmp_path, "1c", queue=1, qos="lax")[0].startswith("user bob in QOS lax may have 1 job")
