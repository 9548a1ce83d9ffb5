"""Conservative backfilling: every job has a slot from its submission on, and slots only move forward."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tests.engine.simulation.naive_machine import Hold, Job
from tests.engine.simulation.naive_pass import why_not_now

if TYPE_CHECKING:
    from tests.engine.simulation.naive import NaiveSimulation


def plan(sim: NaiveSimulation, job: Job, now: int) -> None:
    """Give the job the earliest slot beside the running jobs and the slots of others."""
    sim.unsearched = True
    replan(sim, job, now)
    # From then on the job is overdue, and goes first in a greedy plan.
    assert job.slot is not None
    periods = 720 if sim.policy.search == "greedy" else 72
    job.latest = job.submit + 2 * (job.slot.begin - job.submit) + periods * sim.policy.search_every


def replan(sim: NaiveSimulation, job: Job, now: int) -> None:
    job.slot = earliest(sim, job, now) if sim.policy.gap == "earliest" else best(sim, job, now)
    sim.reserved.append((now, job.number, job.slot.begin))


def in_turn(sim: NaiveSimulation) -> list[Job]:
    """The waiting jobs in the order in which they are planned."""
    if sim.policy.replan == "submission":
        return list(sim.queue)
    return sorted(sim.queue, key=lambda job: (math.inf if job.slot is None else job.slot.begin, job.number))


def plan_all_anew(sim: NaiveSimulation, now: int) -> None:
    """After estimates proved too short."""
    sim.unsearched = True
    waiting = in_turn(sim)
    # All slots are dropped first: a job may move to where another was planned.
    for job in waiting:
        job.slot = None
    for job in waiting:
        replan(sim, job, now)


def move_forward(sim: NaiveSimulation, now: int) -> None:
    """After an end: each job in turn moves to the earliest slot there is before its own, or stays."""
    sim.unsearched = True
    for job in in_turn(sim):
        # The own slot is no obstacle to the job's own move.
        old, job.slot = job.slot, None
        assert old is not None
        new = earliest(sim, job, now)
        job.slot = new if new.begin < old.begin else old
        sim.reserved.append((now, job.number, job.slot.begin))


def pull_forward(sim: NaiveSimulation, now: int) -> None:
    """Whatever could start now does so: in turn, and again as long as any job moves."""
    # One that moves may free the place of another before it in turn, so all are tried again.
    moved = True
    while moved:
        moved = False
        for job in in_turn(sim):
            assert job.slot is not None
            if job.slot.begin == now:
                continue
            old, job.slot = job.slot, None
            taken = sim.holds(now) + [other.slot for other in sim.queue if other.slot is not None]
            pieces = sim.placed(job, taken, now, now + job.estimate)
            if pieces is None:
                job.slot = old
                continue
            job.slot = Hold(now, now + job.estimate, tuple(pieces), job)
            sim.reserved.append((now, job.number, now))
            sim.unsearched = moved = True


def start_planned(sim: NaiveSimulation, now: int) -> None:
    """Start the jobs whose slot begins now; then the others are told why not."""
    head: Job | None = None
    for job in list(sim.queue):
        assert job.slot is not None
        if job.slot.begin != now:
            head = head or job
            continue
        sim.begin(job, now, list(job.slot.pieces))
        if head is not None:
            sim.passed.append((now, job.number, head.number))
    for job in sim.queue:
        sim.reasons.append((now, job.number, *why_not_now(sim, job, now)))


def earliest(sim: NaiveSimulation, job: Job, now: int) -> Hold:
    taken = sim.holds(now) + [other.slot for other in sim.queue if other.slot is not None]
    for time in sorted({now, *(hold.end for hold in taken if hold.end > now), *sim.hours.cap_changes(now)}):
        pieces = sim.placed(job, taken, time, time + job.estimate)
        if pieces is not None:
            return Hold(time, time + job.estimate, tuple(pieces), job)
    raise AssertionError("every job fits on the empty machine")


def best(sim: NaiveSimulation, job: Job, now: int) -> Hold:
    """The slot beside which the fewest processors stay idle; the first of several."""
    taken = sim.holds(now) + [other.slot for other in sim.queue if other.slot is not None]
    changes = {time for hold in taken for time in (hold.begin, hold.end) if time > now}
    found = []
    for time in sorted({now, *changes, *sim.hours.cap_changes(now)}):
        pieces = sim.placed(job, taken, time, time + job.estimate)
        if pieces is not None:
            found.append((idle(sim, taken, time, time + job.estimate), time, pieces))
    _, time, pieces = min(found, key=lambda gap: gap[:2])
    return Hold(time, time + job.estimate, tuple(pieces), job)


def idle(sim: NaiveSimulation, taken: list[Hold], begin: int, end: int) -> int:
    """Processor-seconds that nobody holds from `begin` to `end`."""
    held = 0
    for hold in taken:
        cpus = sum(amount[0] for _, amount in hold.pieces)
        held += cpus * max(0, min(hold.end, end) - max(hold.begin, begin))
    return sum(node[0] for node in sim.machine) * (end - begin) - held
