"""What contradicts that a site's Slurm takes one job before another, apart from the simulator.

Tiers of partitions come first, then priorities, or submissions where these do not count. Priorities are known
within bounds: of what a user's usage gives nothing is taken for granted but that it is the same for jobs of
one user and account.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engine.arrays import Floats, Mask
from engine.audit.log_rows import LogRows
from engine.audit.table import Ints
from engine.slurm.site.site import Site


class SiteOrder:
    """The order of a site's queue, as far as it is known."""

    def __init__(self, site: Site, log: LogRows, nodes: Ints) -> None:
        """`nodes` are on how many nodes each job ran, (n,)."""
        self._site, self._log, self._trace = site, log, log.schedule.trace
        keys = [self._keys(name) for name in self._trace.queue.names]
        codes = self._trace.queue.codes
        tiers = np.array([_number(each, "priority", "prioritytier") for each in keys], np.int64)
        self._tier = tiers[codes]
        self._low, self._high = self._settled(keys, nodes)
        held = np.zeros(len(self._trace), np.int64) if self._trace.held is None else self._trace.held
        self._came = log.submit + (0 if self._trace.dependencies else held)

    def contradicts(self, time: Ints, first: Ints, second: Ints) -> Mask:
        """Whether the second job, (m,), surely goes before the first one at a time, (m,)."""
        tier = self._tier[first] - self._tier[second]
        return np.asarray(
            self._comparable(first, second) & ((tier < 0) | ((tier == 0) & self._later(time, first, second)))
        )

    def _comparable(self, first: Ints, second: Ints) -> Mask:
        """Whether nothing else comes before tiers and priorities: reservations, preemption, a run before."""
        trace, stopped = self._trace, self._log.schedule.stopped.job
        plain = ~(np.isin(first, stopped) | np.isin(second, stopped))
        if trace.reservation is not None:
            inside = np.array([bool(name) for name in trace.reservation.names] or [False])
            plain &= ~(inside[trace.reservation.codes[first]] | inside[trace.reservation.codes[second]])
        if "qos" in self._site.conf.option("PreemptType").lower() and trace.qos is not None:
            plain &= trace.qos.codes[first] == trace.qos.codes[second]
        return np.asarray(plain)

    def _later(self, time: Ints, first: Ints, second: Ints) -> Mask:
        """Whether the priority of the first job is surely lower than that of the second."""
        site, trace = self._site, self._trace
        if not site.multifactor:
            return np.asarray(self._came[first] > self._came[second])
        weight, longest = float(site.value("PriorityWeightAge")), float(site.value("PriorityMaxAge"))
        period = site.rules(1).calc_period + 1  # for so long ages may not have been counted
        fairshare = float(site.value("PriorityWeightFairshare"))
        age = [np.maximum(time - self._came[job], 0) for job in (first, second)]
        oldest, youngest = age[0], np.maximum(age[1] - period, 0)
        most = self._high[first] + (weight * np.minimum(oldest / longest, 1.0) if longest > 0 else 0.0)
        least = self._low[second] + (weight * np.minimum(youngest / longest, 1.0) if longest > 0 else 0.0)
        same = (trace.user.codes[first] == trace.user.codes[second]) & (
            trace.group.codes[first] == trace.group.codes[second]
        )
        return np.asarray(most + np.where(same, 0.0, fairshare) + 2 < least)

    def _settled(self, keys: list[Mapping[str, str]], nodes: Ints) -> tuple[Floats, Floats]:
        """The part of priorities that never changes, within bounds, (n,) each: size, partition and QOS."""
        site, trace, machine = self._site, self._trace, self._site.conf.machine
        of_cpus = trace.procs / machine.cpus
        # The log does not always tell how many nodes a job asked for: at least one, at most those it had. So
        # the factor has two bounds.
        sizes = [
            (least / machine.nodes + of_cpus) / 2 for least in (np.ones(len(trace)), np.maximum(nodes, 1))
        ]
        if site.conf.word("PriorityFavorSmall") == "yes":
            # Under PriorityFavorSmall the factor falls with the size, so the bounds change places.
            sizes = [1.0 - size for size in sizes[::-1]]
        factor = [_number(each, "priority", "priorityjobfactor") for each in keys]
        every = [_number(part.keys, "priority", "priorityjobfactor") for part in site.conf.partitions]
        # slurmctld divides by the largest factor of any partition.
        top = max([1, *every])
        rest = float(site.value("PriorityWeightPartition")) * np.array(factor)[trace.queue.codes] / top
        if trace.qos is not None and site.qos:
            known = dict(site.qos)
            highest = max(1.0, *known.values())
            of_name = np.array([known.get(name, 0.0) / highest for name in trace.qos.names])
            rest = rest + float(site.value("PriorityWeightQOS")) * of_name[trace.qos.codes]
        weight = float(site.value("PriorityWeightJobSize"))
        low, high = (np.asarray(rest + weight * size, np.float64) for size in sizes)
        return low, high

    def _keys(self, queue: str) -> Mapping[str, str]:
        partition = self._site.conf.partition(queue.split(",")[0])
        return {} if partition is None else partition.keys


def _number(keys: Mapping[str, str], *names: str) -> int:
    """The first of these keys that is given, at most 65535; 1 where none is."""
    text = next((keys[name] for name in names if name in keys), "1")
    return min(int(text), 65_535) if text.isascii() and text.isdigit() and len(text) < 10 else 1
