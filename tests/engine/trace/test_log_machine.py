from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.machine.cluster import Cluster, NodeGroup, parse_cluster
from engine.machine.host_list import expand_hosts
from engine.trace import log_machine
from engine.trace.log_machine import log_nodes
from tests.traces import make_names

Job = tuple[list[int], int, int, int]  # nodes, CPUs, start, end


def read(text, most):
    return [(name, 0) for name in expand_hosts(text, most)]


def nodes_of(jobs: list[Job]):
    lists = make_names([",".join(f"n{k}" for k in nodes) for nodes, *_ in jobs])
    cpus = np.array([job[1] for job in jobs], np.int64)
    return log_nodes(lists, read, cpus, np.arange(1, len(jobs) + 1))


def shares(nodes: list[int], cpus: int) -> dict[int, int]:
    return {k: cpus // len(nodes) + (i < cpus % len(nodes)) for i, k in enumerate(nodes)}


@st.composite
def some_jobs(draw) -> list[Job]:
    def job():
        nodes = draw(st.lists(st.integers(0, 12), min_size=1, max_size=4, unique=True))
        start = draw(st.integers(0, 9))
        return nodes, draw(st.integers(len(nodes), 9)), start, start + draw(st.integers(0, 5))

    return [job() for _ in range(draw(st.integers(1, 8)))]


@given(some_jobs())
def test_a_node_has_what_was_in_use_on_it_at_once(jobs):
    """Second by second, node by node."""
    peak = {}
    for second in range(15):
        busy: dict[int, int] = {}
        for nodes, cpus, start, end in jobs:
            if start <= second < end:
                for node, share in shares(nodes, cpus).items():
                    busy[node] = busy.get(node, 0) + share
        for node, used in busy.items():
            peak[node] = max(peak.get(node, 0), used)
    expected = {node: used for node, used in peak.items() if used}

    log = nodes_of(jobs)
    found = log.derive(np.array([job[2] for job in jobs]), np.array([job[3] for job in jobs]))
    if len(expected) < 2:
        assert found is None
        return
    cluster, node_of = found
    sizes = cluster.node_cpus()
    assert [cluster.find_node(name) for name in log.names if name in cluster_names(cluster)] == [
        node for node in node_of.tolist() if node >= 0
    ]
    assert {
        int(name[1:]): sizes[node] for name, node in zip(log.names, node_of, strict=True) if node >= 0
    } == expected
    pieces, _ = log.on(cluster, node_of)
    for k, (nodes, cpus, start, end) in enumerate(jobs):
        own = slice(pieces.offset[k], pieces.offset[k + 1])
        if end > start:
            assert pieces["cpus"][own].tolist() == list(shares(nodes, cpus).values())
            assert (pieces["cpus"][own] <= sizes[pieces["node"][own]]).all()


def cluster_names(cluster):
    return {cluster.node_name(node) for node in range(cluster.nodes)}


def test_nodes_lie_on_those_of_their_names():
    """However many CPUs the jobs had: the machine has names."""
    log = nodes_of([([3], 1, 0, 9), ([1, 7], 8, 0, 9), ([2], 8, 0, 9)])
    machine = Cluster((NodeGroup(2, 8, names=("n1", "n2")), NodeGroup(2, 64, names=("x", "n3"))))
    pieces, notes = log.on(machine)
    assert pieces.offset.tolist() == [0, 1, 1, 2]
    assert pieces["node"].tolist() == [3, 1]
    note = next(note for note in notes if note.rule == "unknown_nodes")
    assert (note.count, note.lines) == (1, (2,))
    assert "(1 of 4 nodes: n7)" in note.text


def test_names_are_in_the_order_that_people_expect():
    assert nodes_of([([10, 9, 1], 3, 0, 1)]).names == ("n1", "n9", "n10")


def test_too_few_lists_tell_no_machine():
    jobs: list[Job] = [([1, 2], 2, 0, 9), *([([], 2, 0, 9)] * 9)]
    assert nodes_of(jobs).derive(np.zeros(10, np.int64), np.full(10, 9)) is None


def test_on_a_given_machine_a_node_is_one_that_holds_what_was_used():
    log = nodes_of([([1], 8, 0, 1), ([2, 3], 4, 0, 1), ([1, 4], 6, 0, 1)])
    pieces, notes = log.on(parse_cluster("2x2c+1x8c"))
    assert [pieces["node"][a:b].tolist() for a, b in zip(pieces.offset, pieces.offset[1:], strict=False)] == [
        [2],
        [0, 1],
        [],
    ]
    assert [(note.rule, note.count) for note in notes] == [("unreadable_nodes", 0), ("unknown_nodes", 1)]


def test_lists_that_are_too_long_in_all_count_as_none(monkeypatch):
    monkeypatch.setattr(log_machine, "MAX_ROWS", 7)
    lists = make_names(["n[1-3]", "n[1-3]", "n[4-9]", "n1"])
    log = log_nodes(lists, read, np.full(4, 6), np.arange(1, 5))
    assert len(log.used["node"]) == 7
    assert log.notes[0].lines[0] == 3


def test_a_list_of_more_nodes_than_a_job_has_processors_counts_as_none():
    lists = make_names(["n[1-3]", "n[1-1000000]", "n[1-4]"])
    log = log_nodes(lists, read, np.array([3, 4, -1]), np.arange(1, 4))
    assert np.diff(log.used.offset).tolist() == [3, 0, 4]
    assert len(log.names) == 4
    assert log.notes[0].lines == (2,)
