"""Schedulers of a user's own that name nodes, and what they are told of the machine's future."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.machine.cluster import Cluster, parse_cluster
from engine.policy.policy import Policy, parse_policy
from engine.simulation.placement import AMOUNTS, NODE
from engine.simulation.run import simulate
from engine.trace import Trace
from tests.engine.simulation.own.in_place import run_in_place, with_own
from tests.engine.simulation.workloads import clusters, traces
from tests.traces import make_trace

NODES = parse_cluster("4x4c8g")

NAMING = """
import batchscope
@batchscope.scheduler
def f(state):
    for job in state.waiting.index.tolist():
        {body}
"""

PROMISING = """
import batchscope
@batchscope.scheduler
def f(state):
    for job in state.waiting.index.tolist():
        at = state.profile.earliest(job)
        promised = state.memory.setdefault(job, at)
        if at > state.now:
            return
        assert promised == at == state.now, (job, promised, state.now)
        yield job
"""


def own(text: str, rest: str = "easy") -> Policy:
    return with_own(parse_policy(rest), text, "scheduler", "scheduler")


@st.composite
def crowds(draw: st.DrawFn, gpus: bool = False) -> Trace:
    """Up to twelve jobs of up to ten equal tasks of a processor each, with RAM, and a GPU if asked for."""
    count = draw(st.integers(1, 12))
    numbers = lambda least, most: st.lists(st.integers(least, most), min_size=count, max_size=count)  # noqa: E731
    procs = draw(numbers(1, 10))
    with_gpus = [many * each for many, each in zip(procs, draw(numbers(0, 1)), strict=True)]
    return make_trace(
        sorted(draw(numbers(0, 30))),
        draw(numbers(1, 40)),
        procs,
        ram=draw(numbers(1, 12_000)),
        gpus=with_gpus if gpus else None,
    )


@settings(max_examples=150, deadline=None)
@given(crowds(), st.sampled_from(("4x4c8g", "3x4c8g+2x8c4g", "24c", "20c16g", "6x2c")))
def test_without_other_starts_a_job_starts_at_its_earliest_second(trace: Trace, machine: str) -> None:
    _, calls = run_in_place(trace, parse_cluster(machine), own(PROMISING, "easy:estimate=actual"))
    assert calls.fault is None


IN_TURN = """
import batchscope
@batchscope.scheduler
def f(state):
    for job in state.waiting.index:
        if not state.fits(job):
            return
        yield job
"""


@settings(max_examples=80, deadline=None)
@given(crowds(), st.sampled_from(("4x4c8g", "3x4c8g+2x8c4g", "20c16g", "6x2c")))
def test_what_fits_starts_in_turn_as_under_fcfs(trace: Trace, machine: str) -> None:
    cluster = parse_cluster(machine)
    s, calls = run_in_place(trace, cluster, own(IN_TURN))
    assert calls.fault is None
    assert s.start.tolist() == simulate(trace, cluster, parse_policy("fcfs")).start.tolist()


@settings(max_examples=60, deadline=None)
@given(traces(), clusters())
def test_groups_of_tasks_that_fit_on_the_first_nodes_start(trace: Trace, cluster: Cluster) -> None:
    cluster = replace(cluster, failures=None)
    _, calls = run_in_place(trace, cluster, own(IN_TURN, "easy:placement=first"))
    assert calls.fault is None


@settings(max_examples=60, deadline=None)
@given(crowds(gpus=True))
def test_gpus_count_too(trace: Trace) -> None:
    s, calls = run_in_place(trace, parse_cluster("2x8c16g6gpu"), own(PROMISING, "easy:estimate=actual"))
    assert calls.fault is None
    assert s.work.need.shape[1] == 3


@settings(max_examples=60, deadline=None)
@given(crowds())
def test_naming_all_nodes_is_naming_none(trace: Trace) -> None:
    body = "if state.profile.earliest(job) > state.now: return\n        yield job{}"
    plain, _ = run_in_place(trace, NODES, own(NAMING.format(body=body.format(""))))
    named, calls = run_in_place(trace, NODES, own(NAMING.format(body=body.format(", range(4)"))))
    assert calls.fault is None
    assert named.start.tolist() == plain.start.tolist()
    used = int(plain.machine.pieces_used[0])
    assert named.machine.pieces[:used].tolist() == plain.machine.pieces[:used].tolist()


def test_a_job_runs_on_the_nodes_that_are_named() -> None:
    trace = make_trace([0, 0, 0, 5], [10, 10, 10, 10], [2, 4, 6, 1])
    where = {0: [3], 1: [1, 2], 2: (0, 3), 3: np.array([2])}
    listed = {job: list(map(int, nodes)) for job, nodes in where.items()}
    s, calls = run_in_place(trace, NODES, own(NAMING.format(body=f"yield job, {listed}[job]")))
    assert calls.fault is None
    assert s.start.tolist() == [0, 0, 0, 5]
    pieces = [
        s.machine.pieces[first : first + count, [NODE, AMOUNTS]].tolist()
        for first, count in zip(s.machine.first_piece, s.machine.piece_count, strict=True)
    ]
    assert pieces == [[[3, 2]], [[1, 4]], [[0, 4], [3, 2]], [[2, 1]]]
    assert s.machine.free.tolist() == s.work.capacity.tolist()  # all have ended, and nothing stays hidden


@pytest.mark.parametrize(
    ("answer", "machine", "job", "text"),
    [
        ("job, [2]", NODES, 0, "f starts it, but node 2 of the machine cannot take it now"),
        ("job, [1, 2, 2]", NODES, 0, "f starts it, but nodes 1, 2 of the machine cannot take it now"),
        ("job, [4]", NODES, -1, "f names node 4, but nodes are 0 to 3"),
        ("job, [-1, 2]", NODES, -1, "f names node -1, but nodes are 0 to 3"),
        ("job, []", NODES, -1, "f names [], which are no numbers of nodes"),
        ("job, ['a']", NODES, -1, "f names ['a'], which are no numbers of nodes"),
        ("job, [[1], [2, 3]]", NODES, -1, "f names [[1], [2, 3]], which are no numbers of nodes"),
        ("job, [0]", Cluster.pool(16), -1, "f names nodes, but the machine is one pool of processors"),
    ],
)
def test_a_lie_about_nodes_is_a_sentence(answer: str, machine: Cluster, job: int, text: str) -> None:
    trace = make_trace([7], [10], [9])
    s, calls = run_in_place(trace, machine, own(NAMING.format(body=f"yield {answer}")))
    assert calls.fault is not None
    assert (calls.fault.text, calls.fault.job, calls.fault.time) == (text, job, 7)
    assert s.start.tolist() == [-1]


def test_what_is_free_later_is_an_array_of_nodes() -> None:
    body = (
        "print(end='')\n        free = state.profile.free_at(state.now + 4)"
        "\n        assert not free.flags.writeable"
        "\n        whole = [[4, 8192]] * 4"
        "\n        assert free.tolist() == (whole if job < 2 else [[2, 8192], *whole[1:]]), free"
        "\n        assert state.machine.resources == ()"
        "\n        assert state.waiting.need[0, 0] == state.waiting.procs[0]"
        "\n        yield job"
    )
    trace = make_trace([0, 4, 6], [4, 9, 1], [4, 2, 1])
    s, calls = run_in_place(trace, NODES, own(NAMING.format(body=body)))
    assert calls.fault is None, calls.fault
    assert s.start.tolist() == simulate(trace, NODES, parse_policy("fcfs")).start.tolist()
