"""What changes by the clock, worked out anew at each question: caps on power, and prices of energy."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from engine.machine.cluster import Cluster
from engine.machine.power import PowerModel, power_of
from tests.engine.simulation.naive_machine import Job

if TYPE_CHECKING:
    from tests.engine.simulation.naive import NaiveSimulation

YEAR = 366 * 86_400


def idle_power(cluster: Cluster, model: PowerModel) -> float:
    """The power of the idle machine, W, whose nodes are all alike."""
    nodes = sum(group.count * (group.cpus if cluster.pooled else 1) for group in cluster.groups)
    return nodes * model.groups[0].idle_w


class NaiveHours:
    """The hours of a simulation."""

    def __init__(self, sim: NaiveSimulation) -> None:
        self.sim = sim
        self.model = power_of(sim.trace.cluster)

    def room_at(self, time: int) -> float:
        """The power, W, that the cap leaves to jobs at a time: without limit where a series has no cap."""
        sim = self.sim
        assert sim.power_room is not None
        if sim.policy.power_cap != "series":
            return sim.power_room
        assert self.model is not None
        held = [cap for begin, cap in self._caps() if begin <= time]
        if not held or math.isnan(held[-1]):
            return math.inf
        return 1000 * held[-1] - idle_power(sim.cluster, self.model)

    def _caps(self) -> list[tuple[int, float]]:
        """When the cap changes, and to how many kW; it ends three spans of the log and a year on."""
        if self.sim.policy.power_cap != "series" or self.model is None or self.model.cap is None:
            return []
        rows = list(zip(self.model.cap.time.tolist(), self.model.cap.value.tolist(), strict=True))
        first, last = int(self.sim.trace.submit[0]), int(self.sim.trace.submit[-1])
        return [*rows, (max(rows[-1][0], last + 2 * (last - first) + YEAR), math.nan)]

    def cap_changes(self, after: int) -> list[int]:
        """When, after a time, the cap is another than before."""
        times = [time for time, _ in self._caps() if time > after]
        return [time for time in times if self.room_at(time) != self.room_at(time - 1)]

    def ever_admit(self, job: Job) -> bool:
        """Whether the cap lets the job run alone at some time before the end of its series."""
        sim = self.sim
        if sim.policy.power_cap != "series":
            return job.power <= self.room_at(0)
        takes = job.walltime if sim.predictor is not None else job.estimate
        if sim.policy.on_failure == "continue" and len(sim.cluster.outages(sim.trace.submit)):
            takes = max(takes, job.walltime)
        end = self._caps()[-1][0]
        for begin in [job.submit, *self.cap_changes(job.submit)]:
            times = [begin, *(time for time in self.cap_changes(begin) if time < begin + takes)]
            if begin + takes <= end and all(job.power <= self.room_at(time) for time in times):
                return True
        return False

    def is_dear(self, time: int) -> bool:
        """Whether energy costs more than jobs wait for; a price that is not known is not dear."""
        assert self.model is not None
        assert self.model.price is not None
        assert self.sim.policy.price_below is not None
        return self.model.price.at(time) > self.sim.policy.price_below

    def holds(self, job: Job, now: int) -> bool:
        """Whether the job waits at a time because energy is dear."""
        return (
            self.sim.policy.price_below is not None and now < self._stops_waiting(job) and self.is_dear(now)
        )

    def _stops_waiting(self, job: Job) -> int:
        """Until when the job waits for cheap energy at most; here formulas compare processors alone."""
        formula = self.sim.policy.price_jobs
        if formula is not None:
            name, operator, number = formula.text.split()
            assert (name, operator) == ("procs", "<=")
            if self.sim.trace.procs[job.number] > int(number):
                return job.submit
        return job.submit + self.sim.policy.price_wait

    def ahead(self) -> list[int]:
        """The seconds from now on in which the clock alone may let a waiting job start."""
        sim, now = self.sim, self.sim.now
        if sim.keeps or not sim.queue:
            return []
        times = [time for time in self.cap_changes(now) if self.room_at(time) > self.room_at(time - 1)]
        if sim.policy.price_below is not None:
            assert self.model is not None
            assert self.model.price is not None
            changes = [time for time in self.model.price.time.tolist() if time > now]
            times += [time for time in changes if self.is_dear(time) != self.is_dear(time - 1)]
            times += [until for until in map(self._stops_waiting, sim.queue) if until > now]
        return times
