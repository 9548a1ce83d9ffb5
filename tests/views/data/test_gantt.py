import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.machine.cluster import Cluster, NodeGroup, parse_cluster
from tests.boxes import boxes_of
from tests.traces import make_schedule, make_trace
from views.data.gantt.data import GanttData, gantt_data
from views.data.gantt.rows import rows_of
from views.raster.request import ALL_ROWS, RenderRequest


def small() -> GanttData:
    """Three jobs on four processors; job 1 starts last, job 2 in two pieces, job 3 is not run."""
    trace = make_trace([0, 0, 0, 0], [10, 10, 20, 5], [2, 2, 2, 9], cluster=Cluster.pool(4))
    schedule = make_schedule(trace, [0, 30, 5, -1])
    return gantt_data(schedule, boxes_of((0, 1, 2), (2, 0, 1), (2, 3, 1), (1, 0, 2)), "processors")


def test_jobs_stand_in_order_of_start_and_keep_their_boxes() -> None:
    data = small()
    assert data.job.tolist() == [0, 2, 1]
    assert data.start.tolist() == [0, 5, 30]
    assert data.latest.tolist() == [10, 25, 40]
    assert data.offset.tolist() == [0, 1, 3, 4]
    assert list(zip(data.first, data.count, strict=True)) == [(1, 2), (0, 1), (3, 1), (0, 2)]
    assert data.rows.total == 4


@pytest.mark.parametrize(
    ("window", "jobs"),
    [((0, 100), [0, 2, 1]), ((10, 30), [2]), ((9.5, 31), [0, 2, 1]), ((25, 30), []), ((-9, 0), [])],
)
def test_the_jobs_of_a_window(window: tuple, jobs: list[int]) -> None:
    data = small()
    assert data.job[data.between(*window)].tolist() == jobs


@pytest.mark.parametrize(
    ("position", "job"),
    [
        ((6, 0.5), 2),
        ((6, 1.5), 0),
        ((12, 1.5), None),
        ((12, 3.5), 2),
        ((31, 0.5), 1),
        ((4.9, 0.5), None),
    ],
)
def test_the_job_at_a_position(position: tuple[float, float], job: int | None) -> None:
    time, row = position
    assert small().job_at(time, time + 0.05, row, row + 0.05) == job


def test_the_second_frame_of_many_jobs_is_of_a_level_for_all_rows_and_for_a_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from views.raster import levels

    monkeypatch.setattr(levels, "MANY", 0)
    data, colours = small(), np.array([0xFF0000FF, 0xFF00FF00, 0xFFFF0000], np.uint32)
    made = []
    make = levels.make_level
    monkeypatch.setattr(levels, "make_level", lambda *given: made.append(given[1]) or make(*given))
    whole, part = (RenderRequest((0.0, 64.0), 64, 8, 1.0, rows) for rows in (ALL_ROWS, (0.0, 0.5)))
    first, second = (data.paint(whole, colours, "#ffffff") for _ in range(2))
    assert made == [(0.0, 64.0)]
    assert (first == second).all()
    halves = [data.paint(part, colours, "#ffffff") for _ in range(2)]
    assert made == [(0.0, 64.0)] * 2
    assert (halves[0] == halves[1]).all()


def test_the_job_that_covers_most_of_a_pixel() -> None:
    data = small()
    assert data.job_at(0, 40, 0, 4) == 2  # 40 of its 160, twice 20
    assert data.job_at(0, 12, 0, 4) == 0


def test_nodes_have_equal_height_and_share_it_among_their_processors() -> None:
    trace = make_trace([0, 0, 0], [10, 10, 10], [4, 6, 2])
    schedule = make_schedule(trace, [0, 0, 0], cluster=parse_cluster("2x4c+1x8c"))
    data = gantt_data(schedule, boxes_of((0, 0, 4), (1, 4, 6), (2, 14, 2)), "nodes")
    assert data.rows.total == 3
    assert list(zip(data.first, data.count, strict=True)) == [(0, 1), (1, 1.25), (2.75, 0.25)]


def test_rows_of_groups_and_their_names() -> None:
    rows = rows_of(parse_cluster("20x80c+48x12c"), "nodes")
    assert [(group.name, group.first, group.rows) for group in rows.groups] == [
        ("20x80c", 0, 20),
        ("48x12c", 20, 48),
    ]
    assert rows_of(parse_cluster("20x80c+48x12c"), "processors").groups[1].first == 1600


def test_a_pool_has_no_nodes_to_tell_apart() -> None:
    rows = rows_of(Cluster.pool(100), "nodes")
    assert (rows.kind, rows.total) == ("processors", 100)


@given(st.floats(0.1, 1e6))
def test_ticks_are_round_and_apart(apart: float) -> None:
    rows = rows_of(Cluster.pool(93_312), "processors")
    ticks = [number for row, number in rows.ticks(apart) if row == number]
    assert ticks[0] == 0
    assert len(ticks) == len(list(rows.ticks(apart)))
    steps = set(np.diff(ticks).tolist())
    assert len(steps) <= 1
    for step in steps:
        assert step >= apart
        assert str(step).rstrip("0") in {"1", "2", "5"}


def test_no_job_at_all() -> None:
    schedule = make_schedule(make_trace([0], [10], [999]), [-1])
    data = gantt_data(schedule, boxes_of(), "processors")
    assert len(data.between(0, 100)) == 0
    assert data.job_at(0, 1, 0, 1) is None


def test_rows_of_nodes_have_their_host_names() -> None:
    names = tuple(f"c{k:03}" for k in range(1, 31))
    cluster = Cluster((NodeGroup(30, 8, names=names), NodeGroup(2, 16, names=("f1", "f2"))))
    rows = rows_of(cluster, "nodes")
    assert list(rows.host_labels(1.0, 15, 17)) == [(15.0, 16.0, "c016"), (16.0, 17.0, "c017")]
    assert [name for _, _, name in rows.host_labels(4.0)] == [*names[::5], "f1"]
    processors = rows_of(cluster, "processors")
    assert list(processors.host_labels(8.0, 130, 140)) == [(128.0, 136.0, "c017"), (136.0, 144.0, "c018")]
    folded = rows_of(cluster, "processors", ("30x8c",))
    assert [name for _, _, name in folded.host_labels(1.0)] == ["f1", "f2"]
    assert list(rows_of(parse_cluster("20x80c+48x12c"), "nodes").host_labels(1.0)) == []
