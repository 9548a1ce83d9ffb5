"""A job that waits at an instant of a schedule as it is asked for differently, and when it would then start.

Nothing that the log says of later times is used: all jobs run for their walltimes, and no further job comes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from engine.now.instant_queue import InstantQueue
from engine.now.site_instant import queue_of
from engine.now.start_spread import start_by_limits
from engine.now.waiting import alternatives
from engine.now.what_if import ChangedRequest, Outcome, narrower, other_queues, shorter, uses_queues
from engine.schedule.schedule import Schedule
from engine.simulation.control import ENDED, Cancelled, Control
from engine.trace import MISSING


def instant_alternatives(
    queue: InstantQueue, job: int, control: Control | None = None
) -> tuple[Outcome, ...] | None:
    """Requests that may help a waiting job, an index into the trace; None where nothing can be planned anew.

    A half and a quarter of its walltime, half its processors for as much longer, and other queues. Under a
    policy the changed job is submitted anew, behind all that wait; under a site it keeps its place, as `now`
    plans it. Raises Cancelled, and InputError.
    """
    schedule, instant = queue.schedule, queue.instant
    if not schedule.policy.simulated:
        return None
    site = schedule.policy.site
    # Of a site, the queue at that instant is planned as a live queue is.
    if site is not None:
        jobs = queue_of(site, schedule, instant)
        asked = next((each for each in jobs if each.job_id == str(job)), None)
        return None if asked is None else alternatives(site.on(schedule.cluster), jobs, asked, control)
    # The delay without a change, planned in the same way as each change: only so can they be compared.
    before = start_by_limits(schedule, instant, job)
    changes = list(_changes(schedule, job))
    if control is not None:
        control.jobs, control.array[ENDED] = len(changes), 0
    outcomes = []
    for change in changes:
        if control is not None and control.cancelled:
            raise Cancelled
        # A changed request is a new job: it goes behind all that wait.
        start = start_by_limits(replace(schedule, trace=change.trace), instant, job, anew=True)
        sooner = None if before is None or start is None else before - start
        outcomes.append(Outcome(change.text, start, None, sooner, None, before or 0))
        if control is not None:
            control.array[ENDED] += 1
    return tuple(outcomes)


def _changes(schedule: Schedule, job: int) -> Iterator[ChangedRequest]:
    trace, told = schedule.trace, set[int]()
    asked = int(trace.walltime[job])
    # Both parts may round to the same walltime: it is proposed once.
    for part in (2, 4) if asked != MISSING else ():
        change = shorter(trace, job, -(-asked // part))
        walltime = int(change.trace.walltime[job])
        if walltime < asked and walltime not in told:
            told.add(walltime)
            yield change
    yield from narrower(trace, job)
    if uses_queues(schedule.policy):
        yield from other_queues(trace, job)
