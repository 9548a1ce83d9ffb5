"""The command `queue`: who waits at an instant, and when each is planned to start, as an extended qstat."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from textwrap import fill

from app.cli.answer_text import answer_text
from app.cli.commands import simulated
from app.cli.loading import open_log, policy_of
from app.export.output import aligned, check_output, print_json
from app.export.queue_page import PAGE_BEGINS, queue_page
from engine.answer import Answer
from engine.answer.brief import brief_answer
from engine.atomic import write_atomically
from engine.dates import date_of, parse_time
from engine.errors import InputError
from engine.now.instant_job import InstantJob
from engine.now.instant_queue import SPREAD, Fact, InstantQueue, queue_at
from engine.now.queue_forecast import Replaying
from engine.shown_text import shown_name
from engine.trace import Trace
from engine.words import format_count, plural
from views.text.values import NOTHING, duration

Titles = Sequence[tuple[str, str]]

_TITLES = (
    ("job_id", "job"),
    ("user", "user"),
    ("queue", "queue"),
    ("procs", "procs"),
    ("ram_mib", "RAM MiB"),
    ("submit", "submitted"),
    ("waited", "waited"),
    ("planned_start", "planned start"),
    ("planned_end", "planned end"),
    ("early_start", "replays: from"),
    ("median_start", "median"),
    ("late_start", "to"),
    ("like_jobs", "like jobs so far"),
)
_TIMES = ("submit", "planned_start", "planned_end", *SPREAD)
_LEFT = ("user", "queue", "like_jobs")


def queue(options: argparse.Namespace) -> None:
    """Print the waiting jobs with their planned starts, in that order; jobs without a planned start come
    last.
    """
    policy = policy_of(options.policy, options)  # raises its errors before the trace is read
    opened = open_log(options, [policy])
    trace = opened.trace
    time = parse_time(options.at, trace)
    if time is None:
        raise InputError("--at: no time; give seconds or an ISO date like 2013-02-28T14:30")
    check_output(options.output, ".html", begins=PAGE_BEGINS, force=options.force)
    if options.method and options.answer is None:
        raise InputError("--method: give a job to answer about: --answer ID")
    schedule = simulated(opened, policy, options, log=True)
    how = Replaying(
        options.replays,
        options.cover / 100,
        seed=options.seed or 0,
        arrivals=not options.no_arrivals,
        instants=options.calibrate,
    )
    queue_answer = queue_at(schedule, time, how)
    reply = None if options.answer is None else _answer(queue_answer, options.answer)
    titles = tuple(title for title in _TITLES if how.replays or title[0] not in SPREAD)
    rows = [[_cell(trace, name, job.get(name)) for name, _ in titles] for job in queue_answer.rows]
    instant = queue_answer.instant
    running, used, waiting = map(format_count, (len(instant.running), instant.used, len(queue_answer.rows)))
    summary = (
        f"{opened.name(policy)} at {moment_text(trace, time)}: {running} running on {used} of "
        f"{plural(schedule.cluster.cpus, 'processor')}, {waiting} waiting"
    )
    if options.output is not None:
        note = (
            f"Planned starts of {trace.shown_name} under {policy.spelling}, simulated by Batchscope; times "
            f"are of {trace.timezone}. {queue_answer.note}"
        )
        _write_page(options.output, f"Queue of {trace.shown_name}", summary, titles, rows, note)
        if not options.quiet:
            print(f"wrote {options.output}", file=sys.stderr)
    if options.json:
        print_json({**queue_answer.facts(), **({} if reply is None else {"answer": _answer_document(reply)})})
    elif reply is not None:
        print(answer_text(reply, method=options.method))
    elif options.output is None:
        print(summary)
        if rows:
            print("\n".join(_lines(titles, rows)))
            print(f"\n{fill(queue_answer.note, 110)}")


def _answer(queue_answer: InstantQueue, job_id: str) -> Answer[InstantJob]:
    """The answer for the waiting job of that id. Raises InputError."""
    job = queue_answer.waiting_job(job_id)
    if job is None:
        raise InputError(f"--answer {job_id}: no job with this id waits at that time")
    waiting = InstantJob(queue_answer, job, partial(moment_text, queue_answer.trace))
    return Answer(waiting, waiting.tried())


def _answer_document(reply: Answer[InstantJob]) -> dict[str, object]:
    """The answer for programs; `waited` in s so far."""
    row = {"job_id": reply.of.queue.trace.shown_id(reply.of.job), "waited": reply.waited}
    what_if = [asdict(outcome) for outcome in reply.outcomes or ()]
    return {**row, "what_if": what_if, "brief": brief_answer(reply), "text": reply.text}


def _write_page(
    path: Path, title: str, summary: str, titles: Titles, rows: list[list[str]], note: str
) -> None:
    """A page for browsers. Raises OSError."""
    left = [name in _LEFT for name, _ in titles]
    page = queue_page(title, summary, [title for _, title in titles], rows, left, note)
    write_atomically(path, lambda part: part.write_text(page, "utf-8"))


def _lines(titles: Titles, jobs: list[list[str]]) -> list[str]:
    """A line of titles and a line for each job, in columns."""
    rows = [[title for _, title in titles], *jobs]
    return aligned(rows, left=[index for index, (name, _) in enumerate(titles) if name in _LEFT])


def _cell(trace: Trace, name: str, value: Fact) -> str:
    if value is None:
        return NOTHING
    if isinstance(value, int) and name in _TIMES:
        return moment_text(trace, value)
    return duration(value) if isinstance(value, int) and name == "waited" else shown_name(value)


def moment_text(trace: Trace, seconds: int) -> str:
    """A time of the trace as a date, or in seconds where the log has no dates."""
    moment = date_of(trace, seconds)
    return f"{format_count(seconds)} s" if moment is None else f"{moment:%Y-%m-%d %H:%M:%S}"
