from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.logs.read import read_trace
from engine.machine.cluster import Cluster, parse_cluster
from engine.policy.policy import Policy, parse_policy
from engine.schedule.processors import assign_processors
from engine.schedule.schedule import NOT_RUN, Schedule
from engine.simulation.quality_notes import over_commitment
from engine.simulation.recorded_run import recorded_schedule
from engine.simulation.run import simulate
from engine.trace import Pieces, Trace
from tests.engine.simulation.occupancy import over_committed, used_twice
from tests.engine.simulation.workloads import clusters, policies, traces
from tests.paths import SHARED, needs
from tests.traces import make_schedule, make_trace

WAGAP = SHARED / "traces/alea-wagap-2013.swf.gz"

Box = tuple[int, int, int]  # job, first processor, count


def boxes_of(schedule: Schedule) -> list[Box]:
    boxes = assign_processors(schedule)
    rows = list(zip(boxes.job.tolist(), boxes.first.tolist(), boxes.count.tolist(), strict=True))
    if boxes.further is None:
        return rows
    job = boxes.further.job + len(schedule.start)
    return rows + list(
        zip(job.tolist(), boxes.further.first.tolist(), boxes.further.count.tolist(), strict=True)
    )


def slow_boxes(schedule: Schedule) -> list[Box]:
    """The boxes, computed one processor at a time: each job takes the lowest free processors.

    Jobs are handled by start, then by number; runs that a failure stopped have numbers after all jobs.
    """
    stopped = schedule.stopped
    starts = [*schedule.start.tolist(), *stopped.start.tolist()]
    ends = [*schedule.end.tolist(), *stopped.end.tolist()]
    all_pieces = [*pieces_of(schedule.pieces), *pieces_of(stopped.pieces)]
    cpus = schedule.cluster.node_cpus().tolist()
    if not any(node for own in all_pieces for node, _ in own):
        cpus = [sum(cpus)]  # node 0 stands for the whole machine
    first = [sum(cpus[:node]) for node in range(len(cpus))]
    taken: dict[int, list[int]] = {}  # job: its processors
    boxes: list[Box] = []
    started = [job for job in range(len(starts)) if starts[job] != NOT_RUN]
    for job in sorted(started, key=lambda job: (starts[job], job)):
        taken = {other: used for other, used in taken.items() if ends[other] > starts[job]}
        mine: list[int] = []
        own: list[Box] = []
        for node, wanted in all_pieces[job]:
            busy = {processor for used in taken.values() for processor in used} | set(mine)
            processors = range(first[node], first[node] + cpus[node])
            chosen = [processor for processor in processors if processor not in busy][:wanted]
            mine += chosen
            own += [(job, begin, count) for begin, count in runs(chosen)]
            missing = min(wanted - len(chosen), cpus[node])
            if missing > 0:
                own.append((job, first[node] + cpus[node] - missing, missing))
        boxes += sorted(own, key=lambda box: box[1])
        taken[job] = mine
    return sorted(boxes, key=lambda box: box[0] >= len(schedule.start))


def pieces_of(pieces: Pieces) -> list[list[tuple[int, int]]]:
    """The nodes of each job, and how many processors of each."""
    rows = list(zip(pieces["node"].tolist(), pieces["cpus"].tolist(), strict=True))
    return [rows[begin:end] for begin, end in zip(pieces.offset[:-1], pieces.offset[1:], strict=True)]


def runs(numbers: list[int]) -> list[tuple[int, int]]:
    """First and length of each run of neighbours."""
    begins = [number for number in numbers if number - 1 not in numbers]
    ends = [number for number in numbers if number + 1 not in numbers]
    return [(begin, end - begin + 1) for begin, end in zip(begins, ends, strict=True)]


@st.composite
def any_schedules(draw: st.DrawFn) -> Schedule:
    """Jobs anywhere at any time, whether there is room for them or not; some on no known node."""
    cluster = draw(clusters())
    jobs = draw(st.integers(1, 15))
    runtime = draw(st.lists(st.integers(1, 9), min_size=jobs, max_size=jobs))
    start = draw(st.lists(st.just(NOT_RUN) | st.integers(0, 15), min_size=jobs, max_size=jobs))
    piece = st.tuples(st.integers(0, cluster.nodes - 1), st.integers(1, 8))
    pieces = [draw(st.lists(piece, max_size=3)) for _ in range(jobs)]
    offset = np.concatenate(([0], np.cumsum([len(rows) for rows in pieces]))).astype(np.int64)
    table = np.array([row for rows in pieces for row in rows], np.int64).reshape(-1, 2)
    schedule = make_schedule(make_trace([0] * jobs, runtime), start, cluster=cluster)
    return replace(schedule, pieces=Pieces(offset, {"node": table[:, 0], "cpus": table[:, 1]}))


@settings(max_examples=120)
@given(any_schedules())
def test_as_processor_by_processor(schedule: Schedule) -> None:
    assert boxes_of(schedule) == slow_boxes(schedule)


@given(traces(), clusters(), policies())
def test_simulated_schedules_as_processor_by_processor(
    trace: Trace, cluster: Cluster, policy: Policy
) -> None:
    schedule = simulate(trace, cluster, policy)
    assert boxes_of(schedule) == slow_boxes(schedule)


@given(traces(), clusters(), policies())
def test_no_processor_is_used_by_two_jobs_at_once_and_each_job_has_all_of_its_own(
    trace: Trace, cluster: Cluster, policy: Policy
) -> None:
    schedule = simulate(trace, cluster, policy)
    boxes = assign_processors(schedule)
    assert used_twice(schedule, boxes) == 0
    has = np.bincount(boxes.job, boxes.count, minlength=len(trace))
    assert (has == np.where(schedule.ran, trace.procs, 0)).all()
    assert (boxes.first >= 0).all()
    assert (boxes.first + boxes.count <= cluster.cpus).all()


@given(traces(), clusters(), policies())
def test_boxes_lie_on_the_nodes_of_their_jobs(trace: Trace, cluster: Cluster, policy: Policy) -> None:
    schedule = simulate(trace, cluster, policy)
    boxes, pieces = assign_processors(schedule), schedule.pieces
    owner = np.repeat(np.arange(cluster.nodes), cluster.node_cpus())
    lowest, highest = owner[boxes.first], owner[boxes.first + boxes.count - 1]
    assert (lowest == highest).all()
    for job in range(len(trace)):
        wanted = np.zeros(cluster.nodes)
        rows = slice(pieces.offset[job], pieces.offset[job + 1])
        np.add.at(wanted, pieces["node"][rows], pieces["cpus"][rows])
        drawn = np.bincount(lowest[boxes.job == job], boxes.count[boxes.job == job], cluster.nodes)
        assert drawn.tolist() == wanted.tolist()


def test_lowest_free_first_and_holes_are_filled() -> None:
    trace = make_trace([0] * 4, [10, 20, 10, 10], [2, 3, 1, 4])
    schedule = make_schedule(trace, [0, 0, 0, 10], cluster=Cluster.pool(10))
    # At 10 the first and the third end: 0, 1 and 5 to 9 are free.
    assert boxes_of(schedule) == [(0, 0, 2), (1, 2, 3), (2, 5, 1), (3, 0, 2), (3, 5, 2)]


def test_processors_are_numbered_node_by_node() -> None:
    trace = make_trace([0, 0], [10, 10], [6, 2], tasks=[[(3, 2, 0)], [(1, 2, 0)]])
    schedule = simulate(trace, parse_cluster("2x4c+1x3c"), parse_policy("easy"))
    assert boxes_of(schedule) == [(0, 0, 4), (0, 4, 2), (1, 6, 2)]


def test_an_over_committed_log_is_drawn_over_the_last_processors() -> None:
    trace = make_trace([0] * 4, [10, 10, 10, 5], [3, 3, 9, 2], wait=[0, 0, 1, 10])
    schedule = recorded_schedule(trace, Cluster.pool(4))
    # Of the second job's three processors one is free; the third fits nowhere; then all is free again.
    assert boxes_of(schedule) == [(0, 0, 3), (1, 2, 2), (1, 3, 1), (2, 0, 4), (3, 0, 2)]


def test_a_job_on_unknown_nodes_is_not_drawn_and_holds_nothing_up() -> None:
    trace = make_trace([0, 0, 5], [5, 2, 5])
    schedule = make_schedule(trace, [0, 0, 5], cluster=parse_cluster("2x2c"))
    ones = np.array([1, 1], np.int64)
    pieces = Pieces(np.array([0, 1, 1, 2]), {"node": ones, "cpus": ones})
    assert boxes_of(replace(schedule, pieces=pieces)) == [(0, 2, 1), (2, 2, 1)]


def test_nothing_to_draw() -> None:
    assert boxes_of(make_schedule(make_trace([], []), [])) == []
    assert boxes_of(make_schedule(make_trace([0], [1]), [NOT_RUN])) == []


@needs(WAGAP)
@pytest.mark.parametrize("policy", ["fcfs", "fairshare-fcfs", "easy", "fairshare-easy"])
def test_no_node_of_wagap_is_over_committed_where_it_is_drawn(policy: str) -> None:
    trace = read_trace(WAGAP)
    schedule = simulate(trace, trace.cluster, parse_policy(policy))
    assert (len(trace), int((~schedule.ran).sum())) == (17_898, 1)
    boxes = assign_processors(schedule)
    assert used_twice(schedule, boxes) == 0
    has = np.bincount(boxes.job, boxes.count, minlength=len(trace))
    assert (has == np.where(schedule.ran, trace.procs, 0)).all()

    node = np.repeat(np.arange(trace.cluster.nodes), trace.cluster.node_cpus())
    drawn = np.stack((boxes.job, node[boxes.first], boxes.count))
    assert (node[boxes.first] == node[boxes.first + boxes.count - 1]).all()
    job = np.repeat(np.arange(len(trace)), np.diff(schedule.pieces.offset))
    held = np.stack((job, schedule.pieces["node"], schedule.pieces["cpus"]))
    assert per_job_and_node(drawn) == per_job_and_node(held)

    asked = np.bincount(job, schedule.pieces["ram"], len(trace))
    tasks = trace.tasks
    of_task = np.repeat(np.arange(len(trace)), np.diff(tasks.offset))
    wanted = np.bincount(of_task, tasks["count"] * np.maximum(tasks["ram"], 0), len(trace))
    assert (asked == np.where(schedule.ran, wanted, 0)).all()
    assert over_committed(schedule) == 0
    assert over_commitment(schedule) == ()


def per_job_and_node(rows: np.ndarray) -> dict[tuple[int, int], int]:
    """Processors by job and node, of rows (job, node, processors)."""
    total: dict[tuple[int, int], int] = {}
    for job, node, count in rows.T.tolist():
        total[job, node] = total.get((job, node), 0) + count
    return total
