"""The page about what is selected: its text, and what is drawn below it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from views.inspector.hints import hints_page
from views.inspector.html import Html, anchor, join
from views.inspector.instant import instant_page
from views.inspector.job import job_page
from views.inspector.jobs import group_page
from views.inspector.lanes import Lane, lanes_of
from views.inspector.nodes import nodes_page
from views.inspector.outcomes import RunOutcome, outcomes_of
from views.inspector.subject import Subject
from views.inspector.time_range import time_range_page
from views.state.selection import Selection

TIME_ANCHOR = "time"
"""Where the part about the picked time begins."""


@dataclass(frozen=True, eq=False)
class Page:
    """Text, and the waits of one job or the outcomes of several under each run."""

    html: Html
    lanes: Sequence[Lane] = ()
    outcomes: Sequence[RunOutcome] = ()


def make_page(subject: Subject | None, selection: Selection) -> Page:
    """Write the page; takes time in the number of jobs and runs, so not on the GUI thread."""
    value = subject.known(selection) if subject is not None else Selection()
    if subject is None or value.empty:
        return Page(hints_page(subject is not None))
    parts: list[Html] = []
    lanes: Sequence[Lane] = ()
    outcomes: Sequence[RunOutcome] = ()
    picked = value.mask(subject.trace)
    if value.nodes:
        parts.append(nodes_page(subject, value))
        outcomes = outcomes_of(subject.results, picked) if picked is not None and value.jobs else ()
    elif len(value.jobs) == 1:
        (job,) = value.jobs
        parts.append(job_page(subject, job))
        lanes = lanes_of(subject.results, job)
    elif picked is not None and (value.jobs or value.users or value.queues):
        parts.append(group_page(subject, value, picked))
        outcomes = outcomes_of(subject.results, picked)
    if value.time_range is not None or value.instant is not None:
        parts.append(anchor(TIME_ANCHOR))
    if value.time_range is not None:
        parts.append(time_range_page(subject, *value.time_range))
    elif value.instant is not None:
        parts.append(instant_page(subject, value.instant))
    return Page(join([*parts, subject.footer]), lanes, outcomes)
