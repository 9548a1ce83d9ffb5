"""Failures of nodes under a site's own Slurm, against hand-made schedules and the auditor.

Two nodes of four CPUs; jobs are at least a minute long.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.audit.audit import audit
from engine.audit.site_reasons import false_site_reasons
from engine.audit.table import table_of
from engine.machine.cluster import Cluster, parse_cluster
from engine.machine.outages import Outages
from engine.metrics.summary import summary
from engine.policy.policy import site_policy
from engine.schedule.explain import explain
from engine.schedule.schedule import Decision, Schedule
from engine.simulation.run import simulate
from engine.slurm.site.folder import read_site_at
from engine.trace import Pieces, Trace
from tests.engine.audit.test_reasons import log_of
from tests.traces import make_trace

CONF = "PriorityType=priority/basic\nSchedulerParameters=bf_interval=30,bf_resolution=1\n{}\n"
AGAIN = 122  # s after a failure by which a job that was queued again may surely start


def _machine(*outages: tuple[int, int, int]) -> Cluster:
    node, start, end = np.array(outages, np.int64).reshape(-1, 3).T
    return replace(parse_cluster("2x4c"), failures=Outages.merged(node, start, end))


def _schedule(folder: Path, trace: Trace, cluster: Cluster, more: str = "") -> Schedule:
    (folder / "slurm.conf").write_text(CONF.format(more))
    return simulate(trace, cluster, site_policy(read_site_at(folder)), log=True)


def _assert_true(schedule: Schedule) -> None:
    report = audit(table_of(schedule), schedule.cluster, schedule.policy)
    assert not report.findings, report.findings


def test_a_job_of_a_failed_node_is_queued_again_and_runs_in_full_elsewhere(tmp_path: Path) -> None:
    """Both nodes are taken; at 300 s the first fails, and its job has to wait for the end of the other."""
    trace = make_trace([0, 1], [1000, 600], 4, walltime=[1200, 1200])
    found = _schedule(tmp_path, trace, _machine((0, 300, 5000)))
    first = int(found.stopped.job[0])
    assert found.stopped.job.tolist() == [first]
    assert found.stopped.end.tolist() == [300]
    assert found.stopped.by.tolist() == [-1]
    assert found.stopped.pieces["node"].tolist() == [0]
    other = 1 - first
    assert max(found.end[other], 300 + 120) <= found.start[first] <= max(found.end[other], 300) + AGAIN
    assert found.runtime.tolist() == trace.runtime.tolist()
    assert found.pieces["node"].tolist() == [1, 1]
    assert summary(found)["runs_stopped"] == 1
    assert summary(found)["stopped_area"] == 4 * (300 - found.stopped.start[0])
    _assert_true(found)
    texts = [interval.text for interval in explain(found, first).intervals]
    assert "running, until node 0 failed: it had to begin again" in texts
    assert "until it might start again after it was stopped by a failure of its node" in texts


def test_a_site_that_queues_no_job_again_loses_it(tmp_path: Path) -> None:
    trace = make_trace([0, 1], [1000, 600], 4, walltime=[1200, 1200])
    found = _schedule(tmp_path, trace, _machine((0, 300, 5000)), "JobRequeue=0")
    assert found.given_up.sum() == 1
    assert found.given_up[found.stopped.job].all()
    assert summary(found)["runs_stopped"] == 1
    _assert_true(found)


def test_nothing_starts_on_a_node_until_it_is_back_and_the_reason_says_so(tmp_path: Path) -> None:
    """The second job needs both nodes, of which one is down from before its submission until 900 s."""
    trace = make_trace([0, 60, 70], [100, 100, 100], [1, 8, 1], walltime=[600, 600, 600])
    found = _schedule(tmp_path, trace, _machine((1, 30, 900)))
    assert 900 <= found.start[1] <= 961
    assert found.start[2] < 200  # slurmctld does not know when the node comes back: no plan is in the way
    _assert_true(found)
    texts = [interval.text for interval in explain(found, 1).intervals]
    assert texts == ["because nodes had failed, and too few were left"]


def _false(schedule: Schedule, time: int, job: int) -> list[str]:
    """What the auditor says of a planted row by which the job waited for failed nodes then."""
    site, row = schedule.policy.site, (time, job, Decision.CLOSED, schedule.failed_nodes)
    assert site is not None
    findings = false_site_reasons(replace(schedule, log=log_of(row)), site)
    return [case.text for finding in findings for case in finding.cases]


def test_planted_waits_for_failed_nodes_are_found(tmp_path: Path) -> None:
    """One of two nodes is down from 30 to 900 s, and job 0 has the other until 300 s."""
    trace = make_trace([0, 60, 70, 80], [300, 100, 100, 100], [4, 8, 2, 4], walltime=[600] * 4)
    usual = _schedule(tmp_path, trace, _machine((1, 30, 900)))
    assert _false(usual, 100, 1) == []  # which needs both
    assert _false(usual, 25, 1) == ["it did not wait"]
    # However its two tasks lay once it ran, one node that works has room for both.
    own = slice(*usual.pieces.offset[2:4].tolist())
    assert own.stop - own.start == 1
    columns = {
        name: np.insert(usual.pieces[name], own.stop, usual.pieces[name][own.start])
        for name in usual.pieces.columns
    }
    columns["cpus"][own.start : own.stop + 1] = 1
    columns["node"][own.start : own.stop + 1] = 0, 1
    offset = usual.pieces.offset + (np.arange(len(trace) + 1) > 2)
    apart = replace(usual, pieces=Pieces(offset, columns))
    assert _false(apart, 100, 2) == ["nodes that worked had room for all of its 2 tasks"]
    assert _false(usual, 100, 3) == ["1 of its nodes worked, and it takes 1"]
    assert _false(apart, 100, 1) == []


def test_a_planted_wait_of_whole_nodes_for_failed_ones_is_found(tmp_path: Path) -> None:
    """Two tasks on whole nodes of two CPUs at least: it got the larger nodes, and smaller ones worked."""
    cluster = replace(parse_cluster("2x2c+2x4c"), failures=Outages.merged(*np.array([[3], [30], [900]])))
    trace = make_trace([0, 60], [600, 100], [4, 4], walltime=[1200, 600], cluster=cluster)
    columns = {
        **trace.tasks.columns,
        "count": np.array([1, 2]),
        "cpus": np.array([4, 2]),
        "whole": np.array([4, 2]),
    }
    trace = replace(trace, tasks=replace(trace.tasks, columns=columns))
    usual = _schedule(tmp_path, trace, cluster)
    pieces = Pieces(np.array([0, 1, 3]), {"node": np.array([2, 2, 3]), "cpus": np.array([4, 4, 4])})
    later = replace(usual, start=np.array([0, 1000]), end=np.array([600, 1100]), pieces=pieces)
    assert _false(later, 100, 1) == ["3 of its nodes worked, and it takes 2 whole"]


def test_a_job_ends_before_its_node_fails_in_the_same_second(tmp_path: Path) -> None:
    trace = make_trace([0], [600], 4, walltime=[1200])
    usual = _schedule(tmp_path, trace, _machine())
    end = int(usual.end[0])
    found = _schedule(tmp_path, trace, _machine((0, end, end + 100), (1, end, end + 100)))
    assert found.end.tolist() == usual.end.tolist()
    assert len(found.stopped) == 0
    cut = _schedule(tmp_path, trace, _machine((0, end - 1, end + 100), (1, end - 1, end + 100)))
    assert cut.stopped.end.tolist() == [end - 1]
    _assert_true(cut)


@pytest.mark.parametrize("seed", range(4))
def test_the_auditor_finds_nothing_in_schedules_with_drawn_failures(seed: int, tmp_path: Path) -> None:
    random = np.random.default_rng(seed)
    runtime = random.integers(60, 2000, 60)
    trace = make_trace(
        np.sort(random.integers(0, 20_000, 60)).tolist(),
        runtime.tolist(),
        random.integers(1, 13, 60).tolist(),
        walltime=(runtime * random.uniform(1, 3, 60)).astype(int).tolist(),
    )
    cluster = parse_cluster("4x4c~2h/20m/" + str(seed))
    found = _schedule(tmp_path, trace, cluster)
    assert len(found.stopped) > 3
    assert found.ran.all()
    assert found.runtime.tolist() == trace.runtime.tolist()
    _assert_true(found)
    plain = simulate(trace, cluster, found.policy)
    assert (plain.start == found.start).all()
