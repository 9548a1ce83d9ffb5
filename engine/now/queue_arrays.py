"""Jobs of the present queue as arrays for the schedulers of a site, and what they do not say themselves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.arrays import Ints
from engine.logs.queue.state import QueuedJob
from engine.machine.cluster import Cluster
from engine.slurm.scheduler.backfill import cycle_numbers
from engine.slurm.scheduler.limits import seconds_of
from engine.slurm.scheduler.state import SiteJobs
from engine.slurm.site.site import Site

NO_LIMIT = 30 * 86_400  # s that a job without a limit may run


def queue_arrays(
    jobs: Sequence[QueuedJob], cluster: Cluster, part: Ints, zone: Ints, limit: Ints, asked: Ints
) -> SiteJobs:
    """The jobs as one group of tasks each: a task a node of jobs that have as many CPUs on each of the nodes
    that they asked for, else single CPUs, on the numbers of nodes that are `asked` for, (n, 3).
    """
    # Jobs on a known number of nodes have a task on each of them; others are tasks of one CPU.
    even = [
        not job.spread and job.cpus % job.nodes == 0 and job.most_nodes in (None, 0, job.nodes)
        for job in jobs
    ]
    each = [max(job.cpus // job.nodes, 1) if whole else 1 for job, whole in zip(jobs, even, strict=True)]
    tasks = [job.nodes if whole else job.cpus for job, whole in zip(jobs, even, strict=True)]
    names = cluster.resources
    need = np.zeros((len(jobs), len(names)), np.int64)
    for row, (job, cpus) in enumerate(zip(jobs, each, strict=True)):
        # squeue tells memory of a node: each task gets the part of its CPUs.
        ram = job.ram * job.nodes * cpus // job.cpus if cluster.limits_ram else 0
        amounts = {"cpus": cpus, "ram": ram, "gpu": job.gpus}
        need[row] = [amounts.get(name, 0) for name in names]
    count = len(jobs)
    user, account = (_codes([getattr(job, name) for job in jobs]) for name in ("user", "account"))
    zero = np.zeros(count, np.int64)
    return SiteJobs(
        submit=zero,
        runtime=limit.copy(),
        limit=-(-limit // 60) * 60,
        # Priorities are as printed, and no usage counts.
        billing=np.array([job.cpus for job in jobs], np.float64),
        part=part,
        user=zero.copy(),
        base=np.array([job.priority or 0.0 for job in jobs], np.float64),
        begin=zero.copy(),
        offset=np.arange(count + 1),
        tasks=np.array(tasks, np.int64),
        need=need,
        most=np.where(np.array(even, np.bool_), 1, np.int64(1) << 40),
        zone=zone,
        exclusive=np.zeros(count, np.bool_),
        inside=np.full(count, -1, np.int64),
        nodes=asked,
        tested=cycle_numbers(user, account, part),
    )


def _codes(names: Sequence[str]) -> Ints:
    """A number for each name, equal for equal names, (n,)."""
    number = {name: k for k, name in enumerate(dict.fromkeys(names))}
    return np.array([number[name] for name in names], np.int64)


def limit_of(site: Site, job: QueuedJob) -> int:
    """The time limit of a job, s: its own, else MaxTime of its partition up to NO_LIMIT, else NO_LIMIT."""
    if job.limit is not None:
        return job.limit
    partition = site.conf.partition(job.partition.partition(",")[0])
    return NO_LIMIT if partition is None else min(seconds_of([partition.keys.get("maxtime")]), NO_LIMIT)


def places_of_het_jobs(jobs: Sequence[QueuedJob]) -> list[list[int]]:
    """The places of the parts of each heterogeneous job."""
    places: dict[str, list[int]] = {}
    for place, job in enumerate(jobs):
        if job.together:
            places.setdefault(job.together, []).append(place)
    return list(places.values())
