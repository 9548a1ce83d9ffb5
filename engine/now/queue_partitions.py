"""The partitions in which a job of the queue may start that names several, as `batch,short`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Mask
from engine.logs.queue.state import QueuedJob
from engine.slurm.scheduler.refusals import refusal_of
from engine.slurm.site.site import Site


def with_partitions(site: Site, jobs: Sequence[QueuedJob]) -> list[QueuedJob]:
    """The jobs with those of their partitions alone that would not refuse them, if any is left.

    Jobs that name none are in the default one, if there is such.

    Slurm starts a job in one of its partitions, wherever it fits first: if it needs one node, on one of any;
    but never on nodes of several. Of a wider job only the partition with the most nodes is kept.
    """
    known: dict[QueuedJob, str] = {}
    default, with_partition = site.conf.default_partition(), []
    for job in jobs:
        # slurmctld puts such jobs into the partition with Default=YES.
        if not job.partition and default is not None:
            job = replace(job, partition=default.name)
        if "," in job.partition:
            # Whether a partition refuses a job depends on what the job asks for, not on its number or age:
            # jobs that are alike are looked at once.
            like = replace(
                job, job_id="", elapsed=0, waited=0, priority=None, node_list="", array="", together=""
            )
            if like not in known:
                known[like] = _open_to(site, like)
            job = replace(job, partition=known[like])
        with_partition.append(job)
    return with_partition


def nodes_of_queues(site: Site, queues: Sequence[str], parts: Mask, order: NDArray[np.int64]) -> Mask:
    """The nodes of each queue, (Q + 1, N), of which `parts` has those of its first partition.

    `order` are the numbers of the machine's nodes in the cluster.
    """
    groups = site.conf.machine.groups
    group_of = np.repeat(np.arange(1, len(groups) + 1), [group.count for group in groups])[order]
    parts = parts.copy()
    for queue, names in enumerate(queues):
        # A job that names several partitions may start on the nodes of any of them.
        for name in names.split(",")[1:]:
            partition = site.conf.partition(name)
            if partition is not None and len(groups) == len(site.conf.groups):
                parts[queue] |= np.isin(group_of, partition.groups)
    return np.ascontiguousarray(parts)


def _open_to(site: Site, job: QueuedJob) -> str:
    names = job.partition.split(",")
    partitions = [name for name in names if refusal_of(site, (), replace(job, partition=name)) is None]
    partitions = partitions or names[:1]
    if job.nodes == 1 and not job.spread:
        return ",".join(partitions)
    return max(partitions, key=lambda name: _count(site, name))


def _count(site: Site, name: str) -> int:
    """The nodes of a partition."""
    partition, groups = site.conf.partition(name), site.conf.machine.groups
    if partition is None or len(groups) != len(site.conf.groups):
        return 0
    return sum(groups[number - 1].count for number in partition.groups)
