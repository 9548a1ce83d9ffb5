"""Sweeps over the events of a schedule that add up what idles while jobs wait."""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.compiler.kernels import inner_kernel, kernel
from engine.simulation.placement import Draft, place
from engine.simulation.workload import Workload

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


class Events(NamedTuple):
    """What happens when: jobs in order of submission, all of which run; times in seconds."""

    submit: Ints  # (n,) ascending
    start: Ints  # (n,)
    end: Ints  # (n,)
    by_start: Ints  # (n,) the jobs in order of their starts
    by_end: Ints  # (n,)
    waits: Mask  # (n,) whether the job's wait counts


class Nodes(NamedTuple):
    """What jobs take of which nodes: job j the rows `offset[j]:offset[j + 1]`."""

    offset: Ints  # (n + 1,)
    node: Ints  # (rows,)
    need: Ints  # (rows, K)


class Waiting(NamedTuple):
    """Which requests wait. Jobs that ask for the same are one request, with a job for an example."""

    request: Ints  # (n,) of each job
    example: Ints  # (requests,)
    jobs: Ints  # (requests,) how many of them wait
    place: Ints  # (requests,) where it lies in `present`
    present: Ints  # (requests,) those that any job waits with: the first `size[0]`
    size: Ints  # (1,)


@kernel
def lost_by_count(events: Events, procs: Ints, machine: int) -> tuple[float, float]:
    """Processor-seconds idle and in demand, and those idle while a waiting job needs no more.

    `procs`, shape (n,), are the jobs'; `machine` all that there are. The smallest waiting
    request lies on top of a heap; jobs that have started leave it when they come up.
    """
    n = len(events.submit)
    requests = [np.int64(0) for _ in range(0)]
    demand = fit = 0.0
    queued = now = 0
    idle = machine
    came = began = left = 0
    while left < n:
        then = _next(events, came, began, left)
        if queued > 0 and idle > 0:
            while events.start[requests[0] % n] <= now:
                heapq.heappop(requests)
            demand += float(min(queued, idle)) * (then - now)
            if requests[0] // n <= idle:
                fit += float(idle) * (then - now)
        now = then
        while came < n and events.submit[came] == now:
            if events.waits[came] and events.start[came] > now:
                queued += procs[came]
                heapq.heappush(requests, procs[came] * n + came)
            came += 1
        while began < n and events.start[events.by_start[began]] == now:
            job = events.by_start[began]
            idle -= procs[job]
            if events.waits[job] and events.submit[job] < now:
                queued -= procs[job]
            began += 1
        while left < n and events.end[events.by_end[left]] == now:
            idle += procs[events.by_end[left]]
            left += 1
    return demand, fit


@kernel
def lost_on_nodes(
    events: Events, nodes: Nodes, waiting: Waiting, work: Workload, placement: int, draft: Draft
) -> float:
    """Processor-seconds idle while some waiting job could be placed.

    Jobs are those of `work`. A request that fits goes on to fit until a job starts, and
    where none does, none will until a job ends or another request comes: so few instants
    need a look at all that waits.
    """
    n = len(events.submit)
    free = work.capacity.copy()
    lost, now = 0.0, 0
    found = -1
    shrunk = changed = False
    came = began = left = 0
    while left < n:
        then = _next(events, came, began, left)
        if waiting.size[0] > 0:
            idle = _idle(free)
            if found >= 0 and (waiting.jobs[found] == 0 or shrunk):
                found, changed = -1, True
            if found < 0 and changed:
                found = _find(waiting, idle, free, work, placement, draft)
            shrunk = changed = False
            if found >= 0:
                lost += float(idle) * (then - now)
        now = then
        while came < n and events.submit[came] == now:
            if events.waits[came] and events.start[came] > now:
                changed |= _come(waiting, waiting.request[came])
            came += 1
        while began < n and events.start[events.by_start[began]] == now:
            job = events.by_start[began]
            if events.waits[job] and events.submit[job] < now:
                _go(waiting, waiting.request[job])
            _occupy(nodes, job, free, 1)
            shrunk = True
            began += 1
        while left < n and events.end[events.by_end[left]] == now:
            _occupy(nodes, events.by_end[left], free, -1)
            changed = True
            left += 1
    return lost


@inner_kernel
def _next(events: Events, came: int, began: int, left: int) -> int:
    """The next second at which something happens: after as many submissions, starts and ends."""
    then: int = events.end[events.by_end[left]]
    if came < len(events.submit):
        then = min(then, events.submit[came])
    if began < len(events.submit):
        then = min(then, events.start[events.by_start[began]])
    return then


@inner_kernel
def _idle(free: Ints) -> int:
    """Processors free; a node that a log fills over has none."""
    idle = 0
    for node in range(free.shape[0]):
        idle += max(free[node, 0], 0)
    return idle


@inner_kernel
def _find(waiting: Waiting, idle: int, free: Ints, work: Workload, placement: int, draft: Draft) -> int:
    """A request that could be placed, or -1; it comes first the next time, when it will likely do again."""
    for index in range(waiting.size[0]):
        request: int = waiting.present[index]
        job = waiting.example[request]
        if work.need[job, 0] <= idle and place(work, job, free, placement, draft):
            other = waiting.present[0]
            waiting.present[0], waiting.place[request] = request, 0
            waiting.present[index], waiting.place[other] = other, index
            return request
    return -1


@inner_kernel
def _come(waiting: Waiting, request: int) -> bool:
    """One job more waits; whether it is the first with this request."""
    waiting.jobs[request] += 1
    if waiting.jobs[request] > 1:
        return False
    last = waiting.size[0]
    waiting.present[last], waiting.place[request] = request, last
    waiting.size[0] = last + 1
    return True


@inner_kernel
def _go(waiting: Waiting, request: int) -> None:
    """One job less waits; the last present request takes the place of one that is gone."""
    waiting.jobs[request] -= 1
    if waiting.jobs[request] == 0:
        last = waiting.size[0] - 1
        moved, index = waiting.present[last], waiting.place[request]
        waiting.present[index], waiting.place[moved] = moved, index
        waiting.size[0] = last


@inner_kernel
def _occupy(nodes: Nodes, job: int, free: Ints, sign: int) -> None:
    """Take what the job's rows say from the nodes, or give it back (-1)."""
    for row in range(nodes.offset[job], nodes.offset[job + 1]):
        for k in range(free.shape[1]):
            free[nodes.node[row], k] -= sign * nodes.need[row, k]
