"""The page about what is selected: its text, and what is drawn below it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from views.inspector.html import Html, anchor, bullets, join, paragraph, text, title
from views.inspector.instant import instant_page
from views.inspector.job import job_page
from views.inspector.jobs import group_page
from views.inspector.lanes import JobLane, lanes_of
from views.inspector.nodes import nodes_page
from views.inspector.outcomes import RunOutcome, outcomes_of
from views.inspector.subject import InspectorSubject
from views.inspector.time_range import time_range_page
from views.state.selection import Selection


def hints_page(has_trace: bool) -> Html:
    """Hints on how to see something in the inspector."""
    if not has_trace:
        return Html(title(text("Nothing open")) + paragraph(text("Open a trace to see its jobs and users.")))
    hints = (
        "Click a job in a Gantt chart to see when it ran under each run, and why it waited.",
        "Click a user's row in a heatmap, a table row or a dot of a box-plot to see how the user fares.",
        "Shift+drag over a chart to see how busy the machine and its queue were in that time.",
        "Click the time axis, or press I, to see what ran and what waited at that instant.",
        "Esc clears the selection.",
    )
    return join([title(text("Nothing selected")), bullets(text(hint) for hint in hints)])


TIME_ANCHOR = "time"
"""Where the part about the picked time begins."""


@dataclass(frozen=True, eq=False)
class InspectorPage:
    """Text, and the waits of a job or the outcomes of several jobs under each run."""

    html: Html
    lanes: Sequence[JobLane] = ()
    outcomes: Sequence[RunOutcome] = ()


def make_page(subject: InspectorSubject | None, selection: Selection) -> InspectorPage:
    """Write the page; takes time in the number of jobs and runs, so not on the GUI thread."""
    value = subject.known(selection) if subject is not None else Selection()
    if subject is None or value.empty:
        return InspectorPage(hints_page(subject is not None))
    parts: list[Html] = []
    lanes: Sequence[JobLane] = ()
    outcomes: Sequence[RunOutcome] = ()
    picked = value.mask(subject.trace)
    # Nodes come first: with a node the jobs that run on it are picked as well.
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
    # The anchor lets a click on a time scroll to the part about it.
    if value.time_range is not None or value.instant is not None:
        parts.append(anchor(TIME_ANCHOR))
    if value.time_range is not None:
        parts.append(time_range_page(subject, *value.time_range))
    elif value.instant is not None:
        parts.append(instant_page(subject, value.instant))
    return InspectorPage(join([*parts, subject.footer]), lanes, outcomes)
