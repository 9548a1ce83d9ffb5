"""Why Slurm would refuse a job at its submission, or accept it and never start it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import NamedTuple

import numpy as np

from engine.claims.claim import Claim, ClaimPlace, ClaimQuantity, NamedThing, Population, Unit
from engine.claims.refusals import RefusalRelation
from engine.claims.words import plain, render
from engine.errors import InputError
from engine.logs.queue.state import NEW, QueuedJob
from engine.machine.features import read_features
from engine.slurm.conf.slurm_conf import Partition
from engine.slurm.options.enforcement import ASSOCIATIONS
from engine.slurm.scheduler.bounds import UNBOUNDED
from engine.slurm.scheduler.limits import JobKind, Known, seconds_of
from engine.slurm.scheduler.submit_limits import submit_limits
from engine.slurm.site.site import Site
from engine.slurm.values.tres import amounts_of
from engine.words import clip

_REFUSING = ("yes", "all", "any")


class Refusal(NamedTuple):
    """Why Slurm refuses a job; `at_once`: at its submission; otherwise it waits for ever."""

    claim: Claim
    at_once: bool

    @property
    def reason(self) -> str:
        """The reason in words."""
        return plain(render(self.claim))

    @property
    def text(self) -> str:
        """A sentence about a job that would be submitted."""
        what = "Slurm would refuse this job" if self.at_once else "Slurm would never start this job"
        return f"{what}: {self.reason}"


def refusal_of(site: Site, jobs: Sequence[QueuedJob], job: QueuedJob) -> Refusal | None:
    """The first reason why a job is refused beside the queue's `jobs`, or never starts; None if it does.

    A job that names several partitions starts in one of them: it is refused as it is in the first, if all do.
    """
    names = job.partition.split(",") if job.partition else [""]
    per_partition = (next(_refusals(site, jobs, replace(job, partition=name)), None) for name in names)
    refusals = list(takewhile(lambda refusal: refusal is not None, per_partition))
    return refusals[0] if len(refusals) == len(names) else None


def _refusals(site: Site, jobs: Sequence[QueuedJob], job: QueuedJob) -> Iterator[Refusal]:
    partition = _partition(site, job)
    if partition is None and job.partition and site.conf.partitions:
        yield refused(RefusalRelation.NO_PARTITION, [], partition=f"partition {clip(job.partition)}")
        return
    account = job.account or _account(site, job.user)
    if has_no_association(site, job.user, account):
        who = f"{job.user} of {account}" if account else job.user
        yield refused(RefusalRelation.NO_ASSOCIATION, [], who=clip(who))
    name = "" if partition is None else partition.name
    kind = JobKind(account, job.user, job.qos, job.partition or name)
    by_partition = site.conf.option("EnforcePartLimits", "no").lower() in _REFUSING
    # What is in the queue of a partition that drains still starts there; only what is submitted is refused.
    if partition is not None and not (partition.starts_jobs and (job.job_id != NEW or takes_jobs(partition))):
        state = partition.keys.get("state", "").lower()
        name_of = f"partition {clip(partition.name)}"
        down = refused(RefusalRelation.PARTITION_STATE, [], partition=name_of, state=clip(state))
        yield down._replace(at_once=state != "down")
    yield from _of_nodes(site, partition, job)
    yield from _of_limits(site, kind, job, by_partition)
    yield from _of_submissions(site, kind, jobs)


def takes_jobs(partition: Partition) -> bool:
    """Whether a partition takes new jobs, by its State (`slurm.conf`'s manual: DRAIN and INACTIVE refuse)."""
    return partition.keys.get("state", "").upper() not in ("DRAIN", "INACTIVE")


def _partition(site: Site, job: QueuedJob) -> Partition | None:
    """The partition of a job: the first that it names, or the default one."""
    if job.partition:
        return site.conf.partition(job.partition.split(",")[0])
    return site.conf.default_partition()


def _account(site: Site, user: str) -> str:
    """The account of a user who has one alone."""
    accounts = {each.account for each in site.associations if user and each.user == user}
    return accounts.pop() if len(accounts) == 1 else ""


def has_no_association(site: Site, user: str, account: str) -> bool:
    """Whether associations are required of users, and this one has none, where the files list those of users.

    slurmctld refuses jobs of such a user, and holds those that were in the queue when the association was
    removed, with the reason InvalidAccount (FAIL_ACCOUNT in job_scheduler.c).
    """
    listed = any(each.user for each in site.associations)
    if not user or not listed or ASSOCIATIONS not in site.enforced:
        return False
    accounts = {each.account for each in site.associations if each.user == user}
    return account not in accounts if account else not accounts


def _of_nodes(site: Site, partition: Partition | None, job: QueuedJob) -> Iterator[Refusal]:
    """Too few nodes of the partition have what the job asks of each of them."""
    machine = site.conf.machine
    try:
        fit = np.array(read_features(job.features, machine).groups, np.bool_)
    # Features that cannot be read are told elsewhere, and are no reason to refuse.
    except InputError:
        return
    there = set(range(1, len(machine.groups) + 1))
    # Groups of nodes can be told apart by partition only if the machine has those of slurm.conf.
    if partition is not None and partition.groups and len(machine.groups) == len(site.conf.groups):
        there = set(partition.groups)
    where = {} if partition is None else {"partition": f"partition {clip(partition.name)}"}
    groups = [group for k, group in enumerate(machine.groups, 1) if k in there and fit[k - 1]]
    if not groups:
        none = RefusalRelation.NO_FEATURES_OF_PARTITION if where else RefusalRelation.NO_FEATURES
        yield refused(none, [], features=clip(job.features), **where)
        return
    # A job that names no nodes may be spread as thinly as its tasks; else each node has to hold an even
    # share.
    each = 1 if job.spread else -(-job.cpus // max(job.nodes, 1))
    large = [
        group
        for group in groups
        if group.cpus >= each
        and (group.ram is None or group.ram >= job.ram)
        and dict(group.extra).get("gpu", 0) >= job.gpus
    ]
    of_node = ((each, Unit.CPUS), (job.ram, Unit.MIB_IN_FULL), (job.gpus, Unit.GPUS))
    what = [ClaimQuantity("of node", amount, unit) for amount, unit in of_node if amount]
    # From the narrowest reason to the widest: no node is large enough, too few are, all of them together are
    # not.
    if not large:
        yield refused(
            RefusalRelation.NO_NODE_OF_PARTITION if where else RefusalRelation.NO_NODE, what, **where
        )
    elif (count := sum(group.count for group in large)) < job.nodes:
        few = RefusalRelation.FEW_NODES_OF_PARTITION if where else RefusalRelation.FEW_NODES
        amounts = ClaimQuantity("there", count, Unit.NODES), ClaimQuantity("asked", job.nodes, Unit.COUNT)
        yield refused(few, [*what, *amounts], **where)
    elif job.spread and (cpus := sum(group.cpus * group.count for group in groups)) < job.cpus:
        few = RefusalRelation.FEW_CPUS_OF_PARTITION if where else RefusalRelation.FEW_CPUS
        amounts = ClaimQuantity("there", cpus, Unit.CPUS), ClaimQuantity("asked", job.cpus, Unit.COUNT)
        yield refused(few, amounts, **where)


def _of_limits(site: Site, kind: JobKind, job: QueuedJob, by_partition: bool) -> Iterator[Refusal]:
    """A limit of the partition, of a quality of service or of an association that a single job exceeds."""
    amounts = {"cpus": job.cpus, "node": job.nodes, "gpu": job.gpus * job.nodes, "ram": job.ram * job.nodes}
    for limit in _job_limits(site, kind):
        # What a print of the queue does not tell, such as licenses, no limit on it refuses.
        asked = job.limit or 0 if limit.resource == "time" else amounts.get(limit.resource, 0)
        if limit.most >= UNBOUNDED or asked <= limit.most:
            continue
        unit = _UNITS[limit.resource]
        bound = ClaimQuantity("most", limit.most, unit), ClaimQuantity("asked", asked, unit)
        at_once = by_partition if limit.of_partition else limit.denies
        yield refused(RefusalRelation.LIMIT, bound, owner=limit.name)._replace(at_once=at_once)


_UNITS = {
    "time": Unit.SECONDS_IN_FULL,
    "cpus": Unit.CPUS,
    "ram": Unit.MIB_IN_FULL,
    "node": Unit.NODES,
    "gpu": Unit.GPUS,
}
"""The unit of a limit of each resource of which jobs of a queue tell how much they ask for."""


def refused(relation: RefusalRelation, quantities: Sequence[ClaimQuantity], **about: str) -> Refusal:
    """A refusal at submission, of a job that is in no queue."""
    place = ClaimPlace("jobs", 0)
    named = tuple(NamedThing(role, name, place) for role, name in about.items())
    subject = NamedThing("subject", "the job", place)
    alone = Population(1, 0, 0)
    return Refusal(Claim(subject, relation, tuple(quantities), named, alone, (place,)), True)


class _JobLimit(NamedTuple):
    """The most of a resource (of `time`: s) that a job may ask for; `denies`: others are refused at once."""

    name: str
    resource: str
    most: int
    of_partition: bool = False
    denies: bool = False


def _job_limits(site: Site, kind: JobKind) -> Iterator[_JobLimit]:
    """The limits of a single job: of its partition, its qualities of service, its association and accounts.

    A limit of the quality of service that goes first is held instead of the same one of the other, and both
    instead of that of associations.
    """
    partition = site.conf.partition(kind.partition.split(",")[0])
    if partition is not None:
        name, keys = f"partition {clip(partition.name)}", partition.keys
        yield _JobLimit(name, "time", seconds_of([keys.get("maxtime")]), of_partition=True)
        nodes = amounts_of(f"node={keys.get('maxnodes', '')}").get("node", UNBOUNDED)
        yield _JobLimit(name, "node", nodes, of_partition=True)
    known, limited = Known(site), set[tuple[str, str]]()
    for quality in known.names(site, kind):
        keys = known.qos[quality]
        denies = "denyonlimit" in keys.get("flags", "").lower()
        limits = {("maxwall", "time"): seconds_of([keys.get("maxwall")])}
        for key in ("maxtres", "maxtrespu", "maxtrespa", "grptres"):
            limits |= {(key, resource): most for resource, most in amounts_of(keys.get(key)).items()}
        limits = {limit: most for limit, most in limits.items() if most < UNBOUNDED and limit not in limited}
        for resource in dict.fromkeys(resource for _, resource in limits):
            least = min(most for (_, other), most in limits.items() if other == resource)
            yield _JobLimit(f"QOS {clip(quality)}", resource, least, denies=denies)
        # What this quality of service limits, no later owner limits again, as acct_policy.c has it.
        limited |= set(limits)
    # Associations come last, from the user's own up to the root account.
    for (account, user), keys in zip(known.owners(kind), known.chain(kind), strict=True):
        name = f"user {clip(user)}" if user else f"account {clip(account)}"
        if ("maxwall", "time") not in limited:
            yield _JobLimit(name, "time", seconds_of([keys.get("maxwalldurationperjob")]))
        for key, of_quality in (("maxtresperjob", "maxtres"), ("grptres", "grptres")):
            for resource, most in amounts_of(keys.get(key)).items():
                if (of_quality, resource) not in limited:
                    yield _JobLimit(name, resource, most)


def _of_submissions(site: Site, kind: JobKind, jobs: Sequence[QueuedJob]) -> Iterator[Refusal]:
    """A limit of submitted jobs that is reached."""
    known = Known(site)
    wanted = submit_limits(site, known, kind)
    counts = dict.fromkeys(wanted, 0)
    # Jobs of the same kind count towards the same owners: these are found once.
    of_kind: dict[JobKind, list[tuple[str, ...]]] = {}
    for job in jobs:
        other = JobKind(job.account or _account(site, job.user), job.user, job.qos, job.partition)
        if other not in of_kind:
            of_kind[other] = list(submit_limits(site, known, other))
        for owner in of_kind[other]:
            if owner in counts:
                counts[owner] += 1
    for owner, most in wanted.items():
        if counts[owner] >= most:
            amounts = (
                ClaimQuantity("most", most, Unit.JOBS),
                ClaimQuantity("there", counts[owner], Unit.COUNT),
            )
            yield refused(RefusalRelation.SUBMITTED, amounts, owner=_owner(owner))


def _owner(owner: tuple[str, ...]) -> str:
    """Whose submitted jobs are limited together, in words."""
    kind, name, *further = owner
    if kind == "qos":
        quality = f"QOS {clip(name)}"
        return quality if not further else f"{further[0]} {clip(further[1])} in {quality}"
    return f"user {clip(further[0])}" if further[0] else f"account {clip(name)}"
