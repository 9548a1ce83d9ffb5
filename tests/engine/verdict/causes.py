"""What a job can have waited for at each moment, as far as starts, ends, places and rules tell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from engine.claims.claim import Relation
from engine.schedule.schedule import Schedule
from tests.engine.schedule.wait_judges import Watched

Causes = Counter[frozenset[Relation]]


def causes(schedule: Schedule, jobs: Sequence[int]) -> Causes:
    """Seconds of waiting of some jobs by what each second can be for: one kind where it is certain.

    A pass looks at limits first, then at who is ahead where it ends at the first job that cannot start, then
    at processors, RAM and places. What is in use at a moment includes starts of that very second, of which
    some come before the job in the pass and some after it.
    """
    watched, found = Watched(schedule), Causes()
    moments = {moment for _, start, end, _, _ in watched.runs for moment in (start, end)}
    outages = schedule.outages
    moments |= {*schedule.submit.tolist(), *outages.start.tolist(), *outages.end.tolist()}
    for now, until in pairwise(sorted(moments)):
        moment = _Moment(watched, now)
        for job in jobs:
            if int(schedule.submit[job]) <= now < int(schedule.start[job]):
                found[frozenset(moment.kinds(job))] += until - now
    return found


class _Moment:
    """What waits, runs and is free from one second on, until something changes."""

    def __init__(self, watched: Watched, now: int) -> None:
        self.schedule, self.now = watched.schedule, now
        self.watched = watched
        every = range(len(self.schedule.start))
        self.waiting = [job for job in every if watched.waits(job, now)]
        self.free = [watched.free(now, before_starts=before) for before in (True, False)]
        # Those that run before the starts of this second, and with these.
        self.running: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
        for who, start, end, cpus, _ in watched.runs:
            for after in (0, 1):
                if start < now + after and end > now:
                    self.running[after].append((who, cpus))

    def kinds(self, job: int) -> Iterator[Relation]:
        if job not in self.waiting:
            yield Relation.WAITS_RUN_AGAIN  # it runs, and will be cut short
            return
        policy, over = self.schedule.policy, [self.over(job, after) for after in (0, 1)]
        if policy.test_limit is not None or policy.user_test_limit is not None:
            yield Relation.WAITS_UNTRIED
        if len(self.schedule.stopped):  # no pass has looked at it since its run was cut short
            yield Relation.WAITS_FOR_PASS
        if over[1]:
            yield Relation.WAITS_FOR_LIMITS
        if over[0]:
            return
        if policy.depth == "stop":
            ahead = [other for other in self.waiting if other < job or policy.order != "fcfs"]
            ahead = [other for other in ahead if other != job]
            # Who is held by a limit lets others pass.
            if any(not self.over(other, 0) for other in ahead):
                yield Relation.WAITS_PASSED_BY_NOBODY
            if any(not self.over(other, 1) for other in ahead):
                return
        yield from self.room(job)

    def room(self, job: int) -> Iterator[Relation]:
        trace, limits_ram = self.schedule.trace, self.schedule.cluster.limits_ram
        asked = int(trace.procs[job]), int(trace.ram[job]) if limits_ram else 0
        before, after = self.free
        if asked[0] > after[0]:
            yield Relation.WAITS_FOR_PROCESSORS
        if asked[0] > before[0]:
            return
        if asked[1] > after[1]:
            yield Relation.WAITS_FOR_RAM
        if asked[1] > before[1]:
            return
        for name in self.schedule.cluster.further_resources:
            own = int(trace.asked(name)[job])
            if own > self.watched.free_of(self.now, name):
                yield Relation.WAITS_FOR_RESOURCES
            if own > self.watched.free_of(self.now, name, before_starts=True):
                return
        if not self.schedule.cluster.pooled:
            yield Relation.WAITS_FOR_PLACE
        if len(self.waiting) > 1 or len(self.running[0]) < len(self.running[1]):
            yield Relation.WAITS_FOR_RESERVATIONS

    def over(self, job: int, after: int) -> bool:
        """Whether the job's start would exceed a limit of the policy."""
        policy, trace = self.schedule.policy, self.schedule.trace
        procs = int(trace.procs[job])
        users, queues = trace.user.codes, trace.queue.codes
        of_user = [cpus for who, cpus in self.running[after] if users[who] == users[job]]
        of_queue = [cpus for who, cpus in self.running[after] if queues[who] == queues[job]]
        limits = (
            (policy.max_user_jobs, len(of_user) + 1),
            (policy.max_user_cpus, sum(of_user) + procs),
            (policy.max_queue_cpus, sum(of_queue) + procs),
        )
        return any(most is not None and value > most for most, value in limits)
