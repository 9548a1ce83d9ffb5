"""What a policy promises on a pool, held against a schedule the slow way."""

from collections import Counter
from typing import NamedTuple

from engine.audit.table import Ints, ScheduleTable
from engine.machine.cluster import Cluster
from engine.policy.policy import Policy
from tests.engine.audit.naive_replay import BEGINNING, MS, Holds, NaiveReplay

Kept = tuple[int, int, int, int, int]
"""Promises: made, kept, broken, excused, lapsed."""


class Broken(NamedTuple):
    """A start that was not as promised: the kind, the job, when (s), and by how much (s)."""

    kind: str
    job: int
    time: float
    late: float | None


class NaivePasses:
    """Sweeps the queue at each moment at which jobs started."""

    def __init__(self, replay: NaiveReplay, tolerance: float) -> None:
        self.replay, self.policy = replay, replay.policy
        depth = self.policy.depth
        self.depth = {"stop": -1, "all": 10**9}[depth] if isinstance(depth, str) else depth
        self.slack = round(tolerance * MS)
        self.plans = replay.pooled and self.depth > 0
        self.need = [tuple(map(min, need, replay.capacity)) for need in replay.need]
        self.latest: dict[int, int] = {}
        self.past = 0
        self.broken: list[Broken] = []

    def look(self) -> None:
        replay, policy = self.replay, self.policy
        head = replay.head()
        # Where a pass is worth a look: only if a job may have started against a promise or a limit.
        bounded = policy.test_limit is not None or policy.user_test_limit is not None
        if policy.relaxed is not None:
            judges = head is not None
        elif bounded:
            judges = bool(replay.started)
        else:
            judges = head is not None and any(replay.key(job) > replay.key(head) for job in replay.started)
        if not judges:
            return
        by_log = policy.relaxed is not None or policy.limited
        # Among equals those that started are taken to have gone first, unless the log's order decides.
        line = sorted(
            [*replay.waiting, *replay.started],
            key=lambda job: (replay.alike(job), not by_log and job not in replay.started, job),
        )
        # Without limits and further reservations only the head and what started can break anything.
        sees_all = policy.limited or bounded or policy.reserves_within_bounds or self.depth > 1
        if not sees_all:
            line = [job for job in line if job in replay.started or job == head]
        self._sweep(line)

    def _sweep(self, line: list[int]) -> None:
        """One pass: the queue until `depth` jobs are blocked, then the others in the order of backfilling."""
        replay, policy, now = self.replay, self.policy, self.replay.now
        most, most_of_user = policy.test_limit or 10**9, policy.user_test_limit or 10**9
        holds = Holds(replay.capacity)
        # What runs since before this moment holds its part until it is believed to end.
        for job in replay.running - set(replay.started):
            holds.hold(BEGINNING, self._rounded(replay.believed_end(job)), self.need[job])
        held = self._held(line)
        looked, reserved, blocked = 0, 0, None
        users: Counter[int] = Counter()
        left, placing = list(line), True
        codes = replay.table.trace.user.codes
        while left:
            ends = self.depth < 0 or reserved >= self.depth
            # The first part of the pass ends with the depth, or with the number of jobs that it may look at.
            if placing and (looked == most or (blocked is not None and ends)):
                placing = False
                if policy.backfill != "queue":
                    left.sort(key=lambda job: (replay.backfill_key(job), job not in replay.started, job))
            job = left.pop(0)
            started = job in replay.started
            # Without backfilling nobody behind a blocked job may start.
            if not placing and blocked is not None and self.depth < 0:
                self._tell("order", job, started)
                continue
            users[codes[job]] += 1
            if users[codes[job]] > most_of_user:
                self._tell("user_test_limit", job, started)
                continue
            looked += 1
            if not placing and looked > most:
                self._tell("test_limit", job, started)
            # A job that starts must not lie in a reservation, up to the tolerance at both ends.
            elif started and self.plans:
                length = replay.estimate[job]
                begin = now + self.slack
                fits = holds.earliest(begin, max(length - 2 * self.slack, 1), self.need[job])
                if reserved > 0 and fits != begin:
                    self.broken.append(Broken("reservation", job, now / MS, round(fits / MS - now / MS, 3)))
                else:
                    holds.hold(now, self._rounded(now + length), self.need[job])
            elif not started and placing and job not in held:
                # A waiting job that no limit holds is blocked, and reserves if the depth allows it.
                blocked = job if blocked is None else blocked
                if self.depth > 0:
                    reserved += not self.plans or self._reserve(holds, job)
        if blocked is not None:
            self.past += sum(job in replay.started for job in line[line.index(blocked) :])

    def _tell(self, kind: str, job: int, started: bool) -> None:
        if started:
            self.broken.append(Broken(kind, job, self.replay.now / MS, None))

    def _reserve(self, holds: Holds, job: int) -> bool:
        replay, now, relaxed = self.replay, self.replay.now, self.policy.relaxed
        need, length = self.need[job], replay.estimate[job]
        start = holds.earliest(now, length, need)
        if self.policy.horizon is not None and start - now > self.policy.horizon * MS:
            return False
        if relaxed is not None:
            put_off = int(relaxed * ((start - replay.submit[job]) / MS)) * MS
            latest = self.latest.setdefault(job, self._rounded(start + put_off))
            if latest > start and holds.earliest(latest, length, need) == latest:
                start = latest
        holds.hold(start, self._rounded(start + length), need)
        return True

    def _rounded(self, time: int) -> int:
        resolution = self.policy.resolution
        return time if resolution is None else -(-time // (resolution * MS)) * resolution * MS

    def _held(self, line: list[int]) -> set[int]:
        """Whom of the line a limit held when its turn came."""
        replay, policy, trace = self.replay, self.policy, self.replay.table.trace
        # Those that started in this very moment count from their own turn on.
        counted = list(replay.running - set(replay.started))
        held = set()
        for job in line:
            if job in replay.started:
                counted.append(job)
                continue
            user = [other for other in counted if trace.user.codes[other] == trace.user.codes[job]]
            queue = [other for other in counted if trace.queue.codes[other] == trace.queue.codes[job]]
            most = policy.queue_limit(trace.queue.names[trace.queue.codes[job]])
            procs, own = replay.procs, replay.procs[job]
            if (
                (policy.max_user_jobs is not None and len(user) + 1 > policy.max_user_jobs)
                or (
                    policy.max_user_cpus is not None
                    and sum(procs[other] for other in user) + own > policy.max_user_cpus
                )
                or (most is not None and sum(procs[other] for other in queue) + own > most)
            ):
                held.add(job)
        return held


class NaiveHead:
    """Follows the first waiting job."""

    def __init__(self, replay: NaiveReplay, tolerance: float) -> None:
        self.replay, self.tolerance = replay, tolerance
        self.promise: tuple[int, int, int] | None = None
        self.latest: dict[int, int] = {}
        self.made = self.kept = self.excused = self.lapsed = 0
        self.broken: list[Broken] = []

    def look(self) -> None:
        replay, limit = self.replay, self.replay.policy.test_limit
        head, now = replay.head(), replay.now
        # A promise ends with the job's start; if another job is the head by then, it lapses.
        if self.promise is not None:
            job = self.promise[0]
            if replay.start[job] <= now:
                self._settle(*self.promise)
                self.promise = None
            elif head != job or self._passed(job):
                self.lapsed += 1
                self.promise = None
        if head is None or self.promise is not None or not replay.has_room(head):
            return
        # A pass may look at only so many jobs: behind more starts the head had no turn.
        if limit is None or self._passed(head) < limit:
            self.made += 1
            start, relaxed = self._earliest(head), replay.policy.relaxed
            # A relaxed promise is put off once, by the first wait that it was computed from.
            if relaxed is not None:
                put_off = int(relaxed * ((start - replay.submit[head]) / MS)) * MS
                start = max(start, self.latest.setdefault(head, start + put_off))
            self.promise = (head, now, start)

    def _passed(self, job: int) -> int:
        return sum(self.replay.key(other) < self.replay.key(job) for other in self.replay.started)

    def _settle(self, job: int, made: int, promised: int) -> None:
        replay = self.replay
        late = round((replay.start[job] - promised) / MS, 3)
        expected = {other: replay.start[other] + replay.estimate[other] for other in replay.ran}
        if late <= self.tolerance:
            self.kept += 1
        # A late start is excused where a job that was in the way outlived what was believed of it.
        elif any(
            replay.start[other] <= promised
            and replay.end[other] > made
            and expected[other] < replay.end[other]
            and expected[other] <= promised
            for other in replay.ran
        ):
            self.excused += 1
        else:
            self.broken.append(Broken("guarantee", job, replay.start[job] / MS, late))

    def _earliest(self, head: int) -> int:
        """When it fits, beside what seems to run but for those that went past it just now."""
        replay, now = self.replay, self.replay.now
        holds = Holds(replay.capacity)
        for job in replay.running:
            if not (job in replay.started and replay.key(job) > replay.key(head)):
                holds.hold(BEGINNING, replay.believed_end(job), replay.need[job])
        return holds.earliest(now, 1, replay.need[head])


class NaivePlans:
    """Plans each job at its submission, and all that wait anew at each end."""

    def __init__(self, replay: NaiveReplay, tolerance: float) -> None:
        self.replay, self.tolerance = replay, tolerance
        self.holds = Holds(replay.capacity)
        self.planned: dict[int, int] = {}
        self.promised: dict[int, int] = {}
        self.slots: dict[int, tuple[int, int]] = {}
        expected = {job: replay.start[job] + replay.estimate[job] for job in replay.ran}
        outlived = [time for job, time in expected.items() if replay.end[job] > time]
        self.slips_at = min(outlived, default=None)

    def look(self) -> None:
        replay, now, holds = self.replay, self.replay.now, self.holds
        # From the first job on that outlives its estimate plans slip, and are no promises any more.
        if self.slips_at is not None and now >= self.slips_at:
            return
        # What should have started and did not is planned anew, before new jobs are.
        for job in self._queue():
            if self.planned[job] < now:
                self._plan_anew(job)
        for job in replay.submitted:
            if replay.start[job] >= now and replay.has_room(job):
                self._plan(job)
                self.promised[job] = self.planned[job]
        # An early end leaves room: jobs that wait move forward, in their order.
        for job in replay.ended:
            if job in self.slots:
                begin, end = self.slots.pop(job)
                holds.drop(begin, end, replay.need[job])
                holds.hold(begin, now, replay.need[job])
                for other in self._queue():
                    if self.planned[other] > now:
                        self._plan_anew(other)
        # What starts holds its place by the estimate, whatever was planned for it.
        for job in replay.started:
            if job in self.planned:
                self._unplan(job)
            self.slots[job] = (now, now + replay.estimate[job])
            holds.hold(*self.slots[job], replay.need[job])

    def result(self) -> tuple[list[Broken], Kept]:
        """What was not kept, and the tally."""
        replay, slips = self.replay, self.slips_at
        judged = [job for job, time in self.promised.items() if slips is None or time < slips]
        late = {job: round((replay.start[job] - self.promised[job]) / MS, 3) for job in judged}
        broken = [
            Broken("guarantee", job, replay.start[job] / MS, by)
            for job, by in late.items()
            if by > self.tolerance
        ]
        made = len(self.promised)
        return broken, (made, len(judged) - len(broken), len(broken), made - len(judged), 0)

    def _queue(self) -> list[int]:
        if self.replay.policy.replan == "planned":
            return sorted(self.planned, key=lambda job: (self.planned[job], job))
        return list(self.planned)

    def _plan(self, job: int) -> None:
        replay = self.replay
        self.planned[job] = self.holds.earliest(replay.now, replay.estimate[job], replay.need[job])
        self.holds.hold(self.planned[job], self.planned[job] + replay.estimate[job], replay.need[job])

    def _unplan(self, job: int) -> None:
        begin = self.planned.pop(job)
        self.holds.drop(begin, begin + self.replay.estimate[job], self.replay.need[job])

    def _plan_anew(self, job: int) -> None:
        begin, order = self.planned[job], list(self.planned)
        self.holds.drop(begin, begin + self.replay.estimate[job], self.replay.need[job])
        self._plan(job)
        assert order == list(self.planned)


def promised(
    table: ScheduleTable, cluster: Cluster, policy: Policy, estimate: Ints, tolerance: float
) -> tuple[list[Broken], Kept, list[Broken], int]:
    """Broken promises to waiting jobs and their tally; starts that no pass makes; and starts past others."""
    replay = NaiveReplay(table, cluster, policy, estimate)
    if policy.depth == "kept":
        plans = NaivePlans(replay, tolerance)
        for _ in replay.moments():
            plans.look()
        return *plans.result(), [], 0
    passes, head = NaivePasses(replay, tolerance), NaiveHead(replay, tolerance)
    for _ in replay.moments():
        passes.look()
        head.look()
    kept = (head.made, head.kept, len(head.broken), head.excused, head.lapsed)
    return head.broken, kept, passes.broken, passes.past
