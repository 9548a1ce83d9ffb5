"""A queue on a machine that only counts its processors: it is planned by processors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.logs.queue.state import QueuedJob
from engine.slurm.scheduler.pool_nodes import nodes_of_pool
from engine.slurm.site.site import Site


def on_processors(site: Site, jobs: Sequence[QueuedJob]) -> tuple[Site, list[QueuedJob]]:
    """The site with its pool as nodes, and the jobs with requests for processors on any of these.

    Both stay as they are where `nodes_of_pool` makes no nodes of the machine.
    """
    nodes = nodes_of_pool(site, site.conf.machine, np.array([job.cpus for job in jobs], np.int64))
    if nodes is None:
        return site, list(jobs)
    return replace(site, conf=replace(site.conf, machine=nodes)), [
        replace(job, nodes=1, most_nodes=0, spread=True, ram=0, gpus=0, node_list="") for job in jobs
    ]
