"""What would help a waiting job, and the map of starts, on a queue that is planned by hand."""

from dataclasses import replace
from pathlib import Path

import pytest

from engine.answer import Answer, QueueNow, WaitingJob
from engine.logs.queue.state import RUNNING, WAITING, QueuedJob, QueueState, new_job
from engine.machine.cluster import NodeGroup
from engine.now.queue_forecast import first_plan
from engine.now.site_queue import SiteQueue
from engine.now.start_map import NEVER, map_of, sized, sizes_of, start_map
from engine.now.waiting import alternatives, planned_start
from engine.simulation.control import Cancelled, Control
from engine.slurm.site.folder import read_site_at
from engine.slurm.site.site import Site

JOB = QueuedJob("1", "ann", "", "batch", WAITING, "Priority", 0, 0, 7200, 8, 2, 0, 0, False, "", "", 10.0)
BUSY = replace(JOB, job_id="2", state=RUNNING, elapsed=0, limit=3600, cpus=4, nodes=1, node_list="a1")
FIRST = replace(JOB, job_id="3", priority=20.0)
LITTLE = replace(JOB, job_id="4", cpus=4, nodes=1)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """Two nodes of 4 CPUs for `batch`, and a third one for `other`."""
    conf = tmp_path / "slurm.conf"
    conf.write_text(
        "NodeName=a[1-2] CPUs=4\nNodeName=b CPUs=4\nPartitionName=batch Nodes=a[1-2] Default=YES\n"
        "PartitionName=other Nodes=b\nSchedulerParameters=bf_interval=30\n"
    )
    return read_site_at(conf)


def test_a_shorter_job_backfills_and_another_partition_is_free(site: Site) -> None:
    """One node is taken for an hour, and a job of two nodes is first: a job of 2 h waits for both, 3 h."""
    jobs = [BUSY, FIRST, LITTLE]
    assert planned_start(site, jobs, LITTLE) == pytest.approx(3 * 3600, abs=95)
    control = Control()
    found = {alternative.text: alternative for alternative in alternatives(site, jobs, LITTLE, control)}
    assert control.progress == 1.0
    assert len(found) == 4
    quarter = found["a time limit of 30 min instead of 2 h"]
    narrow = found["2 processors instead of 4, running longer in proportion"]
    other = found["partition other instead of batch"]
    assert quarter.start is not None
    assert quarter.start <= 95
    assert quarter.sooner is not None
    assert quarter.sooner > 10_000
    assert narrow.start == pytest.approx(3 * 3600, abs=95)
    assert other.start is not None
    assert other.start <= 95


def test_what_starts_a_job_helps_it_that_would_never_start(site: Site) -> None:
    """Three nodes of two are never free, but fewer are; partitions that are down are not proposed."""
    *others, other = site.conf.partitions
    down = replace(other, keys={**other.keys, "state": "DOWN"})
    site = replace(site, conf=replace(site.conf, partitions=(*others, down)))
    never = replace(LITTLE, cpus=12, nodes=3, reason="PartitionNodeLimit")
    found = alternatives(site, [never], never)
    assert planned_start(site, [never], never) is None
    assert [outcome.text for outcome in found if outcome.helps] == [
        "8 processors instead of 12, running longer in proportion"
    ]
    assert not any("partition other" in outcome.text for outcome in found)
    planned = first_plan(SiteQueue(site, QueueState((never,), None, ())))
    queue = QueueNow(planned, str, "")
    text = Answer(WaitingJob(queue, never), found).text
    assert "None of these" not in text
    assert text.index("8 processors") < text.index("a time limit of")


def test_help_is_cancelled(site: Site) -> None:
    control = Control()
    control.cancel()
    with pytest.raises(Cancelled):
        alternatives(site, [BUSY, FIRST, LITTLE], LITTLE, control)
    with pytest.raises(Cancelled):
        start_map(site, [BUSY], LITTLE, (4,), (600,), control)


def test_the_map_tells_the_hole_in_front_of_a_wide_job(site: Site) -> None:
    asked = new_job("ann", "batch", 600, NodeGroup(1, 4))
    assert sizes_of(4, 8) == (1, 2, 4, 8)
    control = Control()
    found = start_map(site, [BUSY, FIRST], asked, (*sizes_of(4, 8), 16), (1800, 7200), control)
    assert control.progress == 1.0
    assert found.delay.shape == (5, 2)
    assert (found.delay[:3, 0] <= 95).all()  # half an hour fits in front, on one node
    assert (found.delay[:3, 1] > 3600).all()  # two hours do not
    assert (found.delay[3] > 3600).all()  # nor do two nodes
    assert (found.delay[4] == NEVER).all()


def test_sizes_are_parts_of_a_node_then_nodes() -> None:
    assert sizes_of(64, 64 * 12) == (1, 2, 4, 8, 16, 64, 128, 256, 512, 768)
    assert sizes_of(64, 64 * 1000) == (1, 4, 16, 32, 128, 512, 2048, 4096, 16384, 64000)
    assert sizes_of(48, 100) == (1, 2, 4, 8, 16, 32, 48, 96)
    assert sizes_of(8, 4) == (1, 2, 4)
    job = new_job("ann", "", 60, NodeGroup(2, 48, 1024))
    assert (sized(job, 32).cpus, sized(job, 32).nodes) == (32, 1)
    assert (sized(job, 192).cpus, sized(job, 192).nodes) == (192, 4)


def test_a_job_of_one_node_grows_on_it_before_it_takes_others(site: Site) -> None:
    job = new_job("ann", "batch", 600, NodeGroup(1, 1))
    found = map_of(site, [BUSY], job)
    assert found.sizes == (1, 2, 4, 8)
    assert [(found.asked(k).cpus, found.asked(k).nodes) for k in range(4)] == [(1, 1), (2, 1), (4, 1), (8, 2)]
    assert (found.delay >= 0).all()
    two = new_job("ann", "batch", 600, NodeGroup(2, 2))
    assert map_of(site, [BUSY], two).asked(1).nodes == 1
    assert map_of(site, [BUSY], two).sizes[-1] == 8
