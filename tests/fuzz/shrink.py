"""The smallest case that fails as a larger one does, found by leaving things out one by one."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from engine.errors import InputError
from engine.machine.outages import Outages
from engine.policy.keys import KEYS
from engine.policy.policy import PRESETS
from tests.fuzz.workloads import Workload

_MOST_TRIES = 400


def shrunk(workload: Workload, fails: Callable[[Workload], bool]) -> Workload:
    """The case without the jobs, the keys and the failures that it fails without too."""
    left = _MOST_TRIES
    found = True
    while found and left > 0:
        found = False
        for smaller in _smaller(workload):
            left -= 1
            if left <= 0 or fails(smaller):
                found = left > 0
                workload = smaller if found else workload
                break
    return workload


def _smaller(workload: Workload) -> Iterator[Workload]:
    """Half of the jobs less, a job less, a key less, a failure less."""
    # Large steps first: half of the jobs, then single ones, then keys and failures.
    rows = workload.rows
    half = len(rows) // 2
    if half > 1:
        yield replace(workload, rows=rows[:half])
        yield replace(workload, rows=rows[half:])
    for index in reversed(range(len(rows)) if len(rows) > 1 else ()):
        yield replace(workload, rows=rows[:index] + rows[index + 1 :])
    policy = workload.policy
    base = PRESETS[policy.preset][0]
    for key in KEYS:
        # Each key alone goes back to its preset; combinations that are no policy are left out.
        if getattr(policy, key.name) != getattr(base, key.name):
            try:
                yield replace(workload, policy=policy.with_keys(**{key.name: base.format_key(key.name)}))
            except InputError:
                continue
    failures = workload.cluster.failures
    if failures is not None:
        yield replace(workload, cluster=replace(workload.cluster, failures=None))
    if isinstance(failures, Outages):
        for index in range(len(failures) if len(failures) > 1 else 0):
            columns = (np.delete(column, index) for column in (failures.node, failures.start, failures.end))
            yield replace(workload, cluster=replace(workload.cluster, failures=Outages(*columns)))
