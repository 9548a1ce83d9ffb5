"""A table of the waiting jobs in the current queue, as text for the terminal and for the page for users."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from app.export.now_page import now_page
from engine.atomic import write_atomically
from engine.logs.queue.state import RUNNING
from engine.now.prediction import Prediction
from engine.now.queue_forecast import QueueForecast
from engine.now.spans_meaning import spans_meaning
from engine.shown_text import shown_name
from engine.words import format_count, format_seconds
from views.text.values import NOTHING, duration

NOW_TITLES = (
    "job",
    "user",
    "account",
    "partition",
    "CPUs",
    "planned start",
    "expected start",
    "span from",
    "to",
    "why",
)
NOW_WORDS = (0, 1, 2, 3, 9)
"""The columns that are words."""


def now_row(prediction: Prediction, time: int | None) -> list[str]:
    """A waiting job as NOW_TITLES head it; `time` is when the queue was printed, in Unix seconds."""
    job = prediction.job
    moments = [
        format_moment(seconds, time)
        for seconds in (prediction.planned, prediction.expected, prediction.early, prediction.late)
    ]
    named = map(shown_name, (job.job_id, job.user, job.account, job.partition))
    return [*named, format_count(job.cpus), *moments, prediction.why]


def now_summary(answer: QueueForecast) -> str:
    """The numbers of running and waiting jobs, and the meaning of spans: how often they hold, if known."""
    found = answer.forecast
    running = sum(job.state == RUNNING for job in answer.state.jobs)
    if not found.waiting:
        return f"running jobs: {format_count(running)}; none waits"
    planned = sum(prediction.planned is not None for prediction in found.waiting)
    counts = [format_count(count) for count in (running, len(found.waiting), planned)]
    text = "running jobs: {}, waiting: {}, of these with a planned start: {}".format(*counts)
    return f"{text}; {spans_meaning(answer, 'the span from-to')}"


def write_now_page(path: Path, answer: QueueForecast) -> None:
    """Write the page for users. Raises OSError."""
    rows = [now_row(prediction, answer.state.time) for prediction in answer.forecast.waiting]
    page = now_page("Queue now", now_summary(answer), NOW_TITLES, rows, NOW_WORDS)
    write_atomically(path, lambda part: part.write_text(page, "utf-8"))


def moment_and_delay(seconds: int | None, time: int | None) -> str:
    """A moment so many seconds from now, for a sentence: its date, if known, and how far off it is."""
    if seconds is None:
        return "not known"
    if seconds < 60:
        return "now"
    ahead = f"in {format_seconds(seconds)}"
    return ahead if time is None else f"{format_moment(seconds, time)} UTC ({ahead})"


def format_moment(seconds: int | None, time: int | None) -> str:
    """A moment that is so many seconds from now: a date where the print says when it was made."""
    if seconds is None:
        return NOTHING
    if time is None:
        return f"in {duration(seconds)}"
    return datetime.fromtimestamp(time + seconds, UTC).strftime("%Y-%m-%d %H:%M")
