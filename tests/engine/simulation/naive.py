"""The simulator written down slowly: everything is worked out anew at every event, from the definitions."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from engine.cluster import Cluster
from engine.policy import Policy
from engine.trace import Trace

Amount = tuple[int, ...]
Node = list[int]  # what one node has left of each resource
Piece = tuple[int, Amount]  # node, amounts


@dataclass
class Job:
    number: int
    submit: int
    runtime: int
    walltime: int
    procs: int
    user: int
    tasks: list[tuple[int, Amount]]
    estimate: int
    start: int = -1
    pieces: list[Piece] = field(default_factory=list)

    @property
    def end(self) -> int:
        return self.start + self.runtime

    def total(self, resource: int) -> int:
        return sum(count * need[resource] for count, need in self.tasks)


class NaiveSimulation:
    """Runs a trace; afterwards `jobs` hold their starts and pieces, `log` the decisions."""

    def __init__(self, trace: Trace, cluster: Cluster, policy: Policy) -> None:
        self.policy = policy
        self.ram_counts = any(group.ram is not None for group in cluster.groups)
        self.machine: list[Amount] = []
        for group in cluster.groups:
            for _ in range(group.count):
                ram = 10**15 if group.ram is None else group.ram
                self.machine.append((group.cpus, ram) if self.ram_counts else (group.cpus,))
        self.jobs = [self._job(trace, number) for number in range(len(trace))]
        self.queue: list[Job] = []
        self.running: list[Job] = []  # in order of start
        self.ended: list[Job] = []
        self.reserved: list[tuple[int, int, int]] = []  # now, job, promised start
        self.passed: list[tuple[int, int, int]] = []  # now, job, whom it passed

    def _job(self, trace: Trace, j: int) -> Job:
        tasks: list[tuple[int, Amount]] = []
        for row in range(trace.tasks.offset[j], trace.tasks.offset[j + 1]):
            cpus = int(trace.tasks["cpus"][row])
            ram = max(0, int(trace.tasks["ram"][row]))
            tasks.append((int(trace.tasks["count"][row]), (cpus, ram) if self.ram_counts else (cpus,)))
        runtime, walltime = int(trace.runtime[j]), int(trace.walltime[j])
        estimate = runtime if self.policy.estimate == "actual" else walltime
        procs = sum(count * need[0] for count, need in tasks)
        user = int(trace.user.codes[j])
        return Job(j, int(trace.submit[j]), runtime, walltime, procs, user, tasks, estimate)

    def simulate(self) -> list[int]:
        """Starts of all jobs, -1 for those that the empty machine cannot hold."""
        todo = [
            job for job in self.jobs if self.place(job, [list(node) for node in self.machine]) is not None
        ]
        while todo or self.running:
            now = min([job.submit for job in todo] + [job.end for job in self.running])
            for job in self.running:  # overrun estimates
                if now - job.start >= job.estimate and job.end != now:
                    job.estimate = job.walltime
                    if now - job.start >= job.estimate:
                        job.estimate = now - job.start + 1
            self.queue += [job for job in todo if job.submit == now]
            todo = [job for job in todo if job.submit != now]
            self.ended += [job for job in self.running if job.end == now]
            self.running = [job for job in self.running if job.end != now]
            self.one_pass(now)
        return [job.start for job in self.jobs]

    def one_pass(self, now: int) -> None:
        waiting = sorted(self.queue, key=lambda job: (self.order_key(job, now), job.number))
        while waiting:
            placed = self.place(waiting[0], self.free())
            if placed is None:
                break
            self.begin(waiting.pop(0), now, placed)
        if not waiting or self.policy.depth == "stop":
            return
        head, others = waiting[0], waiting[1:]
        if self.policy.backfill != "queue":
            others.sort(key=lambda job: (self.backfill_key(job), job.number))
        promise: int | None = None
        ahead: list[Node] = []
        if self.policy.depth == "1":
            promise, ahead = self.reserve(head, now)
        for job in others:
            free = self.free()
            outlasts = promise is not None and now + job.estimate > promise
            if outlasts:
                free = [
                    [min(a, b) for a, b in zip(*both, strict=True)] for both in zip(free, ahead, strict=True)
                ]
            placed = self.place(job, free)
            if placed is None:
                continue
            self.begin(job, now, placed)
            self.passed.append((now, job.number, head.number))
            if outlasts:
                take(ahead, placed)

    def reserve(self, head: Job, now: int) -> tuple[int, list[Node]]:
        """When the head fits by what is believed, and what is left then beside it."""
        for time in sorted({job.start + job.estimate for job in self.running}):
            ahead = self.free()
            for job in self.running:
                if job.start + job.estimate <= time:
                    give(ahead, job.pieces)
            placed = self.place(head, ahead)
            if placed is not None:
                take(ahead, placed)
                self.reserved.append((now, head.number, time))
                return time, ahead
        raise AssertionError("the head fits on the empty machine")

    def begin(self, job: Job, now: int, placed: list[Piece]) -> None:
        job.start, job.pieces = now, placed
        self.queue.remove(job)
        self.running.append(job)

    def free(self) -> list[Node]:
        left = [list(node) for node in self.machine]
        for job in self.running:
            take(left, job.pieces)
        return left

    def place(self, job: Job, left: list[Node]) -> list[Piece] | None:
        """Task by task: a node that has begun to take tasks of a group takes all that it can."""
        left = [list(node) for node in left]
        pieces: list[Piece] = []
        for count, need in job.tasks:
            full: set[int] = set()
            while count:
                can = [v for v in range(len(left)) if v not in full and holds(left[v], need)]
                if not can:
                    return None
                if self.policy.placement == "first":
                    node = can[0]
                elif self.policy.placement == "best":
                    node = min(can, key=lambda v: (left[v][0], v))
                else:
                    node = min(can, key=lambda v: (-left[v][0], v))
                full.add(node)
                tasks = 0
                while tasks < count and holds(left[node], need):
                    left[node] = [a - b for a, b in zip(left[node], need, strict=True)]
                    tasks += 1
                count -= tasks
                pieces.append((node, tuple(tasks * amount for amount in need)))
        return pieces

    def order_key(self, job: Job, now: int) -> tuple[float, ...]:
        key = {
            "fcfs": (),
            "sjf": (job.estimate, job.procs),
            "ljf": (-job.estimate,),
            "saf": (job.procs * job.estimate,),
            "laf": (-job.procs * job.estimate,),
            "widest": (-job.procs,),
            "narrowest": (job.procs,),
        }.get(self.policy.order)
        if key is None:
            return (self.usage_factor(job.user, now),)
        return (*key, -job.estimate) if self.policy.ties == "longest" and key else key

    def backfill_key(self, job: Job) -> tuple[float, ...]:
        return {
            "fcfs": (),
            "sjf": (job.estimate,),
            "ljf": (-job.estimate,),
            "saf": (job.procs * job.estimate,),
            "laf": (-job.procs * job.estimate,),
            "widest": (-job.procs,),
            "narrowest": (job.procs,),
        }[self.policy.backfill]

    def usage_factor(self, user: int, now: int) -> float:
        """U(now) of equal shares, from the definition, in whole 1/1024 machine-seconds."""
        used = []
        for job in self.ended + self.running:
            if job.user != user:
                continue
            over = job in self.ended
            end = job.end if over else now
            weight, h = self.weight(job), self.policy.half_life
            if self.policy.accrue == "end":
                if over:
                    used.append(weight * job.runtime * (2.0 ** (-(now - end) / h) if h else 1.0))
            elif h:
                used.append(
                    weight * h / math.log(2) * (2.0 ** (-(now - end) / h) - 2.0 ** (-(now - job.start) / h))
                )
            else:
                used.append(weight * (end - job.start))
        return math.floor(math.fsum(used) * 1024 + 0.5)

    def weight(self, job: Job) -> float:
        whole = [sum(node[k] for node in self.machine) for k in range(len(self.machine[0]))]
        shares = [min(1.0, job.total(k) / whole[k]) for k in range(len(whole))]
        left = math.prod(1 - share for share in shares)
        if self.policy.penalty == "equivalent":
            worst = 0.0
            for _, need in job.tasks:
                on_node = [largest_share(need, node) for node in self.machine if holds(node, need)]
                worst = max(worst, min(on_node))
            return worst * sum(count for count, _ in job.tasks) / len(self.machine)
        return {
            "cpu": shares[0],
            "max": max(shares),
            "sqrt": 1 - left ** (1 / len(shares)),
            "product": 1 - left,
        }[self.policy.penalty]


def holds(node: Node | Amount, need: Amount) -> bool:
    return all(have >= want for have, want in zip(node, need, strict=True))


def largest_share(need: Amount, node: Amount) -> float:
    return max(a / b for a, b in zip(need, node, strict=True))


def smaller(node: Node, other: Node) -> Node:
    return [min(a, b) for a, b in zip(node, other, strict=True)]


def take(left: list[Node], pieces: list[Piece]) -> None:
    for node, amounts in pieces:
        left[node] = [a - b for a, b in zip(left[node], amounts, strict=True)]


def give(left: list[Node], pieces: list[Piece]) -> None:
    for node, amounts in pieces:
        left[node] = [a + b for a, b in zip(left[node], amounts, strict=True)]
