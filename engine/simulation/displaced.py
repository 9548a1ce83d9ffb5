"""Prices by what starts displace: each job pays the highest bid that its place in the pass kept out.

A second-price rule for a machine that is sold job by job (our definition; Van den Bossche, Vanmechelen &
Broeckhove 2011 leave richer auctions to future work).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.policy.offers import values_of
from engine.policy.policy import Policy
from engine.simulation.machine_state import NEVER
from engine.simulation.workload import Workload
from engine.trace import Trace

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def refuse_displaced_prices(policy: Policy, cluster: Cluster) -> None:
    """Raise InputError where the policy's prices need a pool: on nodes, places decide who was displaced."""
    if policy.pay == "displaced" and (not cluster.pooled or cluster.failures is not None):
        raise InputError(f"pay=displaced needs a pool of processors that does not fail, not {cluster}")


def displaced_prices(
    trace: Trace, policy: Policy, work: Workload, submit: Ints, start: Ints, estimate: Ints
) -> Floats:
    """What each job pays, shape (n,), NaN for those with a negative `start`.

    It is r E times the highest bid for a processor-second of the jobs that wait after the pass of its start,
    and would have fitted in its place beside the other starts and the reservation of that pass; at most its
    bid, and 0 where nobody would have fitted. `submit`, `start` and `estimate` are s, shape (n,).
    """
    prices = np.full(len(start), np.nan)
    # The schedule is gone through once in order of time, with starts of one second together, as a pass
    # starts them.
    started = np.flatnonzero(start >= 0)
    started = started[np.argsort(start[started], kind="stable")]
    coming = np.flatnonzero(start >= 0)
    coming = coming[np.argsort(submit[coming], kind="stable")]
    market = _Market(trace, policy, work, submit, start, estimate)
    arrived = 0
    for these in np.split(started, np.flatnonzero(np.diff(start[started])) + 1) if len(started) else []:
        now = int(start[these[0]])
        # All that was submitted by then may have been displaced.
        new = arrived + int(np.searchsorted(submit[coming[arrived:]], now, side="right"))
        market.pass_on(now, coming[arrived:new])
        arrived = new
        for job in these.tolist():
            prices[job] = market.price(job)
    return prices


class _Market:
    """Who runs and who waits after the pass of a second, and what the latter bid."""

    def __init__(
        self, trace: Trace, policy: Policy, work: Workload, submit: Ints, start: Ints, estimate: Ints
    ) -> None:
        self._policy, self._need, self._capacity = policy, work.need, work.capacity[0]
        self._submit, self._start, self._estimate = submit, start, estimate
        self._end, self._walltime = start + work.runtime, work.walltime
        self._value, self._area = values_of(policy, trace), work.need[:, 0] * estimate
        self._here = np.zeros(0, np.int64)  # jobs that were submitted and have not ended
        self._now = 0
        self._waiting = self._here
        self._rates = self._bids(self._here)
        self._head = self._reserved = NEVER  # the first job that waits, and when it can start
        self._free = self._ahead = self._capacity  # now, and then without what the head takes
        self._expected = self._end

    def pass_on(self, now: int, new: Ints) -> None:
        """Go on to the end of the pass at `now`, s, up to which the `new` jobs were submitted."""
        self._now = now
        here = np.concatenate((self._here, new))
        self._here = here = here[(self._end[here] > now) | (self._start[here] > now)]
        waits = self._start[here] > now
        self._waiting, running = here[waits], here[~waits]
        self._rates = self._bids(self._waiting) / self._area[self._waiting]
        self._free = self._capacity - self._need[running].sum(axis=0)
        # An estimate that is used up becomes the walltime, and then a second more, again and again.
        expected, limit = (self._start[running] + time[running] for time in (self._estimate, self._walltime))
        self._expected = np.where(expected > now, expected, np.where(limit > now, limit, now + 1))
        self._reserve(running)

    def _reserve(self, running: Ints) -> None:
        """Find the first that waits and, where the policy reserves for it, when it fits at the earliest."""
        self._head, self._reserved = NEVER, NEVER
        if not len(self._waiting):
            return
        bids, waiting = (
            self._rates if self._policy.bids == "density" else self._bids(self._waiting),
            self._waiting,
        )
        if self._policy.threshold is not None:
            # Jobs that starve come before all bids, by their turn among themselves.
            starved = self._now - self._submit[waiting] > self._policy.threshold
            bids = np.where(starved, np.inf, bids)
        self._head = int(waiting[np.lexsort((waiting, -bids))[0]])
        if self._policy.depth != 1:
            return
        # Running jobs give back what they hold by their expected ends: the head starts at the first at which
        # it fits.
        order = np.argsort(self._expected, kind="stable")
        ends = self._expected[order]
        freed = self._free + np.cumsum(self._need[running[order]], axis=0)
        last = np.append(ends[1:] != ends[:-1], True)  # all that end in one second are gone then
        at = int(np.flatnonzero(last & (freed >= self._need[self._head]).all(axis=1))[0])
        self._reserved, self._ahead = int(ends[at]), freed[at] - self._need[self._head]

    def price(self, job: int) -> float:
        """What a job pays that started in this pass."""
        need, place = self._need[self._waiting], self._need[job]
        fits = (need <= self._free + place).all(axis=1)
        # Beside the reservation fits who ends before it, who leaves room for the head, and the head itself.
        outlasts = self._now + self._estimate[self._waiting] > self._reserved
        stays = self._now + self._estimate[job] > self._reserved  # so that its place is free then as well
        beside = (need <= self._ahead + (place if stays else 0)).all(axis=1)
        fits &= ~outlasts | beside | (self._waiting == self._head)
        highest = float(self._rates[fits].max(initial=0.0))
        return min(float(self._bids(np.array([job]))[0]), highest * float(self._area[job]))

    def _bids(self, jobs: Ints) -> Floats:
        """What the jobs bid now: what they are worth if they start now, at least 0."""
        waited = (self._now - self._submit[jobs]).astype(np.float64)
        return np.maximum(self._value[jobs] * self._policy.fade.share(waited), 0.0)
