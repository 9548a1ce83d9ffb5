"""Sentences that explain a job's wait from the decision log."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.answer.inferred import Inference, infer_wait
from engine.schedule.explain import Explanation, explain
from engine.schedule.schedule import Decision, Schedule
from views.data.wait_kinds import KIND_COLOURS
from views.inspector.html import Html, bullets, exactly, job_link, join, paragraph, swatched, text
from views.inspector.subject import Subject
from views.text.counts import format_count, plural
from views.text.values import duration

_MOST_JOBS = 5
"""Maximum number of named jobs that overtook a waiting job."""


def reasons(subject: Subject, schedule: Schedule, job: int) -> Html:
    """The reasons of a job's wait, from its submission to its start, and other events of that time."""
    explanation = explain(schedule, job)
    of_others = explanation.note and not schedule.policy.simulated
    inferred = infer_wait(schedule, job) if of_others else None
    if inferred is not None:
        inferences = bullets(_inferred(subject, inferred))
        return join([paragraph(text(explanation.note)), inferences])
    events = (
        *_promises(subject, explanation),
        *_overtaken(subject, explanation),
        *_overtook(subject, schedule, explanation),
    )
    return join(
        [paragraph(text(explanation.note)) if explanation.note else _causes(explanation), bullets(events)]
    )


def _inferred(subject: Subject, inferred: Inference) -> Iterator[Html]:
    """What the starts and ends of other jobs suggest, where no reasons were recorded."""
    yield from map(text, inferred.causes)
    if inferred.passed:
        named = join((job_link(subject.trace, other) for other in inferred.first_passed), ", ")
        yield Html(f"{text(inferred.passed_text)}: {named}{text(inferred.more_passed)}.")


def _causes(explanation: Explanation) -> Html:
    """A line a kind of reason, in its colour."""
    return swatched(
        (KIND_COLOURS[cause.kind], text(f"{duration(cause.seconds)} {cause.text}"))
        for cause in explanation.summary
    )


def _promises(subject: Subject, explanation: Explanation) -> Iterator[Html]:
    if not explanation.promises:
        return
    first, last = explanation.promises[0], explanation.promises[-1]
    yield Html(f"First reserved at {subject.when(first.made)}: to start by {subject.when(first.start)}.")
    starts = [promise.start for promise in explanation.promises]
    moved = int((np.diff(starts) != 0).sum())
    if moved:
        yield Html(
            f"The reservation moved {plural(moved, 'time')}, last at {subject.when(last.made)} "
            f"to {subject.when(last.start)}."
        )
    late = explanation.start - last.start
    if any(cause.kind == Decision.UNTOLD for cause in explanation.summary):
        yield text("Its later plans were not recorded.")
    elif late == 0:
        yield text("It started just then.")
    else:
        yield Html(f"It started {exactly(abs(late))} {'after' if late > 0 else 'before'} that.")


def _overtaken(subject: Subject, explanation: Explanation) -> Iterator[Html]:
    others = np.unique(np.array(explanation.overtaken, np.int64))
    if len(others) == 0:
        return
    users = len(np.unique(subject.trace.user.codes[others]))
    named = join((job_link(subject.trace, other) for other in others[:_MOST_JOBS]), ", ")
    more = f" and {format_count(len(others) - _MOST_JOBS)} more" if len(others) > _MOST_JOBS else ""
    yield Html(f"{plural(len(others), 'job')} of {plural(users, 'user')} went past it: {named}{more}.")


def _overtook(subject: Subject, schedule: Schedule, explanation: Explanation) -> Iterator[Html]:
    for waiting in sorted(set(explanation.overtook))[:_MOST_JOBS]:
        waited = explanation.start - int(schedule.submit[waiting])
        name = job_link(subject.trace, waiting)
        yield Html(f"It was backfilled past job {name}, which had waited {text(duration(waited))}.")
