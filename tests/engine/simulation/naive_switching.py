"""Nodes that are switched off when idle, worked out anew at each question from the jobs that had them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.machine.power import power_of
from tests.engine.simulation.naive_machine import Job, Piece

if TYPE_CHECKING:
    from tests.engine.simulation.naive import NaiveSimulation


class NaiveSwitching:
    """Which nodes are off or boot, by the jobs that run or have ended."""

    def __init__(self, sim: NaiveSimulation) -> None:
        self.sim = sim
        self.boots: list[tuple[int, int]] = []  # node, and when its boot ends
        self.took: dict[int, int] = {}  # when each job took its nodes

    @property
    def on(self) -> bool:
        """Whether nodes are switched off at all."""
        return self.sim.policy.power_off is not None

    def delay(self, node: int, now: int) -> int:
        """How long a job that takes the node now would wait for it."""
        sim = self.sim
        assert sim.policy.power_off is not None
        if not any(node in dict(job.pieces) for job in sim.running):
            left = [job.end for job in sim.ended if node in dict(job.pieces)]
            if now - max(left, default=sim.first) >= sim.policy.power_off:
                return self._boot(node)
        return max([0, *(end - now for booted, end in self.boots if booted == node)])

    def _boot(self, node: int) -> int:
        """The boot of a node of a machine whose groups take each its own time."""
        model = power_of(self.sim.trace.cluster)
        assert model is not None
        groups = [number for number, group in enumerate(self.sim.cluster.groups) for _ in range(group.count)]
        return model.groups[groups[node] if len(model.groups) > 1 else 0].boot_s

    def order(self) -> list[int]:
        """The nodes in the order in which jobs take them."""
        return sorted(range(len(self.sim.machine)), key=lambda node: (self.delay(node, self.sim.now), node))

    def waits(self, pieces: list[Piece], now: int) -> int:
        """How long a job on these nodes waits until all are on."""
        return max(self.delay(node, now) for node, _ in pieces) if self.on else 0

    def take(self, job: Job, pieces: list[Piece], now: int) -> int:
        """When a job starts that takes these nodes now."""
        self.took[job.number] = now
        if not self.on:
            return now
        start = now + self.waits(pieces, now)
        booting = [(node, now + self.delay(node, now)) for node, _ in pieces]
        self.boots += booting
        return start
