"""The queue of a site at one moment, on the site's machine, and beside it the log of earlier jobs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path

from engine.errors import InputError
from engine.input import exists
from engine.logs.queue.clusters import print_time_of, read_queues_at
from engine.logs.queue.state import QueuedJob, QueueState, clock_of, new_job
from engine.machine.cluster import Cluster, machine_problem, parse_cluster
from engine.now.queue_reasons import with_users_who_run
from engine.policy.policy import site_policy
from engine.reading.log import Log
from engine.slurm.scheduler.refusals import has_no_association
from engine.slurm.site.folder import read_site_at
from engine.slurm.site.site import Site, site_of_machine
from engine.spelling import parse_duration
from engine.trace import Trace
from engine.words import clip, plural

AnySite = str | PathLike[str] | Site
"""A site, or the name of its folder or `slurm.conf`, or a spelled machine."""

AnyQueue = str | PathLike[str] | QueueState
"""A queue, or the name of a file that it was printed into."""


@dataclass(frozen=True, eq=False)
class SiteQueue:
    """What a forecast starts from: the site with the machine and clock of the queue, the queue, and the log.

    `notes` of the state say what of both was not read. Without a `log` nothing is known of earlier jobs.
    """

    site: Site
    state: QueueState
    log: Trace | None = None

    @property
    def partitions(self) -> tuple[str, ...]:
        """The names of the site's partitions."""
        names = (partition.name for partition in self.site.conf.partitions)
        return tuple(dict.fromkeys(name for name in names if name.upper() != "DEFAULT"))

    @property
    def cycle(self) -> int:
        """The time between two cycles of the site's backfiller, s."""
        return self.site.rules(1).bf_interval

    def noted(self, note: str) -> SiteQueue:
        """The queue with one more note."""
        return replace(self, state=replace(self.state, notes=(*self.state.notes, note)))

    def fitted(self, job: QueuedJob) -> QueuedJob:
        """A job as it asks for room here: of a pool for processors alone, on whatever nodes."""
        return _in_pool(job) if self.site.conf.machine.pooled else job


def site_named(text: str) -> Site:
    """The site of a `slurm.conf` or folder, or of a machine that is spelled like 20x80c505g.

    Of a machine nothing is known but its nodes. Raises InputError.
    """
    if not exists(Path(text)) and not machine_problem(text):
        return site_of_machine(text, parse_cluster(text))
    return read_site_at(Path(text))


def queues_in(queue: AnyQueue | Sequence[QueueState], at: str = "", zone: str = "") -> Sequence[QueueState]:
    """The queues of the clusters in a file, printed `at` a time if it does not say when; or those given.

    Raises InputError.
    """
    if isinstance(queue, QueueState):
        return (queue,)
    if isinstance(queue, str | PathLike):
        return read_queues_at(Path(queue), print_time_of(at, zone) if at else None)
    return queue


def site_in(sites: AnySite | Sequence[AnySite], cluster: str) -> Site:
    """The site whose files are of a cluster, by its ClusterName; a single one is of any.

    Raises InputError.
    """
    several = (sites,) if isinstance(sites, str | PathLike | Site) else sites
    read = [site if isinstance(site, Site) else site_named(str(site)) for site in several]
    # With a single site there is no question which site a job would run on.
    if len(read) == 1:
        return read[0]
    of_cluster = [site for site in read if cluster and _cluster_name(site) == cluster.lower()]
    if not of_cluster:
        raise InputError(
            f"none of the {len(read)} sites has ClusterName={clip(cluster)} in its slurm.conf"
            if cluster
            else f"the queue names no cluster, and {len(read)} sites were given: give one"
        )
    return of_cluster[0]


def _cluster_name(site: Site) -> str:
    """The name of a site's cluster, which Slurm has in lower case; empty if its files do not tell it."""
    return site.conf.option("ClusterName").lower()


def queue_at_site(
    site: Site, state: QueueState, log: Log | None = None, machine: Cluster | None = None, zone: str = ""
) -> SiteQueue:
    """The queue of a site on the machine of its files, unless another `machine`, or one for the log, is asked
    for; of files that name no nodes, on the log's, and a note says so.

    `zone` is the time zone of the site's clock, where the queue does not tell it. The log is read for the
    machine of the site. Raises InputError, also where nothing tells the machine.
    """
    notes: list[str] = []
    # The machine that was asked for goes before the log's, and this before that of the files.
    if log is not None:
        log = log.on_site_machine([site_policy(site)])
        machine = log.cluster if log.asked and machine is None else machine
    if machine is None and site.machine is None:
        if log is None:
            raise InputError(f"{site.path}: its files name no nodes: name its machine too, or give its log")
        machine = log.cluster
        notes.append(f"the site's files name no nodes: planned on {machine}, the machine of the log")
    elif machine is not None and machine != site.machine:
        notes.append(f"planned on {machine}, not on the machine of the site's files")
    if machine is not None:
        site = site.on(machine)
    # A pool has no nodes that a job could ask for.
    if site.conf.machine.pooled:
        state = replace(state, jobs=tuple(map(_in_pool, state.jobs)))
    # Reservations need the time of the site's clock; without them no clock is needed.
    site = replace(site, clock=clock_of(state, zone) if site.reservations else None)
    if state.cluster and _cluster_name(site) not in ("", state.cluster.lower()):
        notes.append(f"the site's files are of cluster {_cluster_name(site)}, not of {clip(state.cluster)}")
    notes += [*queue_doubts(site, state), *_doubts_of_reservations(site, state, zone)]
    state = replace(state, notes=(*state.notes, *notes))
    return SiteQueue(site, state, None if log is None else log.trace)


def job_spelled(text: str) -> QueuedJob:
    """The job of `64c256g8gpu/12h` that is submitted now: resources a node, N nodes before an x, its limit.

    It is of no known user, in the site's default partition. Raises InputError.
    """
    machine, slash, limit = text.partition("/")
    if not slash:
        raise InputError(f"{text}: expected resources and a time limit, like 2x64c256g/12h")
    try:
        (group,) = parse_cluster(machine).groups
        seconds = parse_duration(limit)
        if seconds < 1:
            raise InputError("a time limit is longer than 0 s")
    except (InputError, ValueError) as error:
        raise InputError(f"{text}: {error}") from None
    return new_job("", "", seconds, group)


def _in_pool(job: QueuedJob) -> QueuedJob:
    """A job on a machine of which only the processors are known: all that it asks for, on its one node."""
    ram, gpus = job.ram * job.nodes, job.gpus * job.nodes
    return replace(job, nodes=1, most_nodes=1, ram=ram, gpus=gpus, spread=False, node_list="")


def _doubts_of_reservations(site: Site, state: QueueState, zone: str) -> Iterator[str]:
    """By which clock the dates of reservations are taken, and how many jobs ask for unknown ones."""
    if not site.reservations:
        return
    reservations = plural(len(site.reservations), "reservation")
    if site.clock is None:
        yield f"{reservations} not regarded: the queue does not say when it was printed"
    elif state.clock is None:
        where = f"in the time zone {zone}" if zone else "in this computer's time zone"
        yield f"{reservations} {where}: the queue does not say by which clock"
    known = {reservation.name for reservation in site.reservations}
    if unknown := sum(bool(job.reservation) and job.reservation not in known for job in state.jobs):
        yield f"{plural(unknown, 'job')} in reservations that no file has: planned like other jobs"


def queue_doubts(site: Site, state: QueueState) -> Iterator[str]:
    """What of a site's files is not read, and how many jobs have no association or no partition in them."""
    yield from site.notes
    if site.conf.down:
        nodes = plural(len(site.conf.down), "node")
        yield f"{nodes} down or drained by the site's files: nothing starts there"
    yield from _users_not_known(site, state)
    if site.conf.partitions:
        names = [name for job in state.jobs for name in job.partition.split(",")[:1] if name]
        if elsewhere := sum(site.conf.partition(name) is None for name in names):
            yield f"{plural(elsewhere, 'job')} in partitions that the site's files do not have: on any nodes"


def _users_not_known(site: Site, state: QueueState) -> Iterator[str]:
    """How many jobs are of users whose association the site's files do not list, and what becomes of them."""
    known = {(own.account, own.user) for own in site.associations}
    users = {user for _, user in known}
    strange = [
        job
        for job in state.jobs
        if job.user and ((job.account, job.user) not in known if job.account else job.user not in users)
    ]
    # slurmctld would start no jobs without an association there: whoever runs jobs has an association.
    current = with_users_who_run(site, state.jobs)
    shut_out = sum(has_no_association(current, job.user, job.account) for job in strange)
    text = "of users without an association in the site's files"
    if shut_out:
        yield f"{plural(shut_out, 'job')} {text}: Slurm starts none of them (AccountingStorageEnforce)"
    if site.associations and len(strange) > shut_out:
        yield f"{plural(len(strange) - shut_out, 'job')} {text}: without limits"
