"""What lies at a spot of a chart or a table, as things that can be selected, filtered and named."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

from engine.trace import Trace
from views.state.selection import Selection
from views.state.spot import Spot
from views.text.names import with_kind

SpotKind = Literal["job", "user", "queue", "node"]


@dataclass(frozen=True)
class SpotItem:
    """A job, user, queue or node; `name` is that of the log, `title` has its kind too.

    `selection` picks it: of a node the jobs that ran on it.
    """

    kind: SpotKind
    title: str
    name: str
    selection: Callable[[], Selection]


def items_at(spot: Spot, trace: Trace) -> Iterator[SpotItem]:
    """The things at a spot, the smallest first."""
    if spot.job is not None:
        user, number = int(trace.user.codes[spot.job]), str(trace.job_id[spot.job])
        picked = Selection(jobs=frozenset({spot.job}), users=frozenset({user}))
        yield SpotItem("job", f"job {number}", number, lambda: picked)
    if spot.user is not None:
        name, of_user = trace.user.names[spot.user], Selection(users=frozenset({spot.user}))
        yield SpotItem("user", with_kind("user", name), name, lambda: of_user)
    if spot.queue is not None:
        name, of_queue = trace.queue.names[spot.queue], Selection(queues=frozenset({spot.queue}))
        yield SpotItem("queue", with_kind("queue", name), name, lambda: of_queue)
    if spot.node is not None and spot.schedule is not None:
        name = spot.schedule.cluster.node_name(spot.node)
        title = name if name.startswith("node ") else f"node {name}"
        yield SpotItem("node", title, name, partial(_on_node, spot))


def _on_node(spot: Spot) -> Selection:
    assert spot.schedule is not None
    assert spot.node is not None
    jobs = frozenset(spot.schedule.jobs_on(spot.node).tolist())
    return Selection(jobs=jobs, nodes=frozenset({spot.node}))
