"""The loop of an audit, which replays a schedule event by event and makes the checks; compiled."""

from __future__ import annotations

from typing import NamedTuple

from engine.audit.head_checks import HeadChecks, look_at_head
from engine.audit.pass_checks import PassChecks, look_at_pass
from engine.audit.plan_checks import PlanChecks, look_at_plan
from engine.audit.replay import Replay, next_moment
from engine.compiler.kernels import kernel
from engine.compiler.packed_tuples import Known, agrees, packed

_NOTHING: Known = {}
_PROCESSORS: Known = {
    "replay.capacity": (1, 1),
    "replay.free": (1, 1),
    "replay.holdings.amount": (None, 1),
    "passes.requests.need": (None, 1),
    "passes.profile.free": (None, 1),
    "head.free": (1, 1),
    "plan.need": (None, 1),
    "plan.profile.free": (None, 1),
}
"""Known of a pool of processors alone; code for it takes half of the time."""


class Checks(NamedTuple):
    """A replay and its checks; those that are `on` are made."""

    replay: Replay
    passes: PassChecks
    head: HeadChecks
    plan: PlanChecks


def follow(checks: Checks) -> None:
    """Replay the whole schedule and make the checks; their results are left in `checks`."""
    known = _PROCESSORS if agrees(checks, _PROCESSORS) else _NOTHING
    _follow(packed(checks, known))


@kernel
def _follow(c: Checks) -> None:
    # The replay is moved on once for all checks: each looks at the same moment with what waits, runs and is
    # free then.
    while next_moment(c.replay):
        if c.passes.on:
            look_at_pass(c.passes, c.replay)
        if c.head.on:
            look_at_head(c.head, c.replay)
        if c.plan.on:
            look_at_plan(c.plan, c.replay)
