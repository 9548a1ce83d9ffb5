"""Budgets, second by second: what each user has left, what waiting jobs bid, and what starts paid."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.engine.simulation.naive_machine import Job

if TYPE_CHECKING:
    from tests.engine.simulation.naive import NaiveSimulation


class NaiveCredits:
    """The budgets of a policy as it is spelled; without one everybody can pay everything."""

    def __init__(self, sim: NaiveSimulation) -> None:
        words = str(sim.policy.budget).split(";")
        self.limited = words[0] != "none"
        self.bids: dict[int, float] = {}  # of waiting jobs, as the last pass began
        self.paid: dict[int, float] = {}
        if not self.limited:
            return
        begin = float(words[0])
        self.cap = float(words[2]) if len(words) > 2 else begin
        self.refill, self.every = 0.0, 0
        if len(words) > 1:
            refill, every = words[1].split("/")
            unit = {"s": 1, "m": 60, "h": 3600, "d": 86400}.get(every[-1])
            self.refill = float(refill)
            self.every = int(every[:-1]) * unit if unit else int(every)
        self.left = dict.fromkeys((job.user for job in sim.jobs), begin)
        self.next = sim.first + self.every

    def set_bids(self, jobs: list[Job], bids: list[float], now: int) -> None:
        """Take the bids at the begin of a pass, none above what its user has left."""
        self.bids = dict(zip((job.number for job in jobs), bids, strict=True))
        if not self.limited:
            return
        while self.every and self.next <= now:
            self.left = {user: min(self.cap, left + self.refill) for user, left in self.left.items()}
            self.next += self.every
        for job in jobs:
            self.bids[job.number] = min(self.bids[job.number], self.left[job.user])

    def present(self, job: Job) -> float:
        """What a waiting job bids now; 0 where there is no auction."""
        bid = self.bids.get(job.number, 0.0)
        return min(bid, self.left[job.user]) if self.limited else bid

    def pay(self, job: Job) -> None:
        """The job starts; one that had started before pays nothing more."""
        if not self.limited or job.number in self.paid:
            return
        self.paid[job.number] = min(self.bids[job.number], self.left[job.user])
        self.left[job.user] -= self.paid[job.number]
        assert self.left[job.user] >= 0
