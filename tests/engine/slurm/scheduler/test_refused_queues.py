"""Refusals of drawn jobs beside drawn queues, before a judge that knows what the files hold."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.claims.claim import Claim
from engine.claims.refusals import RefusalRelation
from engine.claims.words import render
from engine.logs.queue.state import WAITING, QueuedJob, new_job
from engine.machine.cluster import parse_cluster
from engine.slurm.scheduler.refusals import refusal_of
from engine.slurm.site.folder import read_site_at
from engine.slurm.site.site import Site
from tests.engine.verdict.drawn import check_words

NODES = """NodeName=a[1-4] CPUs=8 RealMemory=16000 Feature=thin
NodeName=g1 CPUs=8 RealMemory=64000 Gres=gpu:2 Feature=thick
SelectTypeParameters=CR_Core_Memory
GresTypes=gpu
"""
PARTITIONS = """PartitionName=batch Nodes=a[1-4] Default=YES
PartitionName=old Nodes=a[1-4] State=INACTIVE
PartitionName=away Nodes=a[1-4] State=DOWN
PartitionName=ending Nodes=a[1-4] State=DRAIN
AccountingStorageEnforce=limits
"""
DUMP = """Cluster - 'k':Fairshare=1:QOS='normal'
Parent - 'root'
Account - 'physics':Fairshare=1:GrpSubmitJobs=3:MaxTRESPerJob='cpu=20'
Parent - 'physics'
User - 'ann':Fairshare=1:MaxSubmitJobs=2
User - 'bob':Fairshare=1
"""
STATES = {"old": "inactive", "away": "down", "ending": "drain"}
USERS = ("ann", "bob")

SMALL, LARGE = (4, 8, 16_000, 0, "thin"), (1, 8, 64_000, 2, "thick")
"""Nodes of either group: how many, and the CPUs, MiB, GPUs and feature of each."""


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> tuple[Site, Site]:
    """A site with partitions and users, and one of nodes alone."""
    folder, alone = tmp_path_factory.mktemp("site"), tmp_path_factory.mktemp("alone")
    (folder / "slurm.conf").write_text(NODES + PARTITIONS)
    (folder / "dump").write_text(DUMP)
    (alone / "slurm.conf").write_text(NODES)
    return read_site_at(folder), read_site_at(alone)


def refused_by_nodes(claim: Claim, job: QueuedJob, groups: Sequence[tuple[int, int, int, int, str]]) -> bool:
    """Whether no nodes of these groups have what the job asks for, or too few, as is said."""
    said = {each.name: each.value for each in claim.quantities if each.name != "of node"}
    of_node = [each.value for each in claim.quantities if each.name == "of node"]
    # Nodes of the right features, then those that are large enough: the first lack is what is told.
    own = [group for group in groups if job.features in ("", group[4])]
    each = 1 if job.spread else -(-job.cpus // job.nodes)
    large = [
        count for count, cpus, ram, gpus, _ in own if each <= cpus and job.ram <= ram and job.gpus <= gpus
    ]
    asked = [amount for amount in (each, job.ram, job.gpus) if amount]
    match claim.relation:
        case RefusalRelation.NO_FEATURES | RefusalRelation.NO_FEATURES_OF_PARTITION:
            return not own
        case RefusalRelation.NO_NODE | RefusalRelation.NO_NODE_OF_PARTITION:
            return bool(own) and not large and of_node == asked
        case RefusalRelation.FEW_NODES | RefusalRelation.FEW_NODES_OF_PARTITION:
            told = said == {"there": sum(large), "asked": job.nodes} and of_node == asked
            return told and 0 < sum(large) < job.nodes
        case RefusalRelation.FEW_CPUS | RefusalRelation.FEW_CPUS_OF_PARTITION:
            there = sum(count * cpus for count, cpus, _, _, _ in own)
            return job.spread and said == {"there": there, "asked": job.cpus} and there < job.cpus
    return False


def holds(claim: Claim, queue: Sequence[QueuedJob], job: QueuedJob) -> bool:
    """Whether the site with partitions refuses a job for what is said."""
    # What is said of a node is left to `refused_by_nodes` below, and so is every other relation.
    said = {each.name: each.value for each in claim.quantities if each.name != "of node"}
    named = {each.role: each.name for each in claim.about}
    match claim.relation:
        case RefusalRelation.NO_PARTITION:
            return job.partition not in ("batch", *STATES) and named["partition"].endswith(job.partition)
        case RefusalRelation.NO_ASSOCIATION:
            return job.user not in USERS and named["who"] == job.user
        case RefusalRelation.PARTITION_STATE:
            return STATES.get(job.partition) == named["state"]
        case RefusalRelation.SUBMITTED:
            # A limit of submitted jobs counts the whole queue: of the user, or of all in the account.
            own = named["owner"] == f"user {job.user}"
            there = sum(not own or other.user == job.user for other in queue)
            most = {"user ann": 2, "account physics": 3}[named["owner"]]
            return said == {"most": most, "there": there} and there >= most
        case RefusalRelation.LIMIT:
            return (
                named["owner"] == "account physics"
                and said == {"most": 20, "asked": job.cpus}
                and job.cpus > 20
            )
    return named["partition"] == f"partition {job.partition}" and refused_by_nodes(claim, job, [SMALL])


@st.composite
def jobs(draw: st.DrawFn) -> QueuedJob:
    """A job that asks for a bit too much of something, or not."""
    (group,) = parse_cluster("1c").groups
    job = replace(
        new_job(draw(st.sampled_from((*USERS, "ann", "eve"))), "", 600, group),
        partition=draw(st.sampled_from(("batch", "batch", "batch", "batch", *STATES, "none"))),
        nodes=draw(st.sampled_from((1, 1, 2, 5, 6))),
        cpus=draw(st.sampled_from((1, 8, 24, 41))),
        spread=draw(st.booleans()),
    )
    if draw(st.booleans()):  # limits are looked at for jobs that the nodes have room for
        return replace(job, nodes=4)
    return replace(
        job,
        ram=draw(st.sampled_from((0, 0, 16_001, 64_001))),
        gpus=draw(st.sampled_from((0, 0, 1, 3))),
        features=draw(st.sampled_from(("", "", "thin", "thick"))),
    )


def check(claim: Claim, judge: Callable[[Claim], bool]) -> None:
    """The claim holds, and not with another number."""
    assert judge(claim), claim
    check_words(render(claim))
    for own in claim.quantities:
        wrong = [replace(each, value=each.value + (each is own)) for each in claim.quantities]
        assert not judge(replace(claim, quantities=tuple(wrong)))


@settings(max_examples=200, deadline=None)
@given(jobs(), st.lists(st.sampled_from(USERS), max_size=4))
def test_refusals_beside_drawn_queues_hold(
    sites: tuple[Site, Site], job: QueuedJob, users: list[str]
) -> None:
    queue = [
        replace(job, job_id=str(k), user=user, account="physics", partition="batch", state=WAITING)
        for k, user in enumerate(users)
    ]
    found = refusal_of(sites[0], queue, job)
    if found is None:
        assert job.user in USERS
        assert job.partition == "batch"
        assert len(users) < 3
        assert job.cpus <= 20
    else:
        check(found.claim, lambda claim: holds(claim, queue, job))
    alone = refusal_of(sites[1], [], replace(job, partition=""))
    if alone is not None:
        check(alone.claim, lambda claim: refused_by_nodes(claim, job, [SMALL, LARGE]))


def test_a_partition_that_drains_takes_no_job_but_starts_those_that_it_has(sites: tuple[Site, Site]) -> None:
    (group,) = parse_cluster("1x8c").groups
    job = replace(new_job("ann", "ending", 600, group), account="physics")
    found = refusal_of(sites[0], [], job)
    assert found is not None
    assert found.at_once
    assert found.text == "Slurm would refuse this job: partition ending is drain"
    assert refusal_of(sites[0], [], replace(job, job_id="7")) is None
