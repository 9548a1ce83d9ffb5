"""A schedule replayed the slow way: sets of jobs, the queue sorted anew at each moment."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from engine.audit.refusals import held_processors
from engine.audit.table import Ints, ScheduleTable, asked
from engine.machine.cluster import Cluster
from engine.policy.policy import Policy

Key = tuple[float, ...]
Amounts = tuple[int, ...]
MS = 1000
BEGINNING = -(10**15)

ORDERS: dict[str, Callable[[int, int], Key]] = {
    "fcfs": lambda e, r: (),
    "sjf": lambda e, r: (e, r),
    "ljf": lambda e, r: (-e,),
    "saf": lambda e, r: (r * e,),
    "laf": lambda e, r: (-r * e,),
    "widest": lambda e, r: (-r,),
    "narrowest": lambda e, r: (r,),
}
TIES: dict[str, Callable[[int, int], Key]] = {
    "fcfs": lambda e, r: (),
    "longest": lambda e, r: (-e,),
    "shortest": lambda e, r: (e,),
    "widest": lambda e, r: (-r,),
}


@dataclass
class Holds:
    """What is held when, of a machine; times in ms."""

    capacity: Amounts
    held: list[tuple[int, int, Amounts]] = field(default_factory=list)

    def hold(self, begin: int, end: int, need: Amounts) -> None:
        self.held.append((begin, end, need))

    def drop(self, begin: int, end: int, need: Amounts) -> None:
        self.held.remove((begin, end, need))

    def free(self, time: int) -> list[int]:
        used = [need for begin, end, need in self.held if begin <= time < end]
        return [total - sum(need[k] for need in used) for k, total in enumerate(self.capacity)]

    def earliest(self, since: int, length: int, need: Amounts) -> int:
        """The first time, not before `since`, from which on a need is free so long."""
        for time in sorted({since, *(end for _, end, _ in self.held if end > since)}):
            moments = {time, *(begin for begin, _, _ in self.held if time < begin < time + length)}
            if all(need[k] <= free for at in moments for k, free in enumerate(self.free(at))):
                return time
        raise AssertionError("never")


class NaiveReplay:
    """What runs and waits after all that happens at `now`, in ms."""

    def __init__(self, table: ScheduleTable, cluster: Cluster, policy: Policy, estimate: Ints) -> None:
        trace, self.table, self.cluster, self.policy = table.trace, table, cluster, policy
        self.pooled = cluster.pooled
        row = table.first_row
        jobs = range(len(trace))
        self.ran = [job for job in jobs if row[job] >= 0]
        # Milliseconds, since schedules of other programs may have fractions of a second.
        self.submit = [int(time) * MS for time in trace.submit]
        self.start = {job: round(float(table.start[row[job]]) * MS) for job in self.ran}
        self.end = {job: round(float(table.end[row[job]]) * MS) for job in self.ran}
        self.estimate = [int(time) * MS for time in estimate]
        self.walltime = [int(time) * MS for time in trace.walltime]
        self.procs = [int(procs) for procs in held_processors(trace, cluster, policy)]
        names = [name for name in cluster.resources if cluster.total(name) is not None]
        self.capacity = tuple(int(cluster.total(name) or 0) for name in names)
        columns = [asked(table, name) for name in names]
        self.need = [tuple(int(column[job]) for column in columns) for job in jobs]
        # What the schedule says that a job held goes before what it asked for.
        for job in self.ran:
            self.need[job] = (int(np.ceil(max(0, table.procs[row[job]]))), *self.need[job][1:])
        self.now = 0
        self.submitted: list[int] = []
        self.started: list[int] = []
        self.ended: list[int] = []
        self.running: set[int] = set()
        self.waiting: set[int] = set()

    def moments(self) -> Iterator[int]:
        """Each moment at which anything is submitted, starts or ends."""
        times = {self.submit[job] for job in self.ran}
        for now in sorted(times | set(self.start.values()) | set(self.end.values())):
            self.now = now
            self.submitted = [job for job in self.ran if self.submit[job] == now]
            self.started = [job for job in self.ran if self.start[job] == now]
            by_start = sorted(self.ran, key=lambda job: (self.start[job], job))
            self.ended = [job for job in by_start if self.end[job] == now]
            self.waiting = {job for job in self.ran if self.submit[job] <= now < self.start[job]}
            self.running = {job for job in self.ran if self.start[job] <= now < self.end[job]}
            yield now

    def key(self, job: int) -> Key:
        """What sorts a job in the queue."""
        return (*self.alike(job), job)

    def alike(self, job: int) -> Key:
        """The same, but for its index."""
        submit, threshold, policy = self.submit[job], self.policy.threshold, self.policy
        if threshold is not None and self.now - submit > threshold * MS:
            return (0, submit)
        e, r = self.estimate[job], self.procs[job]
        ties = () if policy.order == "fcfs" else TIES[policy.ties](e, r)
        return (1, *ORDERS[policy.order](e, r), *ties, submit)

    def backfill_key(self, job: int) -> Key:
        """What sorts a job for backfilling, but for its index."""
        e, r = self.estimate[job], self.procs[job]
        backfill = self.policy.backfill
        own = (e,) if backfill == "sjf" else ORDERS[backfill](e, r)
        return (*own, self.submit[job])

    def has_room(self, job: int) -> bool:
        """Whether a job fits on the empty machine."""
        return all(need <= most for need, most in zip(self.need[job], self.capacity, strict=True))

    def head(self) -> int | None:
        """The first job of the queue."""
        return min(self.waiting, key=self.key, default=None)

    def believed_end(self, job: int) -> int:
        """When a running job seems to end."""
        end = self.start[job] + self.estimate[job]
        limit = self.start[job] + self.walltime[job]
        return end if end > self.now else limit if limit > self.now else self.now + MS
