"""Sweeps over the events of a schedule that add up what idles while jobs wait."""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np

from engine.arrays import Ints, Mask
from engine.compiler.kernels import inner_kernel, kernel
from engine.simulation.placement import Draft, place
from engine.simulation.workload import Workload


class Events(NamedTuple):
    """The times of events: jobs in order of submission, all of which run; times in seconds."""

    submit: Ints  # (n,) ascending
    start: Ints  # (n,) start of each job
    end: Ints  # (n,) end of each job
    by_start: Ints  # (n,) the jobs in order of their starts
    by_end: Ints  # (n,) the jobs in order of their ends
    waits: Mask  # (n,) whether the job's wait counts


class Nodes(NamedTuple):
    """The resources of nodes that jobs use: job j has the rows `offset[j]:offset[j + 1]`."""

    offset: Ints  # (n + 1,) first row of each job
    node: Ints  # (rows,) node
    need: Ints  # (rows, K) amounts that the job uses on it


class WaitingRequests(NamedTuple):
    """The waiting requests. Jobs with equal requests share a request, with a job as example."""

    request: Ints  # (n,) number of each job's request
    example: Ints  # (requests,) a job with this request
    need: Ints  # (requests, K) total amounts that it asks for
    jobs: Ints  # (requests,) number of waiting jobs with it
    position: Ints  # (requests,) its index in `present`
    present: Ints  # (requests,) the requests of waiting jobs: the first `size[0]`
    size: Ints  # (1,) number of requests in `present`


@kernel
def lost_by_count(events: Events, procs: Ints, machine: int) -> tuple[float, float]:
    """Processor-seconds idle and in demand, and those idle while a waiting job needs no more.

    `procs`, shape (n,), are the processors of jobs; `machine` their total number. The smallest waiting
    request is at the top of a heap; started jobs are removed when they reach the top.
    """
    n = len(events.submit)
    requests = [np.int64(0) for _ in range(0)]
    demand = fit = 0.0
    queued = now = 0
    idle = machine
    came = began = left = 0
    while left < n:
        next_event = _next(events, came, began, left)
        if queued > 0 and idle > 0:
            # Removal is lazy: a started job leaves the heap only when it becomes the smallest.
            while events.start[requests[0] % n] <= now:
                heapq.heappop(requests)
            demand += float(min(queued, idle)) * (next_event - now)
            if requests[0] // n <= idle:
                fit += float(idle) * (next_event - now)
        now = next_event
        while came < n and events.submit[came] == now:
            if events.waits[came] and events.start[came] > now:
                queued += procs[came]
                # Request and job are packed into one number, so that the heap compares integers.
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
    events: Events, nodes: Nodes, waiting: WaitingRequests, work: Workload, placement: int, draft: Draft
) -> tuple[float, float]:
    """Processor-seconds idle while some waiting job requests no more, and the part of them while no job could
    be placed.

    Jobs are those of `work`. While the free resources do not change, a request that could be placed still can
    be: so few instants require a search of all waiting requests.
    """
    n = len(events.submit)
    free = work.capacity.copy()
    idle = np.zeros(free.shape[1], np.int64)
    fit, fragmented, now = 0.0, 0.0, 0
    small = row = -1  # requests: one that asks for no more than is idle, one that could be placed
    moved = changed = True  # whether anything free has changed since then, or what waits
    came = began = left = 0
    while left < n:
        next_event = _next(events, came, began, left)
        if waiting.size[0] > 0 and next_event > now:
            if moved:
                _add_up(free, idle)
            # Nothing fits or stops fitting while neither the free resources nor the queue change.
            if moved or changed:
                if small < 0 or waiting.jobs[small] == 0 or not _asks_no_more(waiting, small, idle):
                    small = _find_small(waiting, idle)
                if small < 0:
                    row = -1
                elif row < 0 or waiting.jobs[row] == 0 or moved:
                    row = _find(waiting, idle, free, work, placement, draft)
            moved = changed = False
            if small >= 0:
                fit += float(idle[0]) * (next_event - now)
                if row < 0:
                    fragmented += float(idle[0]) * (next_event - now)
        now = next_event
        while came < n and events.submit[came] == now:
            if events.waits[came] and events.start[came] > now:
                _come(waiting, waiting.request[came])
                changed = True
            came += 1
        while began < n and events.start[events.by_start[began]] == now:
            job = events.by_start[began]
            if events.waits[job] and events.submit[job] < now:
                _go(waiting, waiting.request[job])
            _occupy(nodes, job, free, 1)
            moved = True
            began += 1
        while left < n and events.end[events.by_end[left]] == now:
            _occupy(nodes, events.by_end[left], free, -1)
            moved = True
            left += 1
    return fit, fragmented


@inner_kernel
def _next(events: Events, came: int, began: int, left: int) -> int:
    """The next second at which something happens: after as many submissions, starts and ends."""
    # An end is always left while anything else is, so the ends give the first bound.
    time: int = events.end[events.by_end[left]]
    if came < len(events.submit):
        time = min(time, events.submit[came])
    if began < len(events.submit):
        time = min(time, events.start[events.by_start[began]])
    return time


@inner_kernel
def _add_up(free: Ints, idle: Ints) -> None:
    """Sum up the free amount of each resource over all nodes; overfull resources count as 0."""
    for k in range(free.shape[1]):
        idle[k] = 0
        for node in range(free.shape[0]):
            idle[k] += max(free[node, k], 0)


@inner_kernel
def _asks_no_more(waiting: WaitingRequests, request: int, idle: Ints) -> bool:
    over = 0
    for k in range(len(idle)):
        over += waiting.need[request, k] > idle[k]
    return bool(over == 0)


@inner_kernel
def _find_small(waiting: WaitingRequests, idle: Ints) -> int:
    """A request for no more than is idle, or -1."""
    for index in range(waiting.size[0]):
        if _asks_no_more(waiting, waiting.present[index], idle):
            return int(waiting.present[index])
    return -1


@inner_kernel
def _find(
    waiting: WaitingRequests, idle: Ints, free: Ints, work: Workload, placement: int, draft: Draft
) -> int:
    """A request that could be placed, or -1; it is tried first the next time, because it will likely fit
    again.
    """
    for index in range(waiting.size[0]):
        request: int = waiting.present[index]
        job = waiting.example[request]
        # The sums are compared first: to place a job on nodes costs far more.
        if _asks_no_more(waiting, request, idle) and place(work, job, free, placement, draft):
            other = waiting.present[0]
            waiting.present[0], waiting.position[request] = request, 0
            waiting.present[index], waiting.position[other] = other, index
            return request
    return -1


@inner_kernel
def _come(waiting: WaitingRequests, request: int) -> None:
    """Add a waiting job; the first job with a request adds the request to those present."""
    waiting.jobs[request] += 1
    if waiting.jobs[request] == 1:
        last = waiting.size[0]
        waiting.present[last], waiting.position[request] = request, last
        waiting.size[0] = last + 1


@inner_kernel
def _go(waiting: WaitingRequests, request: int) -> None:
    """Remove a waiting job; the last present request takes the place of a request without jobs."""
    # The list of present requests has no holes: the last one moves into the place that becomes free.
    waiting.jobs[request] -= 1
    if waiting.jobs[request] == 0:
        last = waiting.size[0] - 1
        moved, index = waiting.present[last], waiting.position[request]
        waiting.present[index], waiting.position[moved] = moved, index
        waiting.size[0] = last


@inner_kernel
def _occupy(nodes: Nodes, job: int, free: Ints, sign: int) -> None:
    """Take (`sign` 1) the amounts of the job's rows from the nodes, or return them (-1)."""
    for row in range(nodes.offset[job], nodes.offset[job + 1]):
        for k in range(free.shape[1]):
            free[nodes.node[row], k] -= sign * nodes.need[row, k]
