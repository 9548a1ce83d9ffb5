"""One scheduling pass, job by job: it starts, is reserved for, or is told why it waits."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.schedule.schedule import COLUMNS, Decision, LimitKind, Untried
from tests.engine.simulation.naive_machine import Hold, Job, Piece, free_at, place
from tests.engine.simulation.naive_order import in_backfill_order, in_order

if TYPE_CHECKING:
    from tests.engine.simulation.naive import NaiveSimulation


class Pass:
    """The state of one pass: the reservations made in it, the first blocked job, the jobs looked at."""

    def __init__(self, sim: NaiveSimulation, now: int) -> None:
        self.sim, self.now = sim, now
        self.order = in_order(sim, now)
        self.reserved: list[Hold] = []
        self.head: Job | None = None
        self.looked_at: list[Job] = []
        self.gone_past: list[Job] = []  # since their users had enough tried
        self.placing = True  # while blocked jobs get reservations
        self.over = False
        self.cut_short = False  # by the number of jobs that it may look at

    def sweep(self) -> None:
        if self.sim.policy.preempt_value is not None:
            while self.starts_by_value():
                self.order = [job for job in self.order if job in self.sim.queue]
        size = self.sim.tuner.window
        # First the queue, in windows, until enough jobs are blocked with reservations; then backfilling.
        for first in range(0, len(self.order), size):
            if self.over or self.enough_reserved():
                break
            for job in self.best_of(self.order[first : first + size]):
                self.turn(job)
        self.placing = False
        # Jobs whose turn came in the first part have none in the second.
        met = self.looked_at + self.gone_past
        for job in in_backfill_order(self.sim, [job for job in self.order if job not in met]):
            if not self.over:
                self.turn(job)
        self.say_who_had_no_turn()

    def starts_by_value(self) -> bool:
        """Start the first of the queue that may start, and stop others for it; whether it could."""
        sim = self.sim
        for job in self.order:
            if sim.hours.holds(job, self.now) or exceeded(sim, job) is not None:
                continue
            others = [] if self.placed(job, self.now) is not None else self.worth_less(job)
            for other in others:
                sim.stop(other, self.now, by=job.number)
            pieces = self.placed(job, self.now)
            if pieces is None:
                return False
            sim.begin(job, self.now, pieces)
            # Where jobs came back to the queue, estimates and bids are made anew; else they stay as before.
            if others:
                sim.estimate_anew()
                self.order = in_order(sim, self.now)
            return True
        return False

    def worth_less(self, job: Job) -> list[Job]:
        """The running jobs that are stopped for a job, none where that would not help."""
        sim, chosen = self.sim, list[Job]()
        factor = sim.policy.preempt_value
        assert factor is not None

        def fits_without(others: list[Job]) -> bool:
            taken = [hold for hold in self.holds() if hold.job not in others]
            return sim.placed(job, taken, self.now, self.now + job.estimate) is not None

        for other in reversed(sim.running):
            total = 0.0
            for each in [*chosen, other]:
                total += each.held
            if other.start < self.now and total * factor < sim.credits.present(job):
                chosen.append(other)
                if fits_without(chosen):
                    break
        if not fits_without(chosen):
            return []
        for other in list(chosen):
            without = [each for each in chosen if each is not other]
            if fits_without(without):
                chosen = without
        return chosen

    def best_of(self, window: list[Job]) -> list[Job]:
        """The first of the permutations whose last job would end first."""
        if len(window) == 1:
            return window
        return list(min(itertools.permutations(window), key=self.makespan))

    def makespan(self, jobs: Sequence[Job]) -> int:
        """When the last job would end if each in turn began at its earliest time."""
        before = list(self.reserved)
        # Each job is placed beside those before it in this permutation, now or at its earliest time.
        for job in jobs:
            pieces = self.placed(job, self.now)
            self.reserved.append(
                self.earliest(job)
                if pieces is None
                else Hold(self.now, self.now + job.estimate, tuple(pieces), job)
            )
        last = max(hold.end for hold in self.reserved[len(before) :])
        # The trial leaves no reservation behind.
        self.reserved = before
        return last

    def say_who_had_no_turn(self) -> None:
        # `front` counts all waiting jobs in the queue's order, those with a turn too.
        waiting = [job for job in self.order if job in self.sim.queue]
        for front, job in enumerate(waiting):
            if job not in self.looked_at + self.gone_past:
                limit = exceeded(self.sim, job)
                if self.sim.hours.holds(job, self.now):
                    self.say(job, Decision.PRICE, 0)
                elif limit is not None:
                    self.say(job, Decision.LIMIT, limit)
                elif self.cut_short:
                    self.say(job, Decision.UNTRIED, Untried.OF_PASS)
                else:
                    self.say(job, Decision.BEHIND, front)

    def enough_reserved(self) -> bool:
        """Whether from here on jobs are only backfilled."""
        depth = self.sim.policy.depth
        if depth in ("stop", "all"):
            return False
        # Without a blocked job there is nothing to backfill around, whatever the depth.
        return self.head is not None and len(self.reserved) >= int(depth)

    def turn(self, job: Job) -> None:
        sim, policy, now = self.sim, self.sim.policy, self.now
        # The limit of a user counts jobs that were looked at; one over it has no turn but ends no pass.
        of_user = sum(other.user == job.user for other in self.looked_at)
        if policy.user_test_limit is not None and of_user >= policy.user_test_limit:
            self.gone_past.append(job)
            self.say(job, Decision.UNTRIED, Untried.OF_USER)
            return
        # The limit of the pass ends it for all.
        if policy.test_limit is not None and len(self.looked_at) >= policy.test_limit:
            self.over = self.cut_short = True
            return
        # In the first part of the pass each blocked job reserves; behind it none does.
        reserves = self.placing and policy.depth not in ("stop", 0)
        self.looked_at.append(job)
        if sim.hours.holds(job, now):
            self.say(job, Decision.PRICE, 0)
            return
        limit = exceeded(sim, job)
        if limit is not None:
            self.say(job, Decision.LIMIT, limit)
            return
        pieces = self.placed(job, now)
        if pieces is not None and sim.switching.waits(pieces, now):
            # Its nodes have to boot, so that it ends later.
            until = now + sim.switching.waits(pieces, now) + job.estimate
            pieces = sim.placed(job, self.holds() + self.reserved, now, until)
        if pieces is not None:
            sim.begin(job, now, pieces)
            # A start after the first blocked job went past it.
            if self.head is not None:
                sim.passed.append((now, job.number, self.head.number))
            return
        self.say(job, *why_not_now(sim, job, now))
        self.head = self.head or job
        # Without backfilling the first blocked job ends the pass.
        if policy.depth == "stop":
            self.over = True
        elif reserves:
            self.reserve(job)

    def placed(self, job: Job, time: int) -> list[Piece] | None:
        """Where the job can be for its whole estimate from `time` on, beside all that is promised."""
        return self.sim.placed(job, self.holds() + self.reserved, time, time + job.estimate)

    def planned_end(self, time: int) -> int:
        """The next multiple of the resolution."""
        resolution = self.sim.policy.resolution or 1
        return math.ceil(time / resolution) * resolution

    def holds(self) -> list[Hold]:
        """What is taken from now on, as far as it is planned with."""
        taken = self.sim.holds(self.now)
        return [Hold(hold.begin, self.planned_end(hold.end), hold.pieces, hold.job) for hold in taken]

    def reserve(self, job: Job) -> None:
        hold = self.earliest(job)
        horizon = self.sim.policy.horizon
        # A plan beyond the horizon is none: the job does not count as one with a reservation.
        if horizon is not None and hold.begin > self.now + horizon:
            return
        if self.sim.policy.relaxed is not None:
            hold = self.put_off(job, hold)
        self.reserved.append(hold)
        self.sim.reserved.append((self.now, job.number, hold.begin))

    def earliest(self, job: Job) -> Hold:
        # A job can only begin now or when something is released, so no other times need be tried.
        releases = {hold.end for hold in self.holds() + self.reserved} | set(
            self.sim.hours.cap_changes(self.now)
        )
        for time in sorted(time for time in releases if time > self.now):
            pieces = self.placed(job, time)
            if pieces is not None:
                return Hold(time, self.planned_end(time + job.estimate), tuple(pieces), job)
        raise AssertionError("every job fits on the empty machine")

    def put_off(self, job: Job, earliest: Hold) -> Hold:
        """The reservation at the latest time that the job may be made to wait."""
        if job.bound is None:
            relaxed = self.sim.policy.relaxed
            assert relaxed is not None
            # The bound is set once, at the first reservation: later delays may not put the job off further.
            job.bound = self.planned_end(earliest.begin + int(relaxed * (earliest.begin - job.submit)))
        if job.bound <= earliest.begin:
            return earliest
        pieces = self.placed(job, job.bound)
        end = self.planned_end(job.bound + job.estimate)
        return earliest if pieces is None else Hold(job.bound, end, tuple(pieces), job)

    def say(self, job: Job, kind: Decision, value: int) -> None:
        self.sim.reasons.append((self.now, job.number, kind, value))


def limit_of_queue(sim: NaiveSimulation, job: Job) -> int | None:
    """What `queue_limits` says of the job's queue."""
    found = str(sim.policy.queue_limits)
    limits = {} if found == "none" else dict(part.split("@") for part in found.split(";"))
    most = limits.get(sim.trace.queue.names[job.queue])
    return None if most is None else int(most)


def exceeded(sim: NaiveSimulation, job: Job) -> LimitKind | None:
    """The limit that the job's start would exceed, given what runs."""
    policy = sim.policy
    # Only jobs that run count: limits are on what is in use.
    of_user = [other for other in sim.running if other.user == job.user]
    user_cpus = sum(other.procs for other in of_user)
    queue_cpus = sum(other.procs for other in sim.running if other.queue == job.queue)
    if policy.max_user_jobs is not None and len(of_user) + 1 > policy.max_user_jobs:
        return LimitKind.USER_JOBS
    if policy.max_user_cpus is not None and user_cpus + job.procs > policy.max_user_cpus:
        return LimitKind.USER_CPUS
    if policy.max_queue_cpus is not None and queue_cpus + job.procs > policy.max_queue_cpus:
        return LimitKind.QUEUE_CPUS
    most = limit_of_queue(sim, job)
    return LimitKind.QUEUE_CPUS if most is not None and queue_cpus + job.procs > most else None


def why_not_now(sim: NaiveSimulation, job: Job, now: int) -> tuple[Decision, int]:
    """Why a job that no limit holds cannot start at this moment."""
    holds = sim.holds(now)
    free = free_at(sim.machine, holds, now)
    needed = [sum(hold.job.total(k) for hold in holds) for k in range(len(sim.machine[0]))]
    if any(other.whole is not None for other in sim.jobs):
        # Who takes whole nodes takes at least the smallest ones, and those that run leave nothing of theirs.
        short = [job.least(k) - sum(node[k] for node in free) for k in range(len(needed))]
    else:
        machine = [sum(node[k] for node in sim.machine) for k in range(len(needed))]
        short = [job.total(k) + used - machine[k] for k, used in enumerate(needed)]
    # The reasons in their order: too little free in all, of processors first; the cap on power; room that is
    # scattered. Otherwise only reservations hold the job.
    if short[0] > 0:
        return Decision.CPUS, short[0]
    if len(short) > 1 and short[1] > 0:
        return Decision.RAM, short[1]
    for k in range(2, len(short)):
        if short[k] > 0:
            return Decision.RESOURCE, short[k] * COLUMNS + k
    if sim.power_room is not None:
        over = max(
            job.power + sum(hold.job.power for hold in holds if hold.end > time) - sim.hours.room_at(time)
            for time in [now, *(time for time in sim.hours.cap_changes(now) if time < now + job.estimate)]
        )
        if over > 0:
            return Decision.POWER, round(1000 * over)
    if place(job, free, sim.placement) is None:
        return Decision.FRAGMENTED, 0
    return Decision.RESERVATION, -1
