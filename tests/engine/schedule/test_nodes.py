"""Nodes at an instant and the runs on one, against the definition, job by job and piece by piece."""

from dataclasses import replace

import numpy as np
import pytest

from engine.machine.cluster import parse_cluster
from engine.policy.policy import parse_policy
from engine.schedule.nodes import knows_nodes, nodes_at, runs_on
from engine.schedule.schedule import Schedule
from engine.simulation.run import simulate
from tests.traces import make_schedule, make_trace


@pytest.fixture(scope="module")
def schedule() -> Schedule:
    rng = np.random.default_rng(3)
    jobs = 60
    cluster = parse_cluster("3x4c8g2gpu+2x8c~2h/10m")
    tasks = [[(int(rng.integers(1, 3)), int(rng.integers(1, 4)), 1024)] for _ in range(jobs)]
    trace = make_trace(
        np.sort(rng.integers(0, 9000, jobs)).tolist(),
        rng.integers(100, 3000, jobs).tolist(),
        [count * cpus for ((count, cpus, _),) in tasks],
        tasks=tasks,
        user=[f"u{k % 4}" for k in range(jobs)],
        cluster=cluster,
    )
    trace = replace(trace, gpus=np.array([k % 2 for k in range(jobs)]))
    return simulate(trace, cluster, parse_policy("easy"))


def pieces_of(schedule: Schedule) -> list[tuple[int, int, int, int, int, int]]:
    """Job, start, end, node, processors and MiB of each piece of each run."""
    stopped, found = schedule.stopped, []
    runs = [(job, schedule.start[job], schedule.end[job], schedule.pieces, job) for job in range(60)]
    runs += [
        (j, s, e, stopped.pieces, k)
        for k, (j, s, e) in enumerate(zip(stopped.job, stopped.start, stopped.end, strict=True))
    ]
    for job, start, end, pieces, owner in runs:
        for row in range(pieces.offset[owner], pieces.offset[owner + 1]):
            place = (pieces[column][row] for column in ("node", "cpus", "ram"))
            found.append(tuple(map(int, (job, start, end, *place))))
    return found


@pytest.mark.parametrize("time", [0, 2000, 4000, 6000, 8000, 10_000, 40_000])
def test_nodes_at_an_instant(schedule: Schedule, time: int) -> None:
    at, pieces = nodes_at(schedule, time), pieces_of(schedule)
    assert len(schedule.stopped) > 0
    trace, size = schedule.trace, (4, 4, 4, 8, 8)
    for node in range(5):
        here = [piece for piece in pieces if piece[3] == node and piece[1] <= time < piece[2]]
        outages = schedule.outages
        down = any(
            n == node and s <= time < e
            for n, s, e in zip(outages.node, outages.start, outages.end, strict=True)
        )
        assert at.up[node] == (not down)
        assert at.cpus[node] == size[node]
        assert at.free_cpus[node] == (0 if down else size[node] - sum(piece[4] for piece in here))
        jobs = sorted({piece[0] for piece in here})
        assert at.jobs_on(node).tolist() == jobs
        assert at.jobs[node] == len(jobs)
        assert at.users[node] == len({trace.user.codes[job] for job in jobs})
        if node < 3:
            assert at.free_ram[node] == (0 if down else 8192 - sum(piece[5] for piece in here))
            held = sum(trace.gpus[piece[0]] * piece[4] / trace.procs[piece[0]] for piece in here)
            assert at.free_gpus[node] == (0 if down else max(2 - round(held), 0))
        else:
            assert np.isnan(at.free_ram[node])
            assert np.isnan(at.free_gpus[node])


@pytest.mark.parametrize("node", range(5))
def test_who_ran_on_a_node(schedule: Schedule, node: int) -> None:
    runs = runs_on(schedule, node)
    wanted: dict[tuple[int, int, int], int] = {}
    for job, start, end, where, cpus, _ in pieces_of(schedule):
        if where == node:
            wanted[start, job, end] = wanted.get((start, job, end), 0) + cpus
    found = zip(runs.start, runs.job, runs.end, runs.cpus, strict=True)
    assert [tuple(map(int, match)) for match in found] == [(*key, wanted[key]) for key in sorted(wanted)]
    assert set(runs.job.tolist()) == set(schedule.jobs_on(node).tolist())


def test_a_pool_and_a_log_without_nodes_tell_none(schedule: Schedule) -> None:
    assert knows_nodes(schedule)
    assert not knows_nodes(make_schedule(make_trace([0], [1]), [0], cluster=parse_cluster("8c")))
    assert not knows_nodes(make_schedule(make_trace([0], [1]), [0], cluster=parse_cluster("2x4c")))
