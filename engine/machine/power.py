"""The power of a machine: watts of its nodes, and series of prices and carbon intensities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.limits import MAX_TIME
from engine.machine.cluster import Cluster

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

EnergyMeans = Literal["nodes", "above-idle", "ignored"]
"""What the energy of a job in the log is: that of the whole nodes that it had, what it took above their idle
power, or nothing to go by."""


SWITCHED = ("off_w", "boot_s", "boot_w")
"""What is to be known of nodes that are switched off and boot."""


@dataclass(frozen=True)
class NodePower:
    """The power of the nodes of a group, in W: of a node that is on, and more for each busy core and GPU.

    `off_w` is that of a node that is down or switched off, `boot_w` that of one that boots, which takes
    `boot_s`, s. `group` is the name of the group or its spelling, like `20x80c505g`; empty: all nodes that no
    other entry is about. `unknown` are those of SWITCHED that nobody told: they are 0.
    """

    idle_w: float = 0.0
    core_w: float = 0.0
    gpu_w: float = 0.0
    off_w: float = 0.0
    group: str = ""
    boot_s: int = 0
    boot_w: float = 0.0
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Rates:
    """A price or a carbon intensity over time, per kWh, or a cap on power: `value[i]` holds from `time[i]`
    (s from the trace's zero) until `time[i + 1]`, the last from then on. NaN where it is not known, as before
    the first.

    Both of shape (m,), m at least 1; times ascend strictly.
    """

    time: Ints
    value: Floats

    def over(self, begin: Ints, end: Ints) -> Floats:
        """The integral from each begin to each end (s), shape as these, in s per kWh times the unit.

        NaN where the rate is not known at some time between the two.
        """
        unknown = np.isnan(self.value)
        value = np.where(unknown, 0.0, self.value)
        # As the integral of a rate that is 0 where it is not known, and of the time for which it is not.
        known = self._until(value, end) - self._until(value, begin)
        gaps = self._until(unknown.astype(np.float64), end) - self._until(unknown.astype(np.float64), begin)
        early = np.minimum(end, self.time[0]) - np.minimum(begin, self.time[0])
        return np.where((gaps > 0) | (early > 0), np.nan, known)

    def at(self, moment: float) -> float:
        """The rate at a time, s; NaN where it is not known."""
        row = int(np.searchsorted(self.time, moment, "right")) - 1
        return float(self.value[row]) if row >= 0 else np.nan

    def rows_of(self, begin: int, end: int) -> slice:
        """The rows that hold at some time from `begin` to `end`, s."""
        first = max(int(np.searchsorted(self.time, begin, "right")) - 1, 0)
        return slice(first, max(int(np.searchsorted(self.time, end, "left")), first))

    def _until(self, value: Floats, moments: Ints) -> Floats:
        """The integral of some values from the first time on, 0 before that."""
        lasts = np.diff(self.time)
        total = np.concatenate(([0.0], np.cumsum(value[:-1] * lasts)))
        row = np.maximum(np.searchsorted(self.time, moments, "right") - 1, 0)
        return np.asarray(total[row] + value[row] * np.maximum(moments - self.time[row], 0))


@dataclass(frozen=True, eq=False)
class PowerModel:
    """What is known of the power of a machine, what its energy costs, and what power it may take.

    `means` says what the energy of jobs in the log is. Prices are in any currency per kWh, carbon intensities
    in g per kWh, caps in kW; policies that ask for the series of caps keep it.
    """

    groups: tuple[NodePower, ...]
    means: EnergyMeans = "nodes"
    price: Rates | None = None
    carbon: Rates | None = None
    cap: Rates | None = None


@dataclass(frozen=True, eq=False)
class PoweredCluster(Cluster):
    """A machine of which the power is known: it equals the same machine without that."""

    power: PowerModel | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cluster) and (self.groups, self.failures) == (other.groups, other.failures)

    def __hash__(self) -> int:
        return Cluster.__hash__(self)


def power_of(cluster: Cluster) -> PowerModel | None:
    """What is known of the power of a machine; None: nothing."""
    return cluster.power if isinstance(cluster, PoweredCluster) else None


SERIES: Literal["series"] = "series"
"""The cap of policies that keep the series of caps of the power model."""

PowerCap = float | Literal["series"] | None
"""The cap of a policy: a number of kW, the series of the power model, or none."""


def caps_over_time(cap: PowerCap, model: PowerModel | None) -> Rates | None:
    """The cap over time, kW, NaN where there is none; None where the policy has none, or its series lacks."""
    if cap is None:
        return None
    if cap == SERIES:
        return None if model is None else model.cap
    return Rates(np.array([-MAX_TIME]), np.array([cap], np.float64))


def with_power(cluster: Cluster, power: PowerModel) -> PoweredCluster:
    """The machine with its power known."""
    return PoweredCluster(cluster.groups, cluster.failures, power)


@dataclass(frozen=True, eq=False)
class NodeWatts:
    """The power of each node of a machine, shape (nodes,), in W.

    `idle` is of a processor of the node: in a pool, of which each processor counts as a node, the idle power
    of that; on nodes its share of the node's. `boot` is that of a node that boots for `boot_s`, s.
    """

    idle: Floats
    core: Floats
    gpu: Floats
    off: Floats
    boot: Floats
    boot_s: Ints


def node_watts(model: PowerModel, cluster: Cluster) -> NodeWatts | None:
    """The power of each node of a machine; None where that of any node is not known."""
    watts, boots = [], []
    for group, entry in zip(cluster.groups, _entries(model, cluster), strict=True):
        if entry is None:
            return None
        nodes = group.cpus if cluster.pooled else 1
        of_node = entry.idle_w * nodes / group.cpus, entry.core_w, entry.gpu_w
        watts.append((*of_node, entry.off_w * nodes, entry.boot_w * nodes))
        boots.append(entry.boot_s)
    counts = [group.count for group in cluster.groups]
    idle, core, gpu, off, boot = np.repeat(np.array(watts, np.float64), counts, axis=0).T
    return NodeWatts(idle, core, gpu, off, boot, np.repeat(np.array(boots, np.int64), counts))


def unknown_of_switching(model: PowerModel, cluster: Cluster) -> tuple[str, ...]:
    """What of SWITCHED is not known of some nodes of a machine."""
    entries = _entries(model, cluster)
    return tuple(
        name for name in SWITCHED if any(entry is None or name in entry.unknown for entry in entries)
    )


def _entries(model: PowerModel, cluster: Cluster) -> list[NodePower | None]:
    """The entry about each group of nodes; None where there is none."""
    named = {entry.group: entry for entry in model.groups}
    return [
        (named.get(group.name) if group.name else None) or named.get(group.spelling) or named.get("")
        for group in cluster.groups
    ]
