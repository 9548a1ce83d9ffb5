"""The page of a time range."""

from __future__ import annotations

import numpy as np

from views.format import percent
from views.inspector.html import Html, exactly, facts, faint, join, paragraph, run_name, table, text, title
from views.inspector.subject import Subject
from views.results import Result
from views.words import spell_count


def span_page(subject: Subject, start: float, end: float) -> Html:
    """What was submitted within the range, and how busy machine and queue were under each run."""
    submit = subject.trace.submit
    submitted = int(((submit >= start) & (submit <= end)).sum())
    parts = [
        title(text("Time range")),
        facts(
            (
                ("From", subject.when(start)),
                ("To", subject.when(end)),
                ("Length", exactly(round(end - start))),
                ("Submitted", text(spell_count(submitted))),
            )
        ),
    ]
    if subject.results:
        heads = ("Run", "Started", "Ended", "Running", "Waiting", "CPU use")
        parts.append(table(heads, ((run_name(r), *_busy(r, start, end)) for r in subject.results)))
        parts.append(paragraph(faint(text("Running, waiting: jobs at a time, on average."))))
    return join([*parts, subject.zone])


def _busy(result: Result, start: float, end: float) -> tuple[Html, ...]:
    schedule = result.schedule
    ran = schedule.ran
    begun, done, came = schedule.start[ran], schedule.end[ran], schedule.trace.submit[ran]
    length = max(end - start, 1.0)
    inside = np.clip(done, start, end) - np.clip(begun, start, end)
    queued = np.clip(begun, start, end) - np.clip(came, start, end)
    used = float((inside * schedule.procs[ran]).sum()) / (schedule.cluster.cpus * length)
    return (
        text(spell_count(int(((begun >= start) & (begun <= end)).sum()))),
        text(spell_count(int(((done >= start) & (done <= end)).sum()))),
        text(f"{inside.sum() / length:.1f}"),
        text(f"{queued.sum() / length:.1f}"),
        text(percent(100 * used)),
    )
