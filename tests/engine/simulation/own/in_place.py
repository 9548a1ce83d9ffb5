"""A user's code in the process of a test, for many small simulations: children are tested apart."""

from pathlib import Path
from typing import Any

import numpy as np

from engine.machine.cluster import Cluster
from engine.own.code import own_code
from engine.own.file import Declared, OwnFile
from engine.policy.own_policy import with_own_keys
from engine.policy.policy import Policy
from engine.simulation.control import Control
from engine.simulation.events import run_events, variant_of
from engine.simulation.loop import NEEDS_ROOM
from engine.simulation.make.scheduler import make_scheduler
from engine.simulation.own.calls import Beat, Calls
from engine.simulation.own.child import UserCode
from engine.simulation.own.process import _code, job_columns
from engine.simulation.scheduler import Scheduler
from engine.simulation.tables import with_larger_tables
from engine.trace import Trace


def own_file(text: str, **kinds: str) -> OwnFile:
    """A file of code that declares these names, each of its kind, without parameters."""
    return OwnFile(
        Path("mine.py"), text, text, tuple(Declared(name, kind, 1, ()) for name, kind in kinds.items())
    )


def with_own(policy: Policy, text: str, kind: str, role: str) -> Policy:
    """The policy in which `f` of the text decides in a role."""
    file = own_file(text, f=kind)
    return with_own_keys(policy, own_code(file, {role: "f"}, {}), {role: "f"})


def run_in_place(
    trace: Trace, cluster: Cluster, policy: Policy, log: bool = False
) -> tuple[Scheduler, Calls]:
    """The state after all events, and the calls of the user's code with their fault, if any."""
    assert policy.own is not None
    s, estimator = make_scheduler(trace, cluster, policy, log)
    names = {"user": trace.user.names, "queue": trace.queue.names, "group": trace.group.names}
    asked: dict[str, Any] = {**_code(policy.own), "names": names, "resources": []}
    control = Control()
    beat = Beat(*np.zeros((2, 1), np.int64))
    calls = UserCode(asked, beat).connect(s, estimator, job_columns(trace), control.array)
    variant = variant_of(s, estimator)
    while run_events(s, estimator, control.array, variant) == NEEDS_ROOM:
        s = calls.shown.s = with_larger_tables(s)
    assert beat.calls[0] % 2 == 0
    return s, calls
