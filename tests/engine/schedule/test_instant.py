"""One instant of a schedule: what runs, waits and is free, worked out again job by job."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.machine.cluster import Cluster, NodeGroup
from engine.schedule.instant import FreeNodes, at_instant
from engine.schedule.schedule import Decision, Schedule
from engine.trace import Pieces
from tests.traces import make_schedule, make_trace, with_stopped
from tests.views.results import decisions

NODES = Cluster((NodeGroup(2, 8, 1000), NodeGroup(1, 4, 4000)))


def on_nodes(schedule: Schedule, node: list[int]) -> Schedule:
    """The same schedule with each job's piece on this node."""
    pieces = Pieces(schedule.pieces.offset, {**schedule.pieces.columns, "node": np.array(node, np.int64)})
    return replace(schedule, pieces=pieces)


def test_a_job_runs_from_its_start_and_no_longer_at_its_end() -> None:
    schedule = make_schedule(make_trace([0, 10, 10], [100, 50, 50], [40, 30, 90]), [0, 10, 100])
    seen = at_instant(schedule, 10)
    assert (list(seen.running), list(seen.waiting), seen.used, seen.free) == ([0, 1], [2], 70, 30)
    assert list(at_instant(schedule, 9).waiting) == []
    assert list(at_instant(schedule, 99).running) == [0]
    assert list(at_instant(schedule, 100).running) == [2]
    assert at_instant(schedule, -1).free == 100


def test_runs_that_will_be_stopped_run_and_nodes_that_are_down_are_not_free() -> None:
    trace = make_trace([0, 0], [100, 50], [6, 2])
    schedule = on_nodes(make_schedule(trace, [40, 0], cluster=NODES), [1, 0])
    schedule = with_stopped(schedule, (0, 10, 30, 1))
    before, during, after, again = (at_instant(schedule, time) for time in (20, 30, 39, 40))
    assert (list(before.running), list(before.waiting), before.used, before.free) == ([0, 1], [], 8, 12)
    assert before.nodes is not None
    assert before.nodes.cpus == 6
    assert (list(during.running), list(during.waiting), during.used, during.free) == ([1], [0], 2, 10)
    assert during.nodes is not None
    assert (during.nodes.cpus, after.free, again.free) == (6, 10, 12)


def test_a_refused_job_neither_runs_nor_waits() -> None:
    schedule = make_schedule(make_trace([0, 0], [10, 10]), [-1, 5])
    assert list(at_instant(schedule, 0).waiting) == [1]
    assert list(at_instant(schedule, 5).running) == [1]


def test_free_processors_of_a_pool_are_of_use_where_a_whole_job_fits() -> None:
    trace = make_trace([0, 0, 0], [10, 10, 10], [60, 41, 50])
    assert at_instant(make_schedule(trace, [0, 10, 20]), 5).nodes == FreeNodes(40, None, 40)
    trace = make_trace([0, 0, 0], [10, 10, 10], [60, 40, 50])
    assert at_instant(make_schedule(trace, [0, 10, 20]), 5).nodes == FreeNodes(40, None, 0)


def test_on_nodes_it_counts_where_processors_and_ram_are_free() -> None:
    trace = make_trace(
        [0, 0, 0, 0],
        [100] * 4,
        [6, 8, 3, 4],
        ram=[100, 100, 900, 1200],
        tasks=[[(1, 6, 100)], [(1, 8, 100)], [(1, 3, 900)], [(2, 2, 600)]],
        cluster=NODES,
    )
    start = [0, 0, 0, 50]
    schedule = on_nodes(make_schedule(trace, start), [0, 1, 2, 0])
    seen = at_instant(schedule, 10)
    # Node 0 has 2 processors and 900 MiB left, node 1 nothing, node 2 one processor.
    assert seen.free == 3
    assert seen.nodes == FreeNodes(2, 900, 1)  # a task of job 3 needs two processors


def test_where_nodes_are_not_known_nothing_is_reported_them() -> None:
    trace = make_trace([0], [10], cluster=NODES)
    assert at_instant(make_schedule(trace, [0]), 5).nodes is None


def test_reservations_are_those_told_by_then_of_jobs_that_wait() -> None:
    log = decisions(
        (0, 0, Decision.RESERVED, 90),
        (0, 1, Decision.RESERVED, 80),
        (0, 2, Decision.RESERVED, 20),
        (10, 1, Decision.RESERVED, 95),
        (30, 1, Decision.RESERVED, 60),
    )
    schedule = make_schedule(make_trace([0, 0, 0], [10] * 3), [90, 60, 20], log=log)
    for time, jobs, starts in ((0, [2, 1, 0], [20, 80, 90]), (20, [0, 1], [90, 95]), (30, [1, 0], [60, 90])):
        seen = at_instant(schedule, time)
        assert (list(seen.planned), list(seen.promised)) == (jobs, starts)


def test_a_promise_whose_time_has_passed_plans_nothing() -> None:
    log = decisions((0, 0, Decision.RESERVED, 40))
    schedule = make_schedule(make_trace([0], [10]), [90], log=log)
    assert list(at_instant(schedule, 39).planned) == [0]
    assert list(at_instant(schedule, 40).planned) == []
    assert list(at_instant(schedule, 40).waiting) == [0]
    assert list(at_instant(make_schedule(schedule.trace, [90]), 5).planned) == []  # nothing was logged


@given(st.data())
def test_what_is_of_use_is_found_task_by_task(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 6))
    small = st.integers(1, 8)
    tasks = [[(1, data.draw(small), 100 * data.draw(st.integers(1, 12)))] for _ in range(count)]
    procs = [task[0][1] for task in tasks]
    start = [data.draw(st.sampled_from([0, 50])) for _ in range(count)]
    node = [data.draw(st.integers(0, 2)) for _ in range(count)]
    trace = make_trace(
        [0] * count, [100] * count, procs, ram=[task[0][2] for task in tasks], tasks=tasks, cluster=NODES
    )
    schedule = on_nodes(make_schedule(trace, start), node)
    seen = at_instant(schedule, 10)
    if not any(node):
        assert seen.nodes is None
        return
    # What each node has left, counted job by job.
    free = [[8, 1000], [8, 1000], [4, 4000]]
    for job in range(count):
        if start[job] == 0:
            free[node[job]][0] -= procs[job]
            free[node[job]][1] -= tasks[job][0][2]
    free = [[max(cpus, 0), max(ram, 0)] for cpus, ram in free]
    waiting = [tasks[job][0] for job in range(count) if start[job] > 0]
    of_no_use = sum(
        cpus for cpus, ram in free if not any(need <= cpus and mib <= ram for _, need, mib in waiting)
    )
    assert seen.nodes is not None
    assert seen.nodes.unusable == of_no_use
    assert [seen.nodes.cpus, seen.nodes.ram] == max(free)
