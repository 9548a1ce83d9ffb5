"""The jobs around a job, as links: on its processors, and in the queue when it came."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.schedule.neighbours import on_processors, waiting_at_submission
from views.data.results import Result
from views.inspector.html import Html, job_link, join, text
from views.inspector.subject import Subject
from views.text.counts import plural, spell_count

_MOST_LISTED = 4


def neighbours(subject: Subject, result: Result, job: int) -> list[tuple[str, Html]]:
    """What ran before and after it on its processors, and what waited already when it was submitted."""
    pairs = []
    if result.boxes is not None:
        before, after = on_processors(result.schedule, result.boxes, job)
        pairs += [("Before it there", _links(subject, before)), ("After it there", _links(subject, after))]
    waiting = waiting_at_submission(result.schedule, job)
    if len(waiting):
        procs = int(subject.trace.procs[waiting].sum())
        count = text(f"{plural(len(waiting), 'job')} for {plural(procs, 'processor')}: ")
        pairs.append(("Queue at submit", Html(count + _links(subject, waiting))))
    else:
        pairs.append(("Queue at submit", text("empty")))
    return pairs


def _links(subject: Subject, jobs: Sequence[int] | np.ndarray) -> Html:
    if not len(jobs):
        return text("no job")
    more = f" and {spell_count(len(jobs) - _MOST_LISTED)} more" if len(jobs) > _MOST_LISTED else ""
    return Html(join((job_link(subject.trace, job) for job in jobs[:_MOST_LISTED]), ", ") + text(more))
