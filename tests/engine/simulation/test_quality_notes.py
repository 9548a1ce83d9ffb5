import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.logs.read import read_trace
from engine.machine.cluster import Cluster, parse_cluster
from engine.policy.policy import Policy
from engine.simulation.quality_notes import _text, over_commitment, quality_notes
from engine.simulation.recorded_run import recorded_schedule
from engine.simulation.run import simulate
from engine.trace import Note, Pieces, Trace
from tests.engine.simulation.workloads import clusters, policies, traces
from tests.paths import ROOT, SHARED, needs
from tests.traces import make_trace

WAGAP = SHARED / "traces/alea-wagap-2013.swf.gz"
KTH = SHARED / "traces/KTH-SP2-filtered.swf.gz"

Piece = tuple[int, int]  # node, CPUs


def on_nodes(trace: Trace, nodes: Sequence[Sequence[Piece]]) -> Trace:
    """The trace with the nodes on which its log says that jobs ran."""
    offset = np.concatenate(([0], np.cumsum([len(rows) for rows in nodes]))).astype(np.int64)
    table = np.array([row for rows in nodes for row in rows], np.int64).reshape(-1, 2)
    pieces = Pieces(offset, {"node": table[:, 0].copy(), "cpus": table[:, 1].copy()})
    return replace(trace, recorded_nodes=pieces)


@given(traces(), clusters(), policies())
def test_no_simulated_schedule_asks_for_more_than_there_is(
    trace: Trace, cluster: Cluster, policy: Policy
) -> None:
    assert over_commitment(simulate(trace, cluster, policy)) == ()


def test_on_a_pool_the_whole_machine_counts() -> None:
    # 6 of 4 from 2 to 10: eight of sixteen seconds, two of three jobs.
    trace = make_trace([0, 0, 0], [10, 9, 5], [3, 3, 1], wait=[0, 2, 11], cluster=Cluster.pool(4))
    (note,) = over_commitment(recorded_schedule(trace, trace.cluster))
    text = "jobs ran while recorded use exceeded the machine, 50.00 % of the time (peak 6 of 4 CPUs)"
    assert note == Note("over_cpus", text, 2)


def test_a_node_may_be_over_committed_where_the_machine_is_not() -> None:
    trace = make_trace([0] * 3, [10, 10, 5], [3, 2, 1], wait=[0, 5, 0], cluster=parse_cluster("2x4c"))
    trace = on_nodes(trace, [[(1, 3)], [(1, 2)], [(0, 1)]])
    (note,) = over_commitment(recorded_schedule(trace, trace.cluster))
    assert (note.rule, note.count) == ("over_cpus", 2)
    # Five seconds of one of two nodes, in fifteen.
    assert note.text.endswith("exceeded 1 of 2 nodes, 16.67 % of the time (peak 5 of 4 CPUs)")


def test_ram_of_a_node() -> None:
    trace = make_trace(
        [0] * 2, [10, 10], [1, 1], ram=[700, 700], wait=[0, 0], cluster=parse_cluster("2x4c1g")
    )
    together, apart = (on_nodes(trace, [[(0, 1)], [(node, 1)]]) for node in (0, 1))
    (note,) = over_commitment(recorded_schedule(together, trace.cluster))
    assert (note.rule, note.count) == ("over_ram", 2)
    assert note.text.endswith("1 of 2 nodes, 50.00 % of the time (peak 1,400 of 1,024 MiB of RAM)")
    assert over_commitment(recorded_schedule(apart, trace.cluster)) == ()


def test_on_another_machine_than_the_logs_own_totals_count() -> None:
    trace = make_trace(
        [0] * 2, [10, 10], [4, 4], ram=[700, 700], wait=[0, 0], cluster=parse_cluster("2x4c1g")
    )
    trace = on_nodes(trace, [[(0, 4)], [(0, 4)]])
    assert [note.rule for note in over_commitment(recorded_schedule(trace, trace.cluster))] == [
        "over_cpus",
        "over_ram",
    ]
    assert over_commitment(recorded_schedule(trace, parse_cluster("4x2c512m"))) == ()
    assert [note.rule for note in over_commitment(recorded_schedule(trace, parse_cluster("3x2c")))] == [
        "over_cpus"
    ]


def test_ends_come_before_starts_and_jobs_that_never_started_ask_for_nothing() -> None:
    trace = make_trace([0] * 3, [10, 10, 10], [4, 4, 4], wait=[5, 15, -1], cluster=Cluster.pool(4))
    assert over_commitment(recorded_schedule(trace, trace.cluster)) == ()
    nodes = on_nodes(replace(trace, cluster=parse_cluster("2x4c")), [[(0, 4)], [(0, 4)], [(0, 4)]])
    assert over_commitment(recorded_schedule(nodes, nodes.cluster)) == ()


@st.composite
def recorded(draw: st.DrawFn) -> Trace:
    cluster = draw(clusters())
    jobs = draw(st.integers(1, 12))

    def numbers(low: int, high: int) -> list[int]:
        return draw(st.lists(st.integers(low, high), min_size=jobs, max_size=jobs))

    piece = st.tuples(st.integers(0, cluster.nodes - 1), st.integers(1, 5))
    nodes = [draw(st.lists(piece, max_size=2)) for _ in range(jobs)]
    procs = [max(1, sum(cpus for _, cpus in rows)) for rows in nodes]
    trace = make_trace(
        [0] * jobs, numbers(1, 9), procs, ram=numbers(1, 60), wait=numbers(0, 15), cluster=cluster
    )
    return on_nodes(trace, nodes) if draw(st.booleans()) and not cluster.pooled else trace


@settings(max_examples=200)
@given(recorded())
def test_as_second_by_second(trace: Trace) -> None:
    notes = over_commitment(recorded_schedule(trace, trace.cluster))
    assert [(note.rule, note.count, note.text.partition(" exceeded ")[2]) for note in notes] == [
        found for column in ("cpus", "ram") if (found := slow_note(trace, column))
    ]


def slow_note(trace: Trace, column: str) -> tuple[str, int, str] | None:
    """What one resource was asked for in each second on each node."""
    nodes = [group for group in trace.cluster.groups for _ in range(group.count)]
    endless = 10**15
    capacity = [node.cpus if column == "cpus" else node.ram or endless for node in nodes]
    asked = []  # job, node, amount
    for job in range(len(trace)):
        rows = [(0, int(trace.procs[job]))]
        if trace.recorded_nodes is not None:
            own = slice(trace.recorded_nodes.offset[job], trace.recorded_nodes.offset[job + 1])
            rows = list(
                zip(*(trace.recorded_nodes[name][own].tolist() for name in ("node", "cpus")), strict=True)
            )
        for node, cpus in rows:
            asked.append((job, node, cpus if column == "cpus" else int(trace.ram[job]) // len(rows)))
    if trace.recorded_nodes is None:
        capacity = [sum(capacity)]
    start = trace.submit + trace.wait
    end = start + trace.recorded_runtime
    placed = [job for job, _, _ in asked]
    span = int(end.max() - start[placed].min()) if placed else 0
    jobs, on, seconds, worst = set(), set(), 0, (0.0, 0, 0)
    for node, has in enumerate(capacity):
        for second in range(int(end.max())):
            now = [row for row in asked if row[1] == node and start[row[0]] <= second < end[row[0]]]
            held = sum(amount for _, _, amount in now)
            if held > has:
                jobs |= {job for job, _, _ in now}
                on.add(node)
                seconds += 1
                worst = max(worst, (held / has, held, has), key=lambda entry: entry[0])
    if not jobs:
        return None
    where = f"{len(on)} of {len(capacity)} nodes, " if len(capacity) > 1 else "the machine, "
    share = seconds / (len(capacity) * span)
    unit = "MiB of RAM" if column == "ram" else "CPUs"
    return (
        f"over_{column}",
        len(jobs),
        f"{where}{100 * share:.2f} % of the time (peak {worst[1]:,} of {worst[2]:,} {unit})",
    )


def test_notes_of_the_log_and_of_its_schedule() -> None:
    trace = make_trace([0, 0], [9, 9], [3, 3], wait=[0, 0], cluster=Cluster.pool(4))
    trace = trace.with_notes(
        Note("peak", "machine smaller than what the log has in use at once, 6 processors of 4", 1),
        Note("other", "odd", 3),
    )
    assert [note.rule for note in quality_notes(trace)] == ["other", "over_cpus"]
    without = replace(trace, wait=np.full(2, -1))
    assert quality_notes(without) == without.notes


@needs(WAGAP)
def test_ram_of_wagap_was_over_committed() -> None:
    trace = read_trace(WAGAP)
    (note,) = over_commitment(recorded_schedule(trace, trace.cluster))
    assert (note.rule, note.count) == ("over_ram", 500)
    assert "11 of 68 nodes, 0.53 % of the time" in note.text
    *others, refused, last = quality_notes(trace)
    assert (tuple(others), last) == (trace.notes, note)
    assert (refused.rule, refused.count) == ("refused", 1)


@needs(KTH)
def test_a_peak_is_reported_once() -> None:
    trace = read_trace(KTH)
    assert [note.rule for note in trace.notes] == ["peak"]
    (note,) = quality_notes(trace)
    assert note.text.endswith("0.07 % of the time (peak 104 of 100 CPUs)")


def test_jobs_that_fit_nowhere_are_counted_and_named() -> None:
    trace = make_trace([0, 1, 2], [5, 5, 5], [2, 6, 2], tasks=[[(2, 1, 0)], [(1, 6, 0)], [(2, 1, 0)]])
    on_nodes = replace(trace, cluster=parse_cluster("4x4c"))
    (note,) = quality_notes(on_nodes)
    assert (note.rule, note.count) == ("refused", 1)
    assert note.text.endswith(": 2; job 2 asks for 1 task of 6 CPUs")
    assert quality_notes(trace) == ()


def test_a_node_that_has_none_of_a_resource_may_be_over_committed() -> None:
    """Division by its capacity was a warning."""
    text = _text("gpu", np.array([2, 3]), np.array([1, 0]), np.array([2, 0]), 0.5)
    assert text.endswith("2 of 2 nodes, 50.00 % of the time (peak 2 of 0 gpu)")


def test_no_note_begins_with_a_number_beside_its_count() -> None:
    """Before the text stands how often it occurred: `1  202 processors` would be read as one number."""
    begins = re.compile(r'(?:Note|note_lines)\(\s*"\w+",\s*f?"(?:\{|\d)')
    texts = {path: path.read_text("utf-8") for path in (ROOT / "engine").rglob("*.py")}
    assert sum("Note(" in text for text in texts.values()) > 5
    assert [str(path) for path, text in texts.items() if begins.search(text)] == []
