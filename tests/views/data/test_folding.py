"""Folded groups of nodes: where processors lie, and that all of them still do."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.machine.cluster import Cluster, NodeGroup
from engine.schedule.processors import assign_processors
from engine.schedule.schedule import Schedule
from engine.trace import Pieces
from tests.traces import make_schedule, make_trace
from views.data.gantt.data import gantt_data
from views.data.gantt.rows import RowKind, rows_of

CLUSTER = Cluster((NodeGroup(40, 2, name="old"), NodeGroup(10, 8, name="new"), NodeGroup(1, 16, name="fat")))


def schedule_on_nodes() -> Schedule:
    """Three jobs of two processors, each on a node of another group."""
    trace = make_trace([0] * 3, [100] * 3, procs=[2] * 3, cluster=CLUSTER)
    pieces = Pieces(np.arange(4), {"node": np.array([3, 45, 50]), "cpus": np.array([2] * 3)})
    return replace(make_schedule(trace, [0] * 3), pieces=pieces)


GROUPS = st.lists(st.tuples(st.integers(1, 30), st.integers(1, 9)), min_size=2, max_size=5)


def test_a_folded_group_is_low_and_the_others_are_as_before() -> None:
    rows = rows_of(CLUSTER, "processors", ("old",))
    assert rows.folded == ("old",)
    assert [group.first for group in rows.groups] == [
        0,
        pytest.approx(0.05 * 96),
        pytest.approx(0.05 * 96 + 80),
    ]
    assert rows.total == pytest.approx(96 * 1.05)
    assert rows.rows_of(np.array([0, 40, 80, 81, 176])).tolist() == pytest.approx([0, 2.4, 4.8, 5.8, 100.8])
    nodes = rows_of(CLUSTER, "nodes", ("old", "fat"))
    assert [(group.first, group.rows) for group in nodes.groups] == [(0, 1), (1, 10), (11, 1)]
    assert nodes.rows_of(np.array([0, 40, 80, 84, 160])).tolist() == [0, 0.5, 1, 1.5, 11]
    assert [nodes.band_at(row) for row in (0.01, 0.99, 1.5, 11.5, 12.0)] == [0, 39, 40, 50, None]


def test_numbers_stand_beside_what_is_not_folded() -> None:
    ticks = list(rows_of(CLUSTER, "processors", ("old",)).ticks(7.0))
    assert [number for _, number in ticks] == [80, 90, 100, 110, 120, 130, 140, 150, 160, 170]
    assert [row - number for row, number in ticks] == pytest.approx([4.8 - 80] * 10)
    assert [number for _, number in rows_of(CLUSTER, "nodes", ("new",)).ticks(10)] == [0, 10, 20, 30, 50]


@pytest.mark.parametrize("cluster", [Cluster.pool(64), Cluster((NodeGroup(8, 8, name="old"),))])
@pytest.mark.parametrize("kind", ["processors", "nodes"])
def test_one_group_alone_is_not_folded(cluster: Cluster, kind: RowKind) -> None:
    rows = rows_of(cluster, kind, ("old", "64c"))
    assert (rows.folded, rows.can_fold, rows.edges) == ((), False, None)


@given(GROUPS, st.sets(st.integers(0, 4)), st.sampled_from(["processors", "nodes"]))
def test_folding_keeps_all_in_order(sizes: list[tuple[int, int]], which: set[int], kind: RowKind) -> None:
    groups = tuple(NodeGroup(count, cpus, name=f"g{k}") for k, (count, cpus) in enumerate(sizes))
    folded = tuple(f"g{k}" for k in sorted(which) if k < len(groups))
    plain, rows = rows_of(Cluster(groups), kind), rows_of(Cluster(groups), kind, folded)
    assert rows.folded == folded
    assert rows.total <= plain.total + 1e-9
    cpus = sum(count * each for count, each in sizes)
    edges = rows.rows_of(np.arange(cpus + 1))
    assert edges[0] == 0
    assert edges[-1] == pytest.approx(rows.total)
    assert (np.diff(edges) > 0).all()
    assert rows.processors_at(edges) == pytest.approx(np.arange(cpus + 1))
    for group, own in zip(groups, rows.groups, strict=True):
        assert own.rows <= own.size if own.folded else own.rows == own.size
        assert own.nodes == group.count
    for row, number in rows.ticks(1.0):
        first = number if kind == "processors" else int(plain.band_first[number])
        assert row == pytest.approx(rows.rows_of(np.array([first]))[0])
    for node in range(Cluster(groups).nodes):
        assert rows.band_at(float(rows.rows_of(plain.band_first[[node]])[0]) + 1e-9) == node


def test_jobs_lie_on_the_row_of_their_folded_group() -> None:
    schedule = schedule_on_nodes()
    boxes = assign_processors(schedule)
    folded = gantt_data(schedule, boxes, "nodes", ("new",))
    plain = gantt_data(schedule, boxes, "nodes")
    assert (folded.job == plain.job).all()
    assert folded.rows.total == pytest.approx(41 * 1.05)
    inside = folded.boxes(folded.entry[np.flatnonzero(folded.entry >= 0)])
    assert inside.first.min() >= 0
    assert (inside.first + inside.count).max() <= 41 * 1.05 + 1e-9
    job = 1
    top, bottom = folded.largest_box(job)
    assert 40 <= top < bottom <= 42.05
    middle = (top + bottom) / 2
    assert folded.job_at(0, 100, middle - 0.01, middle + 0.01) == job


def test_names_of_groups_are_shown_with_escapes_and_fold_by_these() -> None:
    cluster = Cluster((NodeGroup(4, 2, name="n1\u202e"), NodeGroup(4, 8, name="\x1b[31mn2")))
    rows = rows_of(cluster, "nodes", ("n1\\u202e",))
    assert [group.name for group in rows.groups] == ["n1\\u202e", "\\x1b[31mn2"]
    assert rows.folded == ("n1\\u202e",)
