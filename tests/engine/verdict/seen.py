"""A schedule as judges of claims see it: its columns and those of the log, job by job."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from itertools import pairwise

from engine.schedule.schedule import Schedule
from tests.engine.fairness import naive
from tests.engine.verdict.causes import Causes, causes
from tests.engine.verdict.site_causes import site_causes

Numbers = dict[str, float]


@dataclass(frozen=True, eq=False)
class Seen:
    """A schedule as a judge sees it: lists by job, over the jobs that are measured.

    `capacity` is what each user may expect of each resource, `phases` are the schedules of a site under
    further phases of its loops.
    """

    schedule: Schedule
    capacity: Sequence[Sequence[int]]
    jobs: Sequence[int]
    phases: Sequence[Schedule] = ()

    @cached_property
    def lateness(self) -> dict[int, int]:
        """How much later than expected each measured job ends, s: Algorithm 1 second by second."""
        schedule, trace = self.schedule, self.schedule.trace
        # Jobs that did not run use nothing of their users' shares.
        ran = [job for job in range(len(trace)) if schedule.start[job] >= 0]
        asked = [
            naive.Job(
                int(trace.user.codes[job]),
                int(trace.submit[job]),
                int(schedule.end[job] - schedule.start[job]),
                self._amounts(job),
            )
            for job in ran
        ]
        expected = naive.expected_end_times(asked, self.capacity)
        late = {job: max(0, int(schedule.end[job]) - end) for job, end in zip(ran, expected, strict=True)}
        return {job: late[job] for job in self.jobs}

    def _amounts(self, job: int) -> tuple[int, ...]:
        """What a job takes of each resource that is shared: processors, RAM and GPUs."""
        trace = self.schedule.trace
        gpus = 0 if trace.gpus is None else int(trace.gpus[job])
        return (int(self.schedule.procs[job]), int(trace.ram[job]), gpus)[: len(self.capacity[0])]

    @cached_property
    def causes(self) -> Causes:
        """What the measured jobs can have waited for."""
        of_site = self.schedule.policy.site is not None
        return (site_causes if of_site else causes)(self.schedule, self.jobs)

    def user(self, job: int) -> int:
        """The user of a job."""
        return int(self.schedule.trace.user.codes[job])

    def month(self, job: int) -> tuple[int, int]:
        """The month of a submission, for logs in UTC."""
        trace = self.schedule.trace
        day = datetime.fromtimestamp(int(trace.submit[job]) + trace.zero, UTC)
        return day.year, day.month

    @cached_property
    def by_user(self) -> Counter[int]:
        """The lateness of each user in all, s."""
        total: Counter[int] = Counter()
        for job, late in self.lateness.items():
            total[self.user(job)] += late
        return total

    @cached_property
    def waits(self) -> Counter[tuple[str, bool]]:
        """Seconds of waiting by what the schedule shows of the moment, on a pool of processors.

        Whether fewer processors are free than the job asks for: `yes`, `no`, or `later` where it is so only
        by jobs that were started in the same second as the job was tried; and whether a job that was
        submitted earlier waits, too.
        """
        schedule = self.schedule
        begins, ends, asks = schedule.start.tolist(), schedule.end.tolist(), schedule.procs.tolist()
        submits = schedule.trace.submit.tolist()
        every = [job for job in range(len(begins)) if begins[job] >= 0]
        machine = sum(group.count * group.cpus for group in schedule.cluster.groups)
        times = sorted({*submits, *(begins[job] for job in every), *(ends[job] for job in every)})
        found: Counter[tuple[str, bool]] = Counter()
        # Nothing changes between two of these times.
        for now, until in pairwise(times):
            running = [job for job in every if begins[job] <= now < ends[job]]
            waiting = [job for job in every if submits[job] <= now < begins[job]]
            before = machine - sum(asks[job] for job in running if begins[job] < now)
            after = machine - sum(asks[job] for job in running)
            for job in set(waiting) & set(self.jobs):
                short = "yes" if asks[job] > before else "later" if asks[job] > after else "no"
                found[short, min(waiting) < job] += until - now
        return found

    @cached_property
    def seems(self) -> Counter[frozenset[str]]:
        """Seconds of waiting by what seems to have been too little: `processors`, `ram`, or `nothing`.

        Those in which the log has the job held, or its predecessor still ran, are `told`.

        Two of them where jobs that start in the same second decide.
        """
        schedule, cluster = self.schedule, self.schedule.cluster
        begins, ends, submits = (each.tolist() for each in (schedule.start, schedule.end, schedule.submit))
        machine = [sum(group.count * group.cpus for group in cluster.groups)]
        machine.append(sum(group.count * (group.ram or 0) for group in cluster.groups))
        asks = [*zip(schedule.procs.tolist(), schedule.trace.ram.clip(0).tolist(), strict=True)]
        ran = [job for job, begin in enumerate(begins) if begin >= 0]
        found: Counter[frozenset[str]] = Counter()
        for now, until in pairwise(
            sorted({*submits, *(begins[job] for job in ran), *(ends[job] for job in ran)})
        ):
            for job in self.jobs:
                if not submits[job] <= now < begins[job]:
                    continue
                kinds = set()
                barred = min(self.barred(job), until)
                if barred > now:
                    found[frozenset({"told"})] += barred - now
                    if barred == until:
                        continue
                for first in (now, now + 1):  # before the starts of this second, and after them
                    held = [asks[other] for other in ran if begins[other] < first and ends[other] > now]
                    cpus, ram = (machine[k] - sum(each[k] for each in held) for k in (0, 1))
                    short = cluster.ram is not None and asks[job][1] > ram
                    kinds.add("processors" if asks[job][0] > cpus else "ram" if short else "nothing")
                found[frozenset(kinds)] += until - max(now, barred)
        return found

    def barred(self, job: int) -> int:
        """Until when the log says that a job might not start, s."""
        trace, submit = self.schedule.trace, int(self.schedule.submit[job])
        until = submit if trace.held is None else submit + int(trace.held[job])
        before = [
            other
            for other in range(job)
            if int(trace.job_id[other]) == int(trace.preceding[job]) > 0 and self.schedule.ran[other]
        ]
        return max([until, *(int(self.schedule.end[other]) for other in before[-1:])])

    @cached_property
    def phase_waits(self) -> list[float]:
        """The mean wait of the measured jobs in each phase, s; that of the schedule itself first."""
        submits = self.schedule.submit.tolist()
        starts = [each.start.tolist() for each in (self.schedule, *self.phases)]
        return [sum(start[job] - submits[job] for job in self.jobs) / len(self.jobs) for start in starts]

    @property
    def waited(self) -> int:
        """The waiting of all measured jobs, s."""
        schedule = self.schedule
        return sum(int(schedule.start[job]) - int(schedule.trace.submit[job]) for job in self.jobs)

    @property
    def asked_idle(self) -> int:
        """Processor-seconds of idle processors for which measured jobs waited, on a pool."""
        schedule, total = self.schedule, 0
        begins, ends, asks = schedule.start.tolist(), schedule.end.tolist(), schedule.procs.tolist()
        submits = schedule.trace.submit.tolist()
        every = [job for job in range(len(begins)) if begins[job] >= 0]
        machine = sum(group.count * group.cpus for group in schedule.cluster.groups)
        for now, until in pairwise(sorted({*submits, *begins, *ends})):
            used = sum(asks[job] for job in every if begins[job] <= now < ends[job])
            asked = sum(asks[job] for job in self.jobs if submits[job] <= now < begins[job])
            total += min(asked, max(machine - used, 0)) * (until - now)
        return total
