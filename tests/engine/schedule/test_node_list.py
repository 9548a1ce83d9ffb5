from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.limits import MAX_NODE_RAM
from engine.schedule.node_list import MAX_ROWS, NodeLists, read_node_lists
from engine.trace import Pieces

PIECES = st.tuples(st.integers(0, 12), st.integers(1, 3), st.integers(0, 2))


def pieces_of(jobs: list[list[tuple[int, int, int]]], ram: bool = True) -> Pieces:
    rows = np.array([piece for job in jobs for piece in job], np.int64).reshape(-1, 3)
    offset = np.concatenate(([0], np.cumsum([len(job) for job in jobs]))).astype(np.int64)
    names = ("node", "cpus", "ram") if ram else ("node", "cpus")
    return Pieces(offset, {name: rows[:, k] for k, name in enumerate(names)})


def test_nodes_side_by_side_are_told_together() -> None:
    pieces = pieces_of([[(0, 8, 512), (3, 2, 128), (4, 2, 128), (5, 2, 128)], [], [(7, 1, 0)]])
    assert list(NodeLists(pieces)) == ["0:8c512m 3-5:2c128m", "", "7:1c0m"]
    without = pieces_of([[(0, 8, 0), (1, 8, 0), (3, 2, 0)]], ram=False)
    lists = NodeLists(without)
    assert (lists[0], lists[-1], lists[:1], len(lists)) == ("0-1:8c 3:2c",) * 2 + (["0-1:8c 3:2c"], 1)


def test_ram_without_a_bound_is_told_as_the_most_that_a_node_has() -> None:
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
        ("0:8c,1:8c", "cannot read"),
        ("0:8c 9:-1c", "cannot read"),
        ("5-3:1c", "end before they begin"),
        ("0-9999999:1c " * 2, f"20,000,000 nodes are over the limit of {MAX_ROWS:,}"),
        ("9" * 9 + ":1c", "cannot read"),
        ("٣:1c", "cannot read"),
        ("0:9999999999c", "cannot read"),
    ],
)
def test_what_is_no_list_of_nodes(cell: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        read_node_lists([cell])
