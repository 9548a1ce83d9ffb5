"""Setting marks: what a mark of the present selection is, and the way back to it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from app.model.documents.document import Picked
from app.model.models import Models
from app.model.picked_objects import name_picked, selection_of
from engine.schedule.schedule import Schedule
from engine.shown_text import with_kind
from engine.trace import Trace
from views.data.marks import TimeMark, numbered
from views.state.selection import Selection
from views.text.counts import plural
from views.text.ticks import axis_of

MOST_MARKED = 1000
"""Jobs that a mark is on; of more only their time is marked."""


def mark_of(models: Models, picked: Selection, time: float | None = None) -> TimeMark:
    """The mark of what is picked, else of a time, s, else of the instant in the middle of what is shown.

    Jobs are marked from the first submission to the last end under the first run, users and queues
    for the time that is shown.
    """
    study, clock = models.workbench.study, models.clock
    trace = study.trace
    # A mark is stored with its jobs: very many are left out.
    if len(picked.jobs) > MOST_MARKED:
        picked = replace(picked, jobs=frozenset(), users=frozenset())
    named = name_picked(picked, trace)
    # The explicit choice of a time wins; jobs have a time of their own; users and queues do not.
    if picked.time_range is not None:
        start, end = picked.time_range
    elif picked.instant is not None:
        start = end = picked.instant
    elif picked.jobs:
        schedule = next((run.result.schedule for run in models.workbench.finished()), None)
        start, end = _span_of(trace, schedule, picked)
    elif picked.users or picked.queues:
        start, end = clock.window
    else:
        start = end = time if time is not None else (clock.start + clock.end) / 2
    name = numbered(_name(named, trace, start), models.view.options.marks)
    return TimeMark(name, "", start, end, named.jobs, named.users, named.queues)


def add_mark(models: Models, mark: TimeMark) -> None:
    """Set a mark; they are in order of time."""
    marks = (*models.view.options.marks, mark)
    models.view.choose(marks=tuple(sorted(marks, key=lambda added: (added.start, added.end))))


def remove_mark(models: Models, mark: TimeMark) -> None:
    """Take a mark away."""
    models.view.choose(marks=tuple(kept for kept in models.view.options.marks if kept is not mark))


def go_to_mark(models: Models, mark: TimeMark) -> None:
    """Select what a mark is on, or its time, and bring it into sight."""
    study, clock = models.workbench.study, models.clock
    things = Picked(jobs=mark.jobs, users=mark.users, queues=mark.queues)
    picked = selection_of(things, study.trace)
    if mark.start < mark.end:
        clock.fit_range(mark.start, mark.end)
    else:
        clock.show_day(mark.start)
    # The jobs of the mark may not be in this trace: its time is selected instead.
    if picked.empty and mark.start < mark.end:
        picked = Selection(time_range=(mark.start, mark.end))
    elif picked.empty:
        picked = Selection(instant=mark.start)
    models.selection.select(picked)


def _span_of(trace: Trace, schedule: Schedule | None, picked: Selection) -> tuple[float, float]:
    jobs = picked.known_jobs(len(trace))
    start = float(trace.submit[jobs].min())
    ends = schedule.end[jobs][schedule.ran[jobs]] if schedule is not None else np.empty(0)
    return start, float(ends.max()) if len(ends) else start


def _name(named: Picked, trace: Trace, start: float) -> str:
    """The initial name of a mark."""
    if named.jobs:
        return f"job {named.jobs[0]}" if len(named.jobs) == 1 else plural(len(named.jobs), "job")
    for kind, names in (("user", named.users), ("queue", named.queues)):
        if names:
            return with_kind(kind, names[0]) if len(names) == 1 else plural(len(names), kind)
    return axis_of(trace).format(start)
