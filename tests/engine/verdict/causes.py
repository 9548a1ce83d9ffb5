"""What a job can have waited for at each moment, as far as starts, ends, places and rules tell."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from engine.claims.claim import Relation
from engine.machine.power import power_of
from engine.schedule.schedule import Schedule
from tests.engine.schedule.wait_judges import Watched
from tests.engine.simulation.naive_machine import NO_LIMIT, Amount, holds, nodes_of, tasks_of, whole_tasks

Causes = Counter[frozenset[Relation]]


def causes(schedule: Schedule, jobs: Sequence[int]) -> Causes:
    """Seconds of waiting of some jobs by what each second can be for: one kind where it is certain.

    A pass looks at limits first, then at who is ahead where it ends at the first job that cannot start, then
    at processors, RAM and places. What is in use at a moment includes starts of that very second, of which
    some come before the job in the pass and some after it.
    """
    watched, found = Watched(schedule), Causes()
    needs = _needs(schedule)
    moments = {moment for _, start, end, _, _ in watched.runs for moment in (start, end)}
    outages = schedule.outages
    # Nobody is looked at when a job is refused: what the last pass found stands.
    came = schedule.submit[schedule.ran | schedule.given_up]
    moments |= {*came.tolist(), *outages.start.tolist(), *outages.end.tolist()}
    for now, until in pairwise(sorted(moments)):
        moment = _Moment(watched, needs, now)
        for job in jobs:
            if int(schedule.submit[job]) <= now < int(schedule.start[job]):
                found[frozenset(moment.kinds(job))] += until - now
    return found


def _needs(schedule: Schedule) -> list[Amount]:
    """What has to be free in all for each job: processors, RAM in MiB, and GPUs where there are some.

    A task that takes a node whole asks for less than it takes: at least what the smallest node has on
    which it fits.
    """
    trace, machine, needs = schedule.trace, nodes_of(schedule.cluster), list[Amount]()
    others = [trace.asked(name) for name in schedule.cluster.further_resources]
    for job in range(len(trace)):
        tasks = tasks_of(trace, job, len(machine[0]))
        whole = whole_tasks(trace, job, tasks, machine)
        if whole is None:
            needs.append((int(trace.procs[job]), int(trace.ram[job]), *(int(each[job]) for each in others)))
            continue
        taken = [0] * max(2, len(machine[0]))
        for count, need in whole:
            fits = [node for node in machine if holds(node, need)]
            for k, asked in enumerate(need):
                # Nobody is short of RAM that is not known.
                least = min((0 if node[k] == NO_LIMIT else node[k] for node in fits), default=0)
                taken[k] += count * max(least, asked)
        needs.append(tuple(taken))
    return needs


class _Moment:
    """What waits, runs and is free from one second on, until something changes."""

    def __init__(self, watched: Watched, needs: Sequence[Amount], now: int) -> None:
        self.schedule, self.now = watched.schedule, now
        self.watched, self.needs = watched, needs
        every = range(len(self.schedule.start))
        self.waiting = [job for job in every if watched.waits(job, now)]
        self.free = [watched.free(now, before_starts=before) for before in (True, False)]
        # Those that run before the starts of this second, and with these.
        self.running: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
        procs = self.schedule.trace.procs
        for who, start, end, _, _ in watched.runs:
            for after in (0, 1):
                if start < now + after and end > now:
                    # Limits count what a job asks for, of whole nodes, too.
                    self.running[after].append((who, int(procs[who])))

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

    def over_power(self, job: int, after: int) -> bool:
        """Whether the job would pass the cap beside what runs; of machines whose processors are all alike."""
        schedule, cap = self.schedule, self.schedule.policy.power_cap
        model = power_of(schedule.trace.cluster)
        if cap is None or model is None:
            return False
        cluster, (power,) = schedule.cluster, model.groups
        busy = sum(procs for _, procs in self.running[after]) + int(schedule.trace.procs[job])
        idle = power.idle_w * (cluster.cpus if cluster.pooled else cluster.nodes)
        return idle + power.core_w * busy > 1000 * cap

    def room(self, job: int) -> Iterator[Relation]:
        cpus, ram, *others = self.needs[job]
        limits_ram, (before, after) = self.schedule.cluster.limits_ram, self.free
        # Each resource may be lacking after the starts of this moment, or was before them: in the first case
        # it may be told, in the second it must.
        if cpus > after[0]:
            yield Relation.WAITS_FOR_PROCESSORS
        if cpus > before[0]:
            return
        if limits_ram and ram > after[1]:
            yield Relation.WAITS_FOR_RAM
        if limits_ram and ram > before[1]:
            return
        for name, own in zip(self.schedule.cluster.further_resources, others, strict=True):
            if own > self.watched.free_of(self.now, name):
                yield Relation.WAITS_FOR_RESOURCES
            if own > self.watched.free_of(self.now, name, before_starts=True):
                return
        over = [self.over_power(job, after) for after in (0, 1)]
        if over[1]:
            yield Relation.WAITS_FOR_POWER
        if over[0]:
            return
        # On nodes room may be scattered, which sums do not show.
        if not self.schedule.cluster.pooled:
            yield Relation.WAITS_FOR_PLACE
        # Reservations hold a job only where others wait or have just started.
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
