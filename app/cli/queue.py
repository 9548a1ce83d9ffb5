"""The command `queue`: who waits at an instant, and when each is planned to start, as an extended qstat."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from textwrap import fill

from app.cli.commands import simulated
from app.cli.loading import open_log, policy_of
from app.export.output import aligned, check_output, print_json
from app.export.queue_page import queue_page
from engine.atomic import write_atomically
from engine.dates import date_of, parse_time
from engine.errors import InputError
from engine.now.log_spans import INSTANTS, LogSpans
from engine.now.prediction import within
from engine.now.schedule_spans import calibrated_spreads, learn_schedule_spans, planned_instant
from engine.now.start_spread import Draws, start_spreads
from engine.schedule.instant import Instant
from engine.schedule.predictions import TOLERANCE
from engine.schedule.schedule import Schedule
from engine.schedule.track_record import LikeJobs, track_record_of
from engine.shown_text import shown_name
from engine.trace import MISSING, Trace
from engine.words import counted
from views.text.values import NOTHING, duration

Fact = int | str | None | LikeJobs
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
_SPREAD = ("early_start", "median_start", "late_start")
_TIMES = ("submit", "planned_start", "planned_end", *_SPREAD)
_LEFT = ("user", "queue", "like_jobs")
_SO_FAR = (
    "Planned starts go by requested walltimes. Beside them stands how the first planned starts of jobs with "
    f"like walltimes that had started by then came true; within {TOLERANCE} s is on time."
)

_CALIBRATION_S = 2.0
"""s that calibrating takes where nobody has asked for a number of instants."""


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
    check_output(options.output, ".html")
    schedule = simulated(opened, policy, options, log=True)
    instant = planned_instant(schedule, time)
    waiting = waiting_jobs(schedule, instant)
    titles: Titles = _TITLES
    learned = LogSpans(None, "")
    if options.replays:
        learned = _add_spreads(waiting, schedule, instant, options)
    else:
        titles = tuple(title for title in _TITLES if title[0] not in _SPREAD)
    rows = [[_cell(trace, name, job[name]) for name, _ in titles] for job in waiting]
    summary = (
        f"{opened.name(policy)} at {moment_text(trace, time)}: {len(instant.running):,} running on "
        f"{instant.used:,} of {counted(schedule.cluster.cpus, 'processor')}, {len(waiting):,} waiting"
    )
    if options.output is not None:
        note = (
            f"Planned starts of {trace.shown_name} under {policy.spelling}, simulated by Batchscope; times "
            f"are of {trace.timezone}. {_note(options, learned)}"
        )
        _write_page(options.output, f"Queue of {trace.shown_name}", summary, titles, rows, note)
        if not options.quiet:
            print(f"wrote {options.output}", file=sys.stderr)
    if options.json:
        facts = {"trace": trace.name, "policy": policy.spelling, "at": time, "timezone": trace.timezone}
        counts = {"zero": trace.zero, "running": len(instant.running), "free_procs": instant.free}
        spans = {
            "replays": options.replays,
            "calibrated": learned.by is not None,
            "cover": learned.share if learned.by is not None else None,
            "evidence": learned.words,
        }
        print_json(
            {**facts, **counts, **(spans if options.replays else {}), "waiting": list(map(_as_json, waiting))}
        )
    elif options.output is None:
        print(summary)
        if rows:
            print("\n".join(_lines(titles, rows)))
            print(f"\n{fill(_note(options, learned), 110)}")


def _add_spreads(
    waiting: list[dict[str, Fact]], schedule: Schedule, instant: Instant, options: argparse.Namespace
) -> LogSpans:
    """Add the span and the median of starts in replays to each job, calibrated where that can be done.

    What earlier instants of the schedule say of spans comes back. Raises InputError.
    """
    draws = Draws(options.replays, options.cover / 100, options.seed or 0)
    found = start_spreads(schedule, instant, draws)
    learned = LogSpans(None, "")
    if options.calibrate != 0 and found:
        asked = options.calibrate is not None
        enough = (lambda _: False) if asked else within(_CALIBRATION_S)
        instants = options.calibrate if asked else INSTANTS
        learned = learn_schedule_spans(schedule, instant.time, draws, instants, enough)
        if learned.by is not None:
            found = calibrated_spreads(found, schedule, instant, learned.by)
    ids = schedule.trace.job_id
    by_id = {str(ids[job]): spread for job, spread in found.items()}
    for job in waiting:
        spread = by_id.get(str(job["job_id"]))
        job |= dict(zip(_SPREAD, (None,) * 3 if spread is None else spread, strict=True))
    return learned


def _note(options: argparse.Namespace, learned: LogSpans) -> str:
    """What the times of the table are."""
    if not options.replays:
        return _SO_FAR
    text = (
        f"{_SO_FAR} From, median and to are of {options.replays:,} replays in which jobs run for such parts "
        "of their walltimes as jobs that had ended by then, and no further job comes"
    )
    if learned.by is not None:
        return f"{text}; they are calibrated {learned.words}."
    why = f" ({learned.words})" if learned.words else ""
    return (
        f"{text}. From and to hold most of the replays. They are not calibrated, so how many starts are "
        f"within them is not known{why}."
    )


def _write_page(
    path: Path, title: str, summary: str, titles: Titles, rows: list[list[str]], note: str
) -> None:
    """A page for browsers. Raises OSError."""
    left = [name in _LEFT for name, _ in titles]
    page = queue_page(title, summary, [title for _, title in titles], rows, left, note)
    write_atomically(path, lambda part: part.write_text(page, "utf-8"))


def waiting_jobs(schedule: Schedule, instant: Instant) -> list[dict[str, Fact]]:
    """The fields of each waiting job; times in s from the trace's zero, None: not known.

    The planned start is the policy's latest plan by then, the planned end adds the runtime estimated at
    submission. `like_jobs` is the accuracy of the first planned starts of similar jobs, as far as known by
    then.
    """
    trace = schedule.trace
    start = dict(zip(instant.planned.tolist(), instant.promised.tolist(), strict=True))
    record = track_record_of(schedule).of(instant.planned, instant.time)
    so_far = dict(zip(start, record, strict=True))
    rows: list[dict[str, Fact]] = []
    for job in [*start, *(job for job in instant.waiting.tolist() if job not in start)]:
        length = MISSING if schedule.estimate is None else int(schedule.estimate[job])
        planned = start.get(job)
        rows.append(
            {
                "job_id": trace.job_id[job].item()
                if hasattr(trace.job_id[job], "item")
                else trace.job_id[job],
                "user": trace.user.names[trace.user.codes[job]],
                "queue": trace.queue.names[trace.queue.codes[job]],
                "procs": int(trace.procs[job]),
                "ram_mib": int(trace.ram[job]) if trace.ram[job] != MISSING else None,
                "submit": int(schedule.submit[job]),
                "waited": instant.time - int(schedule.submit[job]),
                "planned_start": planned,
                "planned_end": None if planned is None or length == MISSING else planned + length,
                "like_jobs": so_far.get(job),
            }
        )
    return rows


def _as_json(job: dict[str, Fact]) -> dict[str, object]:
    return {
        name: {"count": value.count, **value.accuracy._asdict()} if isinstance(value, LikeJobs) else value
        for name, value in job.items()
    }


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
    return f"{seconds:,} s" if moment is None else f"{moment:%Y-%m-%d %H:%M:%S}"
