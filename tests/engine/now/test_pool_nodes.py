"""Queues on machines that only count processors, beside the same machines spelled as nodes of one."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.logs.queue.state import RUNNING, QueuedJob, new_job
from engine.machine.cluster import Cluster, parse_cluster
from engine.now.pool_nodes import on_processors
from engine.now.prediction import predict
from engine.now.schedule_spans import planned_instant
from engine.policy.policy import site_policy
from engine.simulation.run import simulate
from engine.slurm.scheduler.pool_nodes import MOST_NODES
from engine.slurm.site.folder import read_site_at
from engine.slurm.site.site import Site, site_of_machine
from tests.traces import make_trace


def _queue(seed: int, procs: int) -> list[QueuedJob]:
    """Jobs that fill the machine, and others that wait for parts of it."""
    random = np.random.default_rng(seed)
    asked = new_job("ann", "", 3600, parse_cluster("1x1c").groups[0])
    waiting = [
        replace(asked, job_id=str(k), cpus=int(random.integers(1, procs + 1)), limit=600 * (1 + k % 7))
        for k in range(12)
    ]
    busy = replace(asked, job_id="r1", state=RUNNING, cpus=procs // 2, elapsed=300)
    return [busy, replace(busy, job_id="r2", cpus=procs // 4, elapsed=900), *waiting]


def _planned(site: Site, jobs: list[QueuedJob]) -> dict[str, int | None]:
    return {each.job.job_id: each.planned for each in predict(site, jobs, replays=0).waiting}


@pytest.mark.parametrize("seed", range(3))
def test_a_pool_is_planned_as_its_processors(seed: int) -> None:
    jobs = _queue(seed, 16)
    spread = [replace(job, spread=True, most_nodes=0) for job in jobs]
    one, each = site_of_machine("pool", Cluster.pool(16)), site_of_machine("nodes", parse_cluster("16x1c"))
    planned = _planned(one, [replace(job, most_nodes=1, spread=False) for job in jobs])
    assert planned == _planned(each, spread)
    assert len(set(planned.values())) > 4


def test_its_nodes_have_what_all_requests_share_and_are_not_too_many() -> None:
    jobs = [replace(_queue(1, 16)[0], cpus=cpus) for cpus in (16, 24)]
    shared, same = on_processors(site_of_machine("pool", Cluster.pool(64)), jobs)
    assert shared.conf.machine.spelling == "8x8c"
    assert [job.cpus for job in same] == [16, 24]
    large = on_processors(site_of_machine("pool", Cluster.pool(93_312)), [replace(jobs[0], cpus=1)])[0]
    assert large.conf.machine.cpus == 93_312
    assert 0.9 * MOST_NODES < large.conf.machine.nodes <= MOST_NODES
    rich = site_of_machine("pool", parse_cluster("64c256g"))
    assert on_processors(rich, jobs) == (rich, jobs)  # of memory a job needs all in one place


def test_the_only_node_of_a_site_stays_a_node(tmp_path: Path) -> None:
    """Behind a plan for all of a node Slurm plans nothing there, however few processors that needs."""
    conf = tmp_path / "slurm.conf"
    conf.write_text("NodeName=a1 CPUs=16\nPartitionName=batch Nodes=a1\n")
    site = read_site_at(conf)
    assert on_processors(site, _queue(1, 16))[0] == site
    assert on_processors(site.on(Cluster.pool(32)), _queue(1, 16))[0].conf.machine.cpus == 32


def test_a_site_without_nodes_is_planned_on_the_machine_of_the_schedule(tmp_path: Path) -> None:
    """The job of all processors waits for the first one, whose time limit ends 200 s after the instant."""
    conf = tmp_path / "slurm.conf"
    conf.write_text("PriorityType=priority/basic\nSchedulerParameters=bf_interval=30\n")
    trace = make_trace([0, 10], [300, 100], [4, 8], cluster=Cluster.pool(8))
    schedule = simulate(trace, trace.cluster, site_policy(read_site_at(conf)))
    instant = planned_instant(schedule, 100)
    assert instant.planned.tolist() == [1]
    assert instant.promised[0] == pytest.approx(int(schedule.start[1]), abs=65)
