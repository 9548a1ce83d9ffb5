"""The question `now` on queues that are planned by hand."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.errors import InputError
from engine.logs.queue.state import RUNNING, WAITING, QueuedJob, QueueState
from engine.machine.cluster import Cluster, parse_cluster
from engine.now.log_spans import learned_of_replays
from engine.now.queue_forecast import Replaying, forecast_queue
from engine.now.site_queue import job_spelled, queue_at_site, site_named
from engine.reading.log import Log
from engine.simulation.control import Cancelled, Control
from engine.slurm.site.site import Site
from tests.traces import make_trace

JOB = QueuedJob("2", "ann", "", "batch", WAITING, "Priority", 0, 0, 3600, 8, 2, 0, 0, False, "", "", 10.0)
BUSY = replace(JOB, job_id="1", state=RUNNING, elapsed=1800, node_list="a[1-2]")
PLAN = Replaying(replays=0)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """Two nodes of 4 CPUs in `batch`."""
    conf = tmp_path / "slurm.conf"
    conf.write_text("NodeName=a[1-2] CPUs=4\nPartitionName=batch Nodes=a[1-2] Default=YES\n")
    return site_named(str(conf))


@pytest.fixture
def bare(tmp_path: Path) -> Site:
    """A site whose files name no nodes."""
    conf = tmp_path / "bare.conf"
    conf.write_text("PriorityType=priority/basic\n")
    return site_named(str(conf))


def _planned(site: Site, *jobs: QueuedJob, machine: str = "", log: Log | None = None) -> list[int | None]:
    state = QueueState(jobs, 1000, ())
    queue = queue_at_site(site, state, log, parse_cluster(machine) if machine else None)
    return [each.planned for each in forecast_queue(queue, PLAN).forecast.waiting]


def test_a_refused_job_has_no_planned_start_and_delays_nobody(site: Site) -> None:
    """Slurm counts none of its CPUs, even where it would be the first by its priority."""
    queue = queue_at_site(site, QueueState((BUSY, JOB), 1000, ()))
    alone = forecast_queue(queue, PLAN)
    found = forecast_queue(queue, PLAN, asked=job_spelled("3x4c/1h"))
    (first, asked) = found.forecast.waiting
    assert found.refused is not None
    assert first == alone.forecast.waiting[0]
    assert (asked.job, asked.planned) == (found.asked, None)
    assert asked.why == found.refused.reason
    assert "2 nodes" in asked.why
    assert found.facts()["refused"] == f"Slurm would refuse this job: {asked.why}"
    assert forecast_queue(queue, PLAN, asked=job_spelled("2x4c/1h")).facts()["refused"] is None


def test_another_machine_than_the_files_is_named(site: Site, bare: Site) -> None:
    """On four nodes the second job starts at once; the nodes of the running one are not known there."""
    wide = replace(JOB, cpus=16, nodes=4)
    assert _planned(site, wide) == [None]
    assert _planned(site, wide, machine="4x4c") == _planned(bare, wide, machine="4x4c") != [None]
    queue = queue_at_site(site, QueueState((), 1000, ()), machine=parse_cluster("4x4c"))
    assert queue.state.notes == ("planned on 4x4c, not on the machine of the site's files",)
    with pytest.raises(InputError, match="name no nodes: name its machine too, or give its log"):
        queue_at_site(bare, QueueState((), 1000, ()))


def test_on_a_machine_of_processors_alone_jobs_take_these_on_whatever_nodes(bare: Site) -> None:
    trace = make_trace([0, 10, 20], [100] * 3, 4, cluster=Cluster.pool(8))
    log = Log(trace, trace.cluster)
    (planned,) = _planned(bare, BUSY, JOB, log=log)
    assert planned == pytest.approx(1800, abs=60)
    assert _planned(bare, JOB, log=log)[0] == pytest.approx(0, abs=60)
    queue = queue_at_site(bare, QueueState((JOB,), 1000, ()), log)
    assert queue.state.notes[0] == "the site's files name no nodes: planned on 8c, the machine of the log"


def test_what_needs_a_log_says_so_and_a_short_one_gives_no_further_jobs(bare: Site, site: Site) -> None:
    queue = queue_at_site(site, QueueState((JOB,), 1000, ()))
    for how in (Replaying(arrivals=True), Replaying(instants=12)):
        with pytest.raises(InputError, match="give a log"):
            forecast_queue(queue, how)
    trace = make_trace([0, 10, 20], [100] * 3, 4, cluster=Cluster.pool(8))
    found = forecast_queue(
        queue_at_site(bare, QueueState((JOB,), 1000, ()), Log(trace, trace.cluster)),
        Replaying(replays=2, arrivals=True, instants=0),
    )
    assert found.forecast.weeks == 0
    assert any("less than a week of submissions" in note for note in found.state.notes)


def test_it_tells_how_far_it_is_and_is_cancelled(site: Site) -> None:
    queue, control = queue_at_site(site, QueueState((BUSY, JOB), 1000, ())), Control()
    forecast_queue(queue, Replaying(replays=2, seconds=None), control=control)
    assert control.jobs == 2
    control.cancel()
    with pytest.raises(Cancelled):
        forecast_queue(queue, Replaying(replays=2), control=control)


def test_the_table_has_a_row_for_each_waiting_job(site: Site) -> None:
    table = forecast_queue(queue_at_site(site, QueueState((BUSY, JOB), 1000, ())), PLAN).waiting
    assert table.job_id.tolist() == ["2"]
    assert table.planned.dtype == "Int64"
    assert table.expected.isna().all()
    assert np.isfinite(table.planned[0])


def test_what_is_claimed_does_not_depend_on_how_busy_the_machine_is(bare: Site) -> None:
    """The log is asked at as many instants as were asked for; with too few replays nothing is claimed."""
    count = 90  # a job of 60 s every 150 s, which waits for 0 to 90 s
    trace = make_trace(
        [150 * k for k in range(count)], [60] * count, 8, walltime=[200] * count,
        wait=[30 * (k % 4) for k in range(count)], cluster=Cluster.pool(8),
    )  # fmt: skip
    queue = queue_at_site(bare, QueueState((BUSY, JOB), 1000, ()), Log(trace, trace.cluster))
    how = Replaying(replays=4)
    whole = forecast_queue(queue, how)
    assert whole.learned is not None
    assert whole.learned.by is not None
    assert learned_of_replays(whole.learned, 4, 4) == whole.learned
    few = learned_of_replays(whole.learned, 3, 4)
    assert (few.by, few.words) == (
        None,
        "time sufficed for 3 replays, and at each instant of the log 4 were made",
    )
    window, command = Replaying(), Replaying(seconds=None)
    assert (window, window.calibrating, window.replays_then) == (command, 60, 30)
