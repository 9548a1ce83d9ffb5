"""The penalty of jobs as surfaces over their shares of CPUs and RAM, and the positions of users on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from engine.arrays import Floats, Ints
from engine.machine.cluster import Cluster
from engine.policy.penalty import PENALTIES, penalties
from engine.schedule.schedule import Schedule
from engine.trace import Trace

FORMULAS = {
    "cpu": "x",
    "max": "max(x, y)",
    "sqrt": "1 − √((1 − x)(1 − y))",
    "product": "1 − (1 − x)(1 − y)",
    "equivalent": "the largest share of a node that a task takes, times tasks, in nodes",
}
"""Each penalty of a job with the shares x of the machine's CPUs and y of its RAM."""

_LONGEST = 30
"""Maximum characters of a formula in a title."""

assert set(FORMULAS) == set(PENALTIES)


def penalty_title(penalty: str) -> str:
    """The name of a penalty, and its formula where that is short."""
    formula = FORMULAS[penalty]
    return f"{penalty}: {formula}" if len(formula) <= _LONGEST else penalty


SIDE = 61
"""Shares along each axis of a surface."""

_REACHES = (5.0, 10.0, 20.0, 50.0, 100.0)
"""Where axes may end, in % of the machine."""


class _Grid(NamedTuple):
    """Jobs of all shares, each spread evenly over as many tasks as the machine has nodes."""

    need: Floats
    group_offset: Ints
    group_tasks: Ints
    group_need: Floats
    capacity: Ints


@dataclass(frozen=True, eq=False)
class PenaltySurfaces:
    """Surfaces over shares of 0 to `reach` % of the machine, and the users of a trace among them.

    `values` has for each penalty an array of shape (SIDE, SIDE) in %, a row for each share of RAM. `cpu` and
    `ram`, shape (users,), are the user's mean job, each weighing as much as it runs, in %; NaN for a user of
    whom nothing ran. `penalty` is what those jobs weigh in the same mean, shape (users,) each.
    """

    trace: Trace
    reach: float
    values: dict[str, Floats]
    cpu: Floats
    ram: Floats
    penalty: dict[str, Floats]

    @property
    def shares(self) -> Floats:
        """The shares along each axis, in %, shape (SIDE,)."""
        return np.linspace(0.0, self.reach, SIDE)


def penalty_surfaces(schedule: Schedule, whole: bool = False) -> PenaltySurfaces | None:
    """The surfaces of a run's machine, as far as its users reach or `whole`.

    None where the machine does not limit RAM: then all penalties are the share of CPUs
    (Klusacek, Chlumsky & Rudova 2014, figure 2).
    """
    from engine.simulation.workload import make_workload

    trace, cluster = schedule.trace, schedule.cluster
    if not cluster.limits_ram or not schedule.ran.any():
        return None
    work = make_workload(trace, cluster, trace.walltime)
    # A request of more than the machine counts as the whole machine.
    share = np.minimum(work.need[:, :2] / work.capacity[:, :2].sum(axis=0), 1.0)
    runtime = np.where(schedule.ran, schedule.runtime, 0).astype(np.float64)
    total = np.bincount(trace.user.codes, runtime, len(trace.user.names))

    # Means are weighed by runtime: a user is where most of the machine's time goes.
    def mean(values: Floats) -> Floats:
        totals = np.bincount(trace.user.codes, runtime * values, len(total))
        return np.asarray(100.0 * np.divide(totals, total, out=np.full(len(total), np.nan), where=total > 0))

    cpu, ram = mean(share[:, 0]), mean(share[:, 1])
    # The same few ranges for all runs, so that surfaces side by side can be compared.
    most = max(np.nanmax(cpu), np.nanmax(ram))
    reach = 100.0 if whole else next(end for end in _REACHES if end >= min(most, 100.0))
    weights = {name: mean(penalties(work, name)) for name in PENALTIES}
    return PenaltySurfaces(trace, reach, _surfaces(cluster, reach / 100.0), cpu, ram, weights)


def _surfaces(cluster: Cluster, reach: float) -> dict[str, Floats]:
    capacity = cluster.capacity()
    x, y = np.meshgrid(*[np.linspace(0.0, reach, SIDE)] * 2)
    need = np.zeros((x.size, capacity.shape[1]))  # nothing of GPUs and others
    need[:, :2] = np.stack((x.ravel(), y.ravel()), axis=1) * capacity[:, :2].sum(axis=0)
    jobs, nodes = len(need), len(capacity)
    grid = _Grid(need, np.arange(jobs + 1), np.full(jobs, nodes), need / nodes, capacity)
    return {name: 100.0 * penalties(grid, name).reshape(SIDE, SIDE) for name in PENALTIES}  # type: ignore[arg-type]
