"""Why a job waited, from the decision log, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.schedule import Decision, DecisionLog, Schedule
from views.format import duration
from views.inspector.html import Html, exactly, job_link, join, text
from views.inspector.subject import Subject
from views.words import plural, spell_count

_MOST_JOBS = 5
"""Jobs that went past a waiting one and are named."""


def reasons(subject: Subject, schedule: Schedule, job: int) -> list[Html]:
    """What happened to a job from its submission to its start; empty where it was not run."""
    if not schedule.ran[job]:
        return []
    if schedule.wait[job] == 0:
        started = [text("It started at its submission.")]
        return started + list(_past_others(subject, schedule.log.of_job(job)))
    if not len(schedule.log):
        return [text("No decisions were kept for this run, so there is no reason to tell.")]
    own = schedule.log.of_job(job)
    found = [*_blocked(own), *_promises(subject, own, int(schedule.start[job]))]
    found += [*_passed(subject, schedule.log, job), *_past_others(subject, own)]
    return found or [text("It waited behind jobs ahead of it in the queue.")]


def _blocked(own: DecisionLog) -> Iterator[Html]:
    short = own.value[own.kind == Decision.BLOCKED]
    if len(short) == 0:
        return
    times = "once" if len(short) == 1 else "twice" if len(short) == 2 else f"{spell_count(len(short))} times"
    causes = []
    counted = short[short > 0]
    if len(counted):
        low, high = int(counted.min()), int(counted.max())
        amount = (
            plural(high, "processor") if low == high else f"{spell_count(low)} to {plural(high, 'processor')}"
        )
        causes.append(f"{amount} short")
    if len(counted) < len(short):
        causes.append("enough processors free, but not enough RAM or not on the same node")
    yield text(f"Held up at the head of the queue {times}: {', or '.join(causes)}.")


def _promises(subject: Subject, own: DecisionLog, start: int) -> Iterator[Html]:
    rows = own.kind == Decision.RESERVED
    times, promised = own.time[rows], own.value[rows]
    if len(times) == 0:
        return
    yield Html(f"First reserved at {subject.when(times[0])}: to start by {subject.when(promised[0])}.")
    moved = int((np.diff(promised) != 0).sum())
    if moved:
        yield Html(
            f"The reservation moved {plural(moved, 'time')}, last at {subject.when(times[-1])} "
            f"to {subject.when(promised[-1])}."
        )
    late = start - int(promised[-1])
    if late == 0:
        yield text("It started just then.")
    else:
        yield Html(f"It started {exactly(abs(late))} {'after' if late > 0 else 'before'} that.")


def _passed(subject: Subject, log: DecisionLog, job: int) -> Iterator[Html]:
    rows = (log.kind == Decision.BACKFILLED) & (log.value == job)
    others = np.unique(log.job[rows])
    if len(others) == 0:
        return
    users = len(np.unique(subject.trace.user.codes[others]))
    named = join((job_link(subject.trace, other) for other in others[:_MOST_JOBS]), ", ")
    more = f" and {spell_count(len(others) - _MOST_JOBS)} more" if len(others) > _MOST_JOBS else ""
    yield Html(f"{plural(len(others), 'job')} of {plural(users, 'user')} went past it: {named}{more}.")


def _past_others(subject: Subject, own: DecisionLog) -> Iterator[Html]:
    for waiting in np.unique(own.value[own.kind == Decision.BACKFILLED])[:_MOST_JOBS]:
        wait = own.time[(own.kind == Decision.BACKFILLED) & (own.value == waiting)][0]
        waited = int(wait - subject.trace.submit[waiting])
        name = job_link(subject.trace, int(waiting))
        yield Html(f"It was backfilled past job {name}, which had waited {text(duration(waited))}.")
