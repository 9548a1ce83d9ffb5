"""Fair start times: when a job would start if no job came later and all ran as long as estimated."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from tests.engine.simulation.naive_machine import Job

if TYPE_CHECKING:
    from tests.engine.simulation.naive import NaiveSimulation


def fair_start(sim: NaiveSimulation, job: Job, now: int, arrived: list[Job]) -> int:
    """Run a copy of the whole state, as it is right after the job's submission, until the job starts.

    In it nobody is submitted any more, every job runs as long as its estimate says, and
    predictors learn nothing. What should have ended already ends now.
    """
    fork, own = copied(sim)
    fork.todo, fork.fair_starts, fork.believing = [], False, True
    for other in fork.running if sim.fair_by == "estimate" else ():
        other.runtime = max(now, other.expected) - other.start
    fork.end_and_start(now, [own[other.number] for other in arrived])
    while own[job.number].start < 0:
        fork.one_second(fork.next_event())
    return own[job.number].start


def copied(sim: NaiveSimulation) -> tuple[NaiveSimulation, list[Job]]:
    """A deep copy that shares what never changes, and its jobs."""
    same = (sim.trace, sim.cluster, sim.policy)
    fork = copy.deepcopy(sim, {id(value): value for value in same})
    return fork, fork.jobs
