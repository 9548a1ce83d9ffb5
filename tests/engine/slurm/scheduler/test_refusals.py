"""Jobs that Slurm would refuse at their submission, or never start."""

import random
from dataclasses import replace
from pathlib import Path
from string import Formatter

import pytest

from engine.claims.claim import Claim, ClaimPlace, ClaimQuantity, NamedThing, Population, Unit
from engine.claims.refusals import REFUSAL_SENTENCES, RefusalRelation
from engine.claims.words import render
from engine.logs.queue.state import WAITING, QueuedJob, new_job
from engine.machine.cluster import parse_cluster
from engine.slurm.scheduler.refusals import refusal_of
from engine.slurm.site.folder import read_site_at
from tests.engine.verdict.drawn import DIGIT, check_words

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
    if found is None:
        return "", False
    check_words(render(found.claim))
    return found.reason, found.at_once


@pytest.mark.parametrize(
    ("machine", "job", "reason", "at_once"),
    [
        ("2x8c", {}, "", False),
        ("8c", {"partition": "none"}, "there is no partition none", True),
        ("9c", {}, "no node of partition batch has 9 CPUs", True),
        ("1c2gpu", {"partition": "batch,gpu"}, "", False),
        ("9c", {"partition": "batch,gpu"}, "no node of partition batch has 9 CPUs", True),
        ("1c32000m", {}, "no node of partition batch has 1 CPU, 32\u202f000 MiB", True),
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


NODES = {"batch": (4, 8, 16_000, 0, "thin"), "gpu": (1, 8, 64_000, 2, "thick")}
"""The nodes of each partition: how many, and the CPUs, MiB, GPUs and feature of each."""


def holds(claim: Claim, job: QueuedJob) -> bool:
    """Whether the files refuse a job, which is none of `strict` or `lax`, for what is said."""
    count, cpus, ram, gpus, feature = NODES[job.partition]
    said = {quantity.name: quantity.value for quantity in claim.quantities if quantity.name != "of node"}
    of_node = [quantity.value for quantity in claim.quantities if quantity.name == "of node"]
    each = -(-job.cpus // job.nodes)
    asked = [amount for amount in (each, job.ram, job.gpus) if amount]
    fits = each <= cpus and job.ram <= ram and job.gpus <= gpus
    partitions = {named.name for named in claim.about if named.role == "partition"}
    if partitions - {f"partition {job.partition}"}:
        return False
    match claim.relation:
        case RefusalRelation.NO_FEATURES_OF_PARTITION:
            return job.features not in ("", feature)
        case RefusalRelation.NO_NODE_OF_PARTITION:
            return not fits and of_node == asked
        case RefusalRelation.FEW_NODES_OF_PARTITION:
            few = said == {"there": count, "asked": job.nodes} and count < job.nodes
            return few and of_node == asked and fits
        case RefusalRelation.LIMIT:
            bound = (said["most"], said["asked"])
            too_long = bound == (3600, job.limit) and said["asked"] > 3600
            # Partition gpu has no limit on nodes.
            too_wide = job.partition == "batch" and bound == (2, job.nodes) and job.nodes > 2
            return too_long or too_wide
    return False


def test_refusals_of_random_jobs_hold(tmp_path: Path) -> None:
    (tmp_path / "slurm.conf").write_text(CONF.format(enforce="limits", parts="ALL"))
    site, draw = read_site_at(tmp_path), random.Random(1)
    (group,) = parse_cluster("1c").groups
    told = set()
    for _ in range(200):
        job = replace(
            new_job("bob", "", draw.choice((600, 3600, 3601, 90_000)), group),
            partition=draw.choice(("batch", "gpu")),
            nodes=draw.choice((1, 1, 2, 3, 5)),
            cpus=draw.choice((5, 8, 16, 45)),
            ram=draw.choice((0, 0, 8000, 64_001)),
            gpus=draw.choice((0, 0, 1, 3)),
            features=draw.choice(("", "", "", "thin")),
        )
        found = refusal_of(site, [], job)
        told.add(None if found is None else found.claim.relation)
        # What is not refused has to fit the largest nodes and all limits.
        if found is None:
            count, cpus, ram, gpus, feature = NODES[job.partition]
            assert job.nodes <= (2 if job.partition == "batch" else count)
            assert -(-job.cpus // job.nodes) <= cpus
            assert (job.ram <= ram, job.gpus <= gpus, job.features in ("", feature)) == (True, True, True)
            assert job.limit is not None
            assert job.limit <= 3600
            continue
        assert holds(found.claim, job), (job, found.reason)
        check_words(render(found.claim))
        # The judge refuses every number that is off by one.
        for own in found.claim.quantities:
            wrong = [
                replace(each, value=each.value + 1) if each is own else each
                for each in found.claim.quantities
            ]
            assert not holds(replace(found.claim, quantities=tuple(wrong)), job)
    assert told == {
        None,
        RefusalRelation.NO_FEATURES_OF_PARTITION,
        RefusalRelation.NO_NODE_OF_PARTITION,
        RefusalRelation.FEW_NODES_OF_PARTITION,
        RefusalRelation.LIMIT,
    }


def test_a_limit_that_is_missed_by_a_second_is_told_to_the_second(tmp_path: Path) -> None:
    reason, _ = _told(tmp_path, "1c", limit=3601)
    assert reason == "partition batch allows 1 h at most, and the job asks for 1 h 1 s"


@pytest.mark.parametrize("relation", RefusalRelation)
def test_each_kind_has_words_without_digits_of_its_own(relation: RefusalRelation) -> None:
    parts = {name for _, name, _, _ in Formatter().parse(REFUSAL_SENTENCES[relation]) if name}
    names = parts & {"partition", "who", "state", "features", "owner", "reservation", "job"}
    about = tuple(NamedThing(role, f"{role} 9", ClaimPlace("jobs", 0)) for role in names)
    quantities = tuple(ClaimQuantity(name, 7, Unit.COUNT) for name in parts - names)
    subject = NamedThing("subject", "the job", ClaimPlace("jobs", 0))
    spans = render(Claim(subject, relation, quantities, about, Population(1, 0, 0), (subject.place,)))
    assert spans
    assert not any(DIGIT.search(span.text) for span in spans if span.says is None)
