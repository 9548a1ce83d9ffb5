"""Random small workloads, machines and policies for property tests."""

from __future__ import annotations

from hypothesis import strategies as st

from engine.cluster import Cluster, NodeGroup
from engine.policy import Policy, parse_policy
from engine.static_order import STATIC_ORDERS
from engine.trace import Trace
from tests.traces import make_trace


@st.composite
def clusters(draw: st.DrawFn) -> Cluster:
    """A pool, or one or two groups of nodes, with and without RAM."""
    with_ram = draw(st.booleans())

    def group() -> NodeGroup:
        ram = draw(st.integers(4, 40)) if with_ram else None
        return NodeGroup(draw(st.integers(1, 4)), draw(st.integers(1, 6)), ram)

    return Cluster(tuple(group() for _ in range(draw(st.integers(1, 2)))))


@st.composite
def traces(draw: st.DrawFn, max_jobs: int = 25) -> Trace:
    """Jobs that come in quick succession, so that queues form, with ties of all kinds."""
    jobs = draw(st.integers(1, max_jobs))

    def numbers(low: int, high: int) -> list[int]:
        return draw(st.lists(st.integers(low, high), min_size=jobs, max_size=jobs))

    submit, now = [], 0
    for gap in numbers(0, 8):
        now += gap
        submit.append(now)
    runtime = numbers(1, 30)
    walltime = [d + extra for d, extra in zip(runtime, numbers(0, 20), strict=True)]
    tasks = []
    for _ in range(jobs):
        groups = draw(
            st.lists(
                st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(0, 6)), min_size=1, max_size=2
            )
        )
        tasks.append(groups)
    procs = [sum(count * cpus for count, cpus, _ in groups) for groups in tasks]
    user = [f"u{number}" for number in numbers(0, 3)]
    return make_trace(submit, runtime, procs, walltime=walltime, user=user, tasks=tasks)


@st.composite
def policies(draw: st.DrawFn) -> Policy:
    """Any policy that is simulated."""
    return parse_policy("easy").with_keys(
        order=draw(st.sampled_from((*STATIC_ORDERS, "fairshare", "fairshare"))),
        depth=draw(st.sampled_from(("stop", "0", "1", "1"))),
        backfill=draw(st.sampled_from(("queue", *STATIC_ORDERS))),
        estimate=draw(st.sampled_from(("requested", "actual"))),
        ties=draw(st.sampled_from(("fcfs", "longest"))),
        placement=draw(st.sampled_from(("first", "best", "worst"))),
        penalty=draw(st.sampled_from(("cpu", "max", "sqrt", "product", "equivalent"))),
        half_life=draw(st.sampled_from(("none", "1", "5", "60", "3d"))),
        accrue=draw(st.sampled_from(("always", "end"))),
    )
