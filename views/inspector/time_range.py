"""The page of a time range."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.metrics.available_capacity import processor_seconds
from engine.metrics.stays import stays_of_jobs
from views.data.results import Result
from views.inspector.html import (
    Html,
    exactly,
    facts,
    join,
    measure_link,
    paragraph,
    run_name,
    section,
    table,
    text,
    title,
    unbroken,
)
from views.inspector.subject import InspectorSubject
from views.text.counts import format_count
from views.text.values import NOTHING, brief, number, percent

_MOST_USERS = 5


def time_range_page(subject: InspectorSubject, start: float, end: float) -> Html:
    """Utilization and queue within the range under each run, and the outcome of the jobs submitted in it."""
    submit = subject.trace.submit
    came = (submit >= start) & (submit <= end)
    parts = [
        title(text("Time range")),
        facts(
            (
                ("From", subject.when(start)),
                ("To", subject.when(end)),
                ("Length", exactly(round(end - start))),
                ("Submitted", text(format_count(int(came.sum())))),
            )
        ),
    ]
    # The range is measured already: the link then leads back to all jobs.
    if subject.measured == (round(start), round(end)):
        parts.append(
            paragraph(
                join((text("Metrics are limited to this range."), measure_link("Measure all", None)), " ")
            )
        )
    else:
        parts.append(paragraph(measure_link("Limit metrics to this range", (start, end))))
    if subject.results:
        # Two tables, because seven columns do not fit a panel of the usual width.
        rows = [(run_name(r), *_busy(r, start, end)) for r in subject.results]
        parts.append(table(("Run", "Started", "Ended", "CPU use"), (row[:4] for row in rows)))
        parts.append(section(text("Jobs at a time, on average")))
        parts.append(table(("Run", "Running", "Waiting"), ((row[0], *row[4:]) for row in rows)))
        parts.append(section(text("Of the jobs submitted")))
        fared = ("Run", "Late jobs", "Mean wait", "P95 wait")
        parts.append(table(fared, ((run_name(r), *_fared(r, came)) for r in subject.results)))
        parts.append(section(text("Busiest users")))
        parts += [_busiest(subject, r, start, end) for r in subject.results]
    return join(parts)


def _busy(result: Result, start: float, end: float) -> tuple[Html, ...]:
    """Runs started and ended, processors in use in % of those up, and jobs that run and wait on average."""
    schedule = result.schedule
    stays = stays_of_jobs(schedule, np.flatnonzero(schedule.ran))
    length = max(end - start, 1.0)
    inside = np.clip(stays.end, start, end) - np.clip(stays.start, start, end)
    queued = np.clip(stays.start, start, end) - np.clip(stays.came, start, end)
    used = float((inside * stays.procs).sum())
    there = processor_seconds(schedule.cluster, schedule.outages, round(start), round(end))
    return (
        text(format_count(int(((stays.start >= start) & (stays.start <= end)).sum()))),
        text(format_count(int(((stays.end >= start) & (stays.end <= end)).sum()))),
        text(percent(100 * used / there) if there > 0 else NOTHING),
        text(f"{inside.sum() / length:.1f}"),
        text(f"{queued.sum() / length:.1f}"),
    )


def _fared(result: Result, came: NDArray[np.bool_]) -> tuple[Html, ...]:
    """Three cells about the jobs that were run: how many are late, mean and 95th percentile of waits."""
    ran = came & result.schedule.ran
    wait = result.schedule.wait[ran]
    if len(wait) == 0:
        return text(NOTHING), text(NOTHING), text(NOTHING)
    late = None if result.violations is None else int(result.violations.violated[ran].sum())
    p95 = float(np.quantile(wait, 0.95))
    return text(number(late)), unbroken(brief(float(wait.mean()))), unbroken(brief(p95))


def _busiest(subject: InspectorSubject, result: Result, start: float, end: float) -> Html:
    """The users with most processor time within the range, as shares of the used time."""
    schedule, trace = result.schedule, subject.trace
    inside = np.clip(schedule.end, start, end) - np.clip(schedule.start, start, end)
    used = np.where(schedule.ran, inside * schedule.procs, 0.0)
    users = np.bincount(trace.user.codes, used, len(trace.user.names))
    whole = float(users.sum())
    named = subject.top_users(users, _MOST_USERS, lambda value: percent(100 * value / whole))
    return paragraph(Html(f"{run_name(result)}: {named if whole > 0 else text('nobody')}"))
