"""Reasons of waits on a real log, where hundreds of jobs wait at once: each interval by starts and ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from engine.answer.answer import Answer
from engine.answer.brief import MOST_WORDS, brief_answer
from engine.answer.logged_job import LoggedJob
from engine.api import read
from engine.arrays import Ints
from engine.claims.advice import is_worth
from engine.claims.claim import Claim
from engine.claims.starts import StartRelation
from engine.claims.waits import WaitRelation
from engine.policy.policy import parse_policy
from engine.schedule.explain import explain
from engine.schedule.schedule import Schedule
from engine.simulation.run import simulate
from tests.paths import SHARED, needs

KTH = SHARED / "traces/KTH-SP2-1996-2.1-cln.swf.gz"


@dataclass(frozen=True, eq=False)
class Steps:
    """A schedule on a pool: the processors in use from each moment on at which a job starts or ends."""

    schedule: Schedule
    time: Ints
    used: Ints

    @classmethod
    def of(cls, schedule: Schedule) -> Steps:
        """The steps of a schedule."""
        moments = np.concatenate((schedule.start, schedule.end))
        time, which = np.unique(moments, return_inverse=True)
        change = np.zeros(len(time), np.int64)
        np.add.at(change, which, np.concatenate((schedule.procs, -schedule.procs)))
        return cls(schedule, time, np.cumsum(change))

    def missing(self, job: int, begin: int, end: int) -> tuple[int, int]:
        """The fewest and the most processors that a job lacks in a span of time."""
        first, last = np.searchsorted(self.time, begin, "right") - 1, np.searchsorted(self.time, end)
        free = self.schedule.cluster.cpus - self.used[first:last]
        lacks = np.maximum(self.schedule.procs[job] - free, 0)
        return int(lacks.min()), int(lacks.max())

    def ahead(self, job: int, time: int) -> int:
        """The jobs that were submitted before a job, by their place in the log, and wait."""
        return int((self.schedule.start[:job] > time).sum())

    def holds(self, claim: Claim, begin: int, end: int) -> bool:
        """Whether a claim on a span of a wait is so."""
        said = {quantity.name: quantity.value for quantity in claim.quantities}
        job, schedule = claim.subject.place.row, self.schedule
        match claim.relation:
            case WaitRelation.PROCESSORS_MISSING | WaitRelation.PROCESSORS_MISSING_RANGE:
                least, most = self.missing(job, begin, end)
                known = (said.get("least", said["most"]), said["most"], said["asked"])
                return known == (least, most, schedule.procs[job]) and least > 0
            case WaitRelation.KEPT_FREE:
                other = claim.about[0].place.row
                # It waits all the time; EASY keeps processors for the first job of the queue alone.
                first = schedule.policy.preset != "easy" or not self.ahead(other, begin)
                return (
                    other != job
                    and schedule.submit[other] <= begin
                    and schedule.start[other] >= end
                    and first
                )
            case WaitRelation.BEHIND | WaitRelation.BEHIND_RANGE:
                most, least = self.ahead(job, begin), self.ahead(job, end - 1)
                return (said.get("least", said["most"]), said["most"]) == (least, most) and least > 0
        # That a reservation of no known job is in the way tells no more than that enough was free.
        return claim.relation is WaitRelation.KEPT_FREE_UNNAMED and not self.missing(job, begin, begin + 1)[0]


@needs(KTH)
@pytest.mark.parametrize("policy", ["easy", "conservative", "fcfs"])
def test_intervals_and_answers_of_jobs_of_a_log_hold(policy: str) -> None:
    log = read(KTH)
    schedule = simulate(log.trace, log.cluster, parse_policy(policy), log=True)
    steps = Steps.of(schedule)
    waited = np.flatnonzero(schedule.start > schedule.submit)
    jobs = np.random.default_rng(52).choice(waited, 80, replace=False).tolist()
    for job in jobs:
        at = int(schedule.submit[job])
        for interval in explain(schedule, job).intervals:
            assert interval.begin == at
            at = interval.end
            assert interval.claims
            for claim in interval.claims:
                assert steps.holds(claim, interval.begin, interval.end), (job, interval.text)
        assert at == schedule.start[job]
    for job in jobs[:2]:
        own = LoggedJob.of(schedule, job)
        outcomes = own.tried()
        text = brief_answer(Answer(own, outcomes))
        assert text.startswith(f"Under {policy}, job {log.trace.job_id[job]} waited ")
        assert len(text.split()) <= MOST_WORDS
        helped = own.teller.help(outcomes)
        if helped is not None:
            best = max(outcome.gain or 0 for outcome in outcomes)
            wait = int(schedule.start[job] - schedule.submit[job])
            assert is_worth(best, wait) == (helped.relation is not StartRelation.NO_HELP)
