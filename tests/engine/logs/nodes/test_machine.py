import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.logs.nodes import machine as log_machine
from engine.logs.nodes.machine import FirstShares, log_nodes
from engine.machine.cluster import Cluster, NodeGroup, parse_cluster
from engine.slurm.values.host_list import expand_hosts
from tests.traces import make_names

Job = tuple[list[int], int, int, int]  # nodes, CPUs, start, end


def read(text, most):
    return [(name, 0) for name in expand_hosts(text, most)]


def nodes_of(jobs: list[Job], first: FirstShares | None = None):
    lists = make_names([",".join(f"n{k}" for k in nodes) for nodes, *_ in jobs])
    cpus = np.array([job[1] for job in jobs], np.int64)
    return log_nodes(lists, read, cpus, np.arange(1, len(jobs) + 1), first=first)


@st.composite
def some_jobs(draw) -> list[Job]:
    def job():
        nodes = draw(st.lists(st.integers(0, 12), min_size=1, max_size=4, unique=True))
        start = draw(st.integers(0, 9))
        return nodes, draw(st.integers(len(nodes), 9)), start, start + draw(st.integers(0, 5))

    return [job() for _ in range(draw(st.integers(1, 8)))]


@given(some_jobs())
def test_a_machine_of_single_nodes_has_what_was_in_use_on_each_at_once(jobs):
    """Second by second, node by node."""
    jobs = [([nodes[0]], cpus, start, end) for nodes, cpus, start, end in jobs]
    peak = {}
    for second in range(15):
        busy: dict[int, int] = {}
        for (node,), cpus, start, end in jobs:
            if start <= second < end:
                busy[node] = busy.get(node, 0) + cpus
        for node, used in busy.items():
            peak[node] = max(peak.get(node, 0), used)
    placed = place(jobs)
    if len(peak) < 2:
        assert placed.machine is None
        return
    sizes = placed.machine.node_cpus()
    assert {node: sizes[placed.machine.find_node(f"n{node}")] for node in peak} == peak
    assert placed.machine.nodes == len(peak)


@given(some_jobs())
def test_jobs_have_all_their_cpus_on_the_nodes_of_the_log(jobs):
    placed = place(jobs)
    if placed.machine is None:
        return
    for k, (nodes, cpus, start, end) in enumerate(jobs):
        own = slice(placed.nodes.offset[k], placed.nodes.offset[k + 1])
        names = [placed.machine.node_name(node) for node in placed.nodes["node"][own].tolist()]
        if end > start:
            assert names == [f"n{node}" for node in nodes]
            assert placed.nodes["cpus"][own].sum() == cpus
            assert (placed.nodes["cpus"][own] >= 1).all()


def place(jobs: list[Job], machine=None, first=None):
    times = (np.array([job[k] for job in jobs], np.int64) for k in (2, 3))
    return nodes_of(jobs, first).place(machine, *times)


def sizes(placed) -> dict[str, int]:
    names, cpus = placed.machine.node_names(), placed.machine.node_cpus()
    return dict(zip(names, cpus.tolist(), strict=True))


def counted(placed, rule: str) -> int:
    return sum(note.count for note in placed.notes if note.rule == rule)


def test_shares_of_several_nodes_do_not_make_nodes_larger_than_they_must_be():
    """Of nodes of 8 CPUs: 6 and 2, then 2 and 6, at once with 2 alone; even shares would make them 10."""
    jobs: list[Job] = [([1, 2], 8, 0, 9), ([1], 2, 0, 9), ([1], 8, 10, 12), ([2], 8, 10, 12)]
    assert sizes(place(jobs)) == {"n1": 8, "n2": 8}
    first = FirstShares(make_names(["n1", "", "", ""]), np.array([6, 0, 0, 0]))
    placed = place(jobs, first=first)
    assert sizes(placed) == {"n1": 8, "n2": 8}
    assert placed.nodes["cpus"].tolist()[:2] == [6, 2]
    assert counted(placed, "machine_uncertain") == 0


def test_nodes_are_as_large_as_jobs_of_several_nodes_make_certain():
    whole: list[Job] = [([1, 2], 32, 0, 9), ([3, 4], 32, 0, 9)]
    assert sizes(place(whole)) == {f"n{k}": 16 for k in (1, 2, 3, 4)}
    at_once: list[Job] = [([1, 2], 8, 0, 9), ([1, 2], 8, 3, 9), ([2, 3], 8, 20, 21)]
    assert sizes(place(at_once)) == {"n1": 8, "n2": 8, "n3": 4}
    uneven: list[Job] = [([1, 2], 9, 0, 9), ([1], 8, 20, 30)]  # the rest of 9 is less than n1 has
    assert sizes(place(uneven)) == {"n1": 8, "n2": 1}
    fat: list[Job] = [([1], 8, 0, 9), ([10], 64, 0, 9), ([1, 10], 72, 10, 19)]
    assert sizes(place(fat)) == {"n10": 64, "n1": 8}


def test_a_machine_that_rests_on_no_evidence_says_so():
    """Which node has more than its even share of 14 + 9 CPUs nobody knows."""
    jobs: list[Job] = [([1, 2, 3], 14, 0, 9), ([1, 2], 9, 0, 9)]
    placed = place(jobs)
    assert sum(sizes(placed).values()) == 23
    assert counted(placed, "machine_uncertain") > 0


def test_shares_fit_on_a_given_machine_where_they_can():
    jobs: list[Job] = [([1, 2], 8, 0, 9), ([1], 6, 0, 9)]
    placed = place(jobs, Cluster((NodeGroup(2, 8, names=("n2", "n1")),)))
    assert placed.nodes["node"].tolist() == [1, 0, 1]
    assert placed.nodes["cpus"].tolist() == [2, 6, 6]
    crowded = place(jobs, Cluster((NodeGroup(2, 6, names=("n1", "n2")),)))
    assert crowded.nodes["cpus"].sum() == 14


def test_the_first_share_is_of_the_node_that_is_named_else_of_the_first():
    jobs: list[Job] = [
        ([1, 2, 3], 12, 0, 9),
        ([1, 2, 3], 12, 20, 29),
        ([1, 2], 4, 30, 31),
        ([1, 2], 4, 32, 33),
    ]
    first = FirstShares(make_names(["n2", "n9", "n1", "n1"]), np.array([8, 8, 4, 9]))
    shares = nodes_of(jobs, first).shares
    assert shares.cpus.tolist() == [
        2,
        8,
        2,
        8,
        2,
        2,
        2,
        2,
        2,
        2,
    ]  # 4 and 9 of 4 leave the other nodes nothing
    assert shares.known.tolist() == [False, True, False, True, False, False, False, False, False, False]


def test_nodes_lie_on_those_of_their_names():
    """However many CPUs the jobs had: the machine has names."""
    machine = Cluster((NodeGroup(2, 8, names=("n1", "n2")), NodeGroup(2, 64, names=("x", "n3"))))
    placed = place([([3], 1, 0, 9), ([1, 7], 8, 0, 9), ([2], 8, 0, 9)], machine)
    pieces, notes = placed.nodes, placed.notes
    assert pieces.offset.tolist() == [0, 1, 1, 2]
    assert pieces["node"].tolist() == [3, 1]
    note = next(note for note in notes if note.rule == "unknown_nodes")
    assert (note.count, note.lines) == (1, (2,))
    assert "(1 of 4 nodes: n7)" in note.text


@given(some_jobs(), st.integers(0, 9))
def test_a_machine_is_never_smaller_than_what_was_in_use_at_once(jobs, unlisted):
    """Jobs without a list of nodes count as well; second by second."""
    jobs = [*jobs * 2, ([], unlisted, 3, 6)]  # few of all lack a list
    if len(jobs) < 11:
        jobs = [*jobs, *([([0, 1], 2, 8, 9)] * 10)]
    placed = place(jobs)
    peak = max(sum(cpus for _, cpus, start, end in jobs if start <= t < end) for t in range(15))
    assert placed.machine is None or placed.machine.cpus >= peak


def test_nodes_that_grow_for_jobs_without_a_list_are_counted():
    placed = place([*(([k], 8, 0, 9) for k in range(10)), ([], 40, 0, 9)])
    assert placed.machine.node_cpus().tolist() == [12] * 10
    assert [note.count for note in placed.notes if note.rule == "machine_uncertain"] == [10]


def test_jobs_that_cannot_be_split_otherwise_make_nodes_larger_where_it_is_certain():
    """12 CPUs are in use: at most 3 of the first job on n1, so 9 of both others."""
    placed = place([([1, 2], 4, 0, 9), ([2, 3], 8, 0, 9)])
    assert placed.machine.cpus == 12
    assert all(note.count == 0 for note in placed.notes if note.rule == "overfull_nodes")


def test_names_are_in_the_order_that_people_expect():
    assert nodes_of([([10, 9, 1], 3, 0, 1)]).names == ("n1", "n9", "n10")


def test_too_few_lists_tell_no_machine():
    jobs: list[Job] = [([1, 2], 2, 0, 9), *([([], 2, 0, 9)] * 9)]
    assert place(jobs).machine is None


def test_on_a_given_machine_a_node_is_one_that_holds_what_was_used():
    jobs: list[Job] = [([1], 8, 0, 1), ([2, 3], 4, 0, 1), ([1, 4], 6, 0, 1)]
    placed = place(jobs, parse_cluster("2x2c+1x8c"))
    pieces, notes = placed.nodes, placed.notes
    assert [pieces["node"][a:b].tolist() for a, b in zip(pieces.offset, pieces.offset[1:], strict=False)] == [
        [2],
        [0, 1],
        [],
    ]
    assert [(note.rule, note.count) for note in notes] == [
        ("unreadable_nodes", 0),
        ("unknown_nodes", 1),
        ("overfull_nodes", 2),  # n1 has 8 CPUs, all of the first job, and one of the third at least
    ]


def test_lists_that_are_too_long_in_all_count_as_none(monkeypatch):
    monkeypatch.setattr(log_machine, "MAX_ROWS", 7)
    lists = make_names(["n[1-3]", "n[1-3]", "n[4-9]", "n1"])
    log = log_nodes(lists, read, np.full(4, 6), np.arange(1, 5))
    assert len(log.shares.node) == 7
    assert log.notes[0].lines[0] == 3


def test_a_list_of_more_nodes_than_a_job_has_processors_counts_as_none():
    lists = make_names(["n[1-3]", "n[1-1000000]", "n[1-4]"])
    log = log_nodes(lists, read, np.array([3, 4, -1]), np.arange(1, 4))
    assert np.diff(log.shares.offset).tolist() == [3, 0, 4]
    assert len(log.names) == 4
    assert log.notes[0].lines == (2,)


def test_jobs_that_did_not_lie_evenly_or_could_not():
    jobs: list[Job] = [
        ([1, 2], 8, 0, 9),
        ([1, 2], 9, 0, 9),
        ([1, 2], 8, 0, 9),
        ([3], 64, 0, 9),
        ([1, 3], 20, 0, 9),
    ]
    first = FirstShares(make_names(["n1", "n1", "n1", "", ""]), np.array([4, 5, 6, 0, 0]))
    machine = Cluster((NodeGroup(2, 8, names=("n1", "n2")), NodeGroup(1, 64, names=("n3",))))
    assert place(jobs, machine, first).uneven.tolist() == [False, False, True, False, True]
    assert place(jobs, Cluster.pool(80), first).uneven.tolist() == [False, False, True, False, False]
