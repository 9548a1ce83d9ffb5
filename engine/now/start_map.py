"""When a job that is submitted now would start, over sizes and time limits: where the holes are."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.logs.queue.state import QueuedJob
from engine.now.prediction import asked_job
from engine.now.waiting import is_deep, planned_start
from engine.simulation.control import Cancelled, Control, thread_pool
from engine.slurm.site.site import Site

NEVER = -1
"""The delay of a job that would never start, because it fits on no nodes."""

LIMITS = (600, 1800, 3600, 2 * 3600, 4 * 3600, 8 * 3600, 12 * 3600, 86_400, 2 * 86_400, 4 * 86_400)
"""Time limits of a map, s."""

_MOST_SIZES = 10


@dataclass(frozen=True, eq=False)
class StartMap:
    """Planned delays, s, of shape (sizes, limits); NEVER where the job would not start.

    `sizes` are processors, ascending, `each` is the most of them on a node, 0: as many as the `job` has
    there, and `limits` are time limits in s; `job` has the rest of the request.
    For deep queues it is `coarse`, as `first_forecast` plans.
    """

    job: QueuedJob
    sizes: tuple[int, ...]
    limits: tuple[int, ...]
    delay: NDArray[np.int64]
    coarse: bool = False
    each: int = 0

    def asked(self, size: int) -> QueuedJob:
        """The job of a size, by its number."""
        return sized(self.job, self.sizes[size], self.each)


def sizes_of(each: int, processors: int) -> tuple[int, ...]:
    """Sizes of a job, up to `processors`: halves of a node with `each` processors, then nodes, doubling.

    At most ten sizes, from a processor to the whole machine; on larger machines some between are left out.
    """
    each = max(min(each, processors), 1)
    most = processors // each
    parts = [1 << k for k in range(each.bit_length()) if 1 << k < each]
    whole = [each << k for k in range(most.bit_length()) if 1 << k < most]
    sizes = (*parts, *whole, most * each)
    kept = np.linspace(0, len(sizes) - 1, min(len(sizes), _MOST_SIZES)).round().astype(int)
    return tuple(sizes[k] for k in kept.tolist())


def sized(job: QueuedJob, cpus: int, each: int = 0) -> QueuedJob:
    """The job with another number of processors, on as many nodes as it then needs.

    It has up to `each` processors on a node, 0: as many as before. Its memory and GPUs a node stay.
    """
    return replace(job, cpus=cpus, nodes=-(-cpus // (each or max(job.cpus // job.nodes, 1))))


def start_map(
    site: Site,
    jobs: Sequence[QueuedJob],
    job: QueuedJob,
    sizes: Sequence[int],
    limits: Sequence[int] = LIMITS,
    control: Control | None = None,
    each: int = 0,
) -> StartMap:
    """The planned delay of an additional job, for each size and limit. Raises Cancelled, and InputError.

    `each` is as for `sized`.
    """
    cells = [(size, limit) for size in sizes for limit in limits]
    control = control or Control()
    control.jobs = len(cells)
    # Every cell is planned in the same steps, so that cells can be compared.
    coarse = is_deep(jobs)

    def plan(cell: tuple[int, int]) -> int:
        if control.cancelled:
            raise Cancelled
        size, limit = cell
        asked = asked_job(jobs, replace(sized(job, size, each), limit=limit))
        planned = planned_start(site, [*jobs, asked], asked, coarse)
        # Progress is counted in cells.
        control.array[1] += 1
        return NEVER if planned is None else planned

    # Kernels release the lock, so that threads plan several cells at a time.
    with thread_pool(os.cpu_count() or 1) as pool:
        starts = list(pool.map(plan, cells))
    delay = np.array(starts, np.int64).reshape(len(sizes), len(limits))
    return StartMap(job, tuple(sizes), tuple(limits), delay, coarse, each)


def map_of(site: Site, jobs: Sequence[QueuedJob], job: QueuedJob, control: Control | None = None) -> StartMap:
    """The map of jobs like this one, up to the size of its partition. Raises Cancelled, and InputError.

    A job of one node grows on it first, then by nodes; a job of several nodes keeps its processors a node.
    """
    node, processors = _room(site, job.partition)
    each = node if job.nodes == 1 else max(job.cpus // job.nodes, 1)
    return start_map(site, jobs, job, sizes_of(each, processors), control=control, each=each)


def _room(site: Site, partition: str) -> tuple[int, int]:
    """The processors of a partition's widest node, and of all its nodes; of the machine if not known."""
    groups = site.conf.machine.groups
    entry = site.conf.partition(partition)
    of_partition = (
        [groups[number - 1] for number in entry.groups if 0 < number <= len(groups)] if entry else []
    )
    of_partition = of_partition or list(groups)
    return max(group.cpus for group in of_partition), sum(group.count * group.cpus for group in of_partition)
