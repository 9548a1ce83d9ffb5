from itertools import groupby

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.limits import MAX_NODE_RAM
from engine.machine.cluster import Cluster, NodeGroup
from engine.schedule.node_list import MAX_ROWS, NodeLists, _encoded, read_node_lists
from engine.slurm.values.host_list import compress_hosts
from engine.trace import Pieces

PIECES = st.tuples(st.integers(0, 12), st.integers(1, 3), st.integers(0, 2))


def pieces_of(jobs: list[list[tuple[int, int, int]]], ram: bool = True) -> Pieces:
    rows = np.array([piece for job in jobs for piece in job], np.int64).reshape(-1, 3)
    offset = np.concatenate(([0], np.cumsum([len(job) for job in jobs]))).astype(np.int64)
    names = ("node", "cpus", "ram") if ram else ("node", "cpus")
    return Pieces(offset, {name: rows[:, k] for k, name in enumerate(names)})


def test_nodes_side_by_side_are_reported_together() -> None:
    pieces = pieces_of([[(0, 8, 512), (3, 2, 128), (4, 2, 128), (5, 2, 128)], [], [(7, 1, 0)]])
    assert list(NodeLists(pieces)) == ["0:8c512m 3-5:2c128m", "", "7:1c0m"]
    without = pieces_of([[(0, 8, 0), (1, 8, 0), (3, 2, 0)]], ram=False)
    lists = NodeLists(without)
    assert (lists[0], lists[-1], lists[:1], len(lists)) == ("0-1:8c 3:2c",) * 2 + (["0-1:8c 3:2c"], 1)


def test_ram_without_a_bound_is_reported_as_the_most_that_a_node_has() -> None:
    (cell,) = NodeLists(pieces_of([[(0, 8, 1 << 60)]]))
    assert cell == "0:8c68719476736m"
    assert read_node_lists([cell])["ram"].tolist() == [MAX_NODE_RAM]


@given(st.lists(st.lists(PIECES, max_size=5), min_size=1, max_size=6), st.booleans())
def test_what_is_spelled_is_read_back(jobs: list[list[tuple[int, int, int]]], ram: bool) -> None:
    pieces = pieces_of(jobs, ram)
    again = read_node_lists(NodeLists(pieces))
    assert again.offset.tolist() == pieces.offset.tolist()
    for name, column in pieces.columns.items():
        assert again[name].tolist() == column.tolist()


@pytest.mark.parametrize(
    ("cell", "complaint"),
    [
        ("0:8", "cannot read the nodes '0:8'"),
        ("n[01-04]", "cannot read"),
        ("n[01-04]:1c", "the nodes of the machine have no host names"),
        ("0:8c,1:8c", "cannot read"),
        ("0:8c 9:-1c", "cannot read"),
        ("5-3:1c", "end before they begin"),
        ("0-9999999:1c " * 2, f"lists of over {MAX_ROWS:,} nodes are too long"),
        ("9" * 9 + ":1c", "cannot read"),
        ("٣:1c", "cannot read"),
        ("0:9999999999c", "cannot read"),
    ],
)
def test_what_is_no_list_of_nodes(cell: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        read_node_lists([cell])


def slow_cell(pieces: list[tuple[int, int, int]], machine: Cluster | None, ram: bool) -> str:
    """The twin of `NodeLists`: a job's cell, node by node."""

    def has_name(node: int) -> bool:
        return machine is not None and machine.host_name(node) is not None

    items = []
    # Neighbouring pieces of one size, with or without host names, make an item.
    for (cpus, own_ram, named), rows in groupby(pieces, lambda row: (row[1], row[2] * ram, has_name(row[0]))):
        each = f"{cpus}c{own_ram}m" if ram else f"{cpus}c"
        nodes = [row[0] for row in rows]
        if named and machine is not None:
            items.append(f"{compress_hosts([_encoded(machine.node_name(node)) for node in nodes])}:{each}")
            continue
        # Numbers without a gap are written as a range.
        for _, run in groupby(enumerate(nodes), lambda row: row[1] - row[0]):
            own = [node for _, node in run]
            items.append((str(own[0]) if len(own) == 1 else f"{own[0]}-{own[-1]}") + f":{each}")
    return " ".join(items)


HOSTS = Cluster((NodeGroup(3, 8, names=("c001", "c002", "c017")), NodeGroup(3, 4, names=("fat01", "7"))))


ODD = Cluster(
    (
        NodeGroup(4, 8, names=("8", "9", "10", "11")),
        NodeGroup(4, 8, names=("a b", "a b2", "n9")),
        NodeGroup(5, 8, names=("n10", "n11", "n012", "n013", "x")),
    )
)


@given(
    st.lists(st.lists(PIECES, max_size=9), min_size=1, max_size=6),
    st.booleans(),
    st.sampled_from([None, ODD]),
)
def test_cells_are_those_of_the_slow_twin(
    jobs: list[list[tuple[int, int, int]]], ram: bool, machine: Cluster | None
) -> None:
    lists = NodeLists(pieces_of(jobs, ram), machine)
    expected = [slow_cell(job, machine, ram) for job in jobs]
    assert lists[:] == expected
    assert list(lists) == expected
    assert lists[1:][::-1] == lists[:0:-1] == expected[:0:-1]


def test_nodes_are_called_by_their_host_names() -> None:
    pieces = pieces_of([[(0, 8, 512), (1, 8, 512), (2, 8, 512), (3, 2, 128)], [], [(4, 1, 0), (5, 1, 0)]])
    cells = list(NodeLists(pieces, HOSTS))
    assert cells == ["c[001-002,017]:8c512m fat01:2c128m", "", "%37:1c0m 5:1c0m"]
    again = read_node_lists(cells, HOSTS)
    assert [again[name].tolist() for name in ("node", "cpus", "ram")] == [
        pieces[name].tolist() for name in ("node", "cpus", "ram")
    ]
    assert read_node_lists(["0-2:8c 7:1c"], HOSTS)["node"].tolist() == [
        0,
        1,
        2,
        7,
    ]  # as earlier files have it
    for cell, complaint in (
        ("c[001-003]:1c", "no node 'c003'"),
        ("c[1", "cannot read"),
        ("c[1:1c", "bracket"),
    ):
        with pytest.raises(InputError, match=complaint):
            read_node_lists([cell], HOSTS)


@given(
    st.lists(st.text(min_size=1, max_size=5), min_size=2, max_size=6, unique=True),
    st.lists(st.lists(st.tuples(st.integers(0, 6), st.integers(1, 2)), max_size=5), min_size=1),
)
def test_any_host_name_is_read_back(names: list[str], jobs: list[list[tuple[int, int]]]) -> None:
    cluster = Cluster((NodeGroup(7, 8, names=tuple(names)),))
    pieces = pieces_of([[(node, cpus, 0) for node, cpus in job] for job in jobs])
    again = read_node_lists(NodeLists(pieces, cluster), cluster)
    assert again["node"].tolist() == pieces["node"].tolist()
    assert again.offset.tolist() == pieces.offset.tolist()
