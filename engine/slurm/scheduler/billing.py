"""Billing units of jobs: what Slurm counts as usage of fairshare, and limits of `billing`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.slurm.scheduler.state import Floats, Ints
from engine.slurm.site.site import Site
from engine.slurm.values.tres import weights_of
from engine.trace import Trace

_ON_NODES = ("cpus", "ram", "node")
_MAX_TRES, _MAX_TRES_GRES = "max_tres", "max_tres_gres"


def billing_of_trace(site: Site, trace: Trace, nodes: Ints) -> Floats:
    """The billing units of the jobs of a trace, (n,), on so many `nodes`, of all that they were given."""
    gpus = np.zeros(len(trace), np.int64) if trace.gpus is None else trace.gpus
    total = np.maximum(np.column_stack([trace.procs, trace.ram, gpus]), 0)
    partitions = np.array(trace.queue.names, object)[trace.queue.codes].tolist()
    return billing_of(site, partitions, ("cpus", "ram", "gpu"), total, np.maximum(nodes, 1))


def billing_of(
    site: Site, partitions: Sequence[str], resources: tuple[str, ...], total: Ints, nodes: Ints
) -> Floats:
    """The billing units of each of n jobs, (n,): its CPUs, or the sum by its partition's TRESBillingWeights.

    `partitions` are the names of theirs, `total`, (n, K), is what each takes of each resource, RAM in MiB,
    and `nodes`, (n,), on how many nodes. With MAX_TRES in PriorityFlags the largest product counts in place
    of the sum, with MAX_TRES_GRES the largest of CPUs, RAM and nodes, and all other resources beside it
    (assoc_mgr_tres_weighted in Slurm's assoc_mgr.c).
    """
    names, number = np.unique(np.array(partitions, object).astype(str), return_inverse=True)
    amounts = np.column_stack([total, nodes]).astype(np.float64)
    columns = (*resources, "node")
    flags = [flag.strip().lower() for flag in site.conf.option("PriorityFlags").split(",")]
    of_nodes = np.array([name in _ON_NODES for name in columns])
    # Without weights Slurm bills the CPUs.
    billing = total[:, 0].astype(np.float64)
    # Weights are a partition's, and a job that names several counts by the first.
    for k, name in enumerate(names.tolist()):
        partition = site.conf.partition(name.split(",")[0])
        weights = weights_of("" if partition is None else partition.keys.get("tresbillingweights", ""))
        if not weights:
            continue
        of_partition = number == k
        products = amounts[of_partition] * np.array([weights.get(column, 0.0) for column in columns])
        if _MAX_TRES in flags:
            billing[of_partition] = products.max(axis=1)
        # The largest of what lies on nodes, and the sum of all that does not.
        elif _MAX_TRES_GRES in flags:
            billing[of_partition] = products[:, of_nodes].max(axis=1) + products[:, ~of_nodes].sum(axis=1)
        else:
            billing[of_partition] = products.sum(axis=1)
    return billing
