"""Schedules of a site on machines that only count processors, beside the same machines spelled as nodes."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.audit.audit import audit
from engine.audit.table import table_of
from engine.machine.cluster import Cluster, parse_cluster
from engine.policy.policy import site_policy
from engine.schedule.schedule import Schedule
from engine.simulation.run import simulate
from engine.slurm.site.folder import read_site_at
from engine.slurm.site.site import Site
from tests.traces import make_trace


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A site without nodes."""
    conf = tmp_path_factory.mktemp("site") / "slurm.conf"
    conf.write_text("PriorityType=priority/basic\nSchedulerParameters=bf_interval=30\n")
    return read_site_at(conf)


def _schedule(site: Site, cluster: Cluster, log: bool = False) -> Schedule:
    random = np.random.default_rng(5)
    runtime = random.integers(60, 900, 40).tolist()
    trace = make_trace(
        np.sort(random.integers(0, 3000, 40)).tolist(),
        runtime,
        random.integers(1, 13, 40).tolist(),
        walltime=[2 * each for each in runtime],
        cluster=cluster,
    )
    return simulate(trace, cluster, site_policy(site), log=log)


def test_a_pool_is_backfilled_by_processors(site: Site) -> None:
    pool, nodes = (_schedule(site, machine) for machine in (Cluster.pool(16), parse_cluster("16x1c")))
    assert pool.start.tolist() == nodes.start.tolist()
    assert len(np.unique(pool.wait)) > 10
    assert pool.cluster == Cluster.pool(16)
    assert pool.pieces["node"].tolist() == [0] * 40
    assert pool.pieces["cpus"].tolist() == pool.trace.procs.tolist()
    assert pool.policy == site_policy(site)


def test_the_audit_of_a_schedule_on_a_pool_finds_nothing(site: Site) -> None:
    schedule = _schedule(site, Cluster.pool(16), log=True)
    assert len(schedule.log)
    assert not audit(table_of(schedule), schedule.cluster, schedule.policy).findings


def test_a_site_of_several_nodes_is_planned_by_processors_on_a_pool(tmp_path: Path) -> None:
    """Partitions are of nodes that a pool does not have."""
    conf = tmp_path / "slurm.conf"
    conf.write_text("NodeName=a[1-2] CPUs=8\nNodeName=b1 CPUs=4\nPartitionName=small Nodes=b1 Default=YES\n")
    site = read_site_at(conf)
    own = replace(site, conf=replace(site.conf, groups=()))
    pool, nodes = _schedule(site, Cluster.pool(16)), _schedule(own, parse_cluster("16x1c"))
    assert pool.start.tolist() == nodes.start.tolist()
