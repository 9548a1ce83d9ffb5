"""The command `now`: planned and simulated starts of the queue as it is, and why its jobs wait."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from app.cli.loading import open_trace
from app.cli.twin import site_of
from app.export.now_page import now_page
from app.export.output import aligned, check_output, print_json
from engine.atomic import write_atomically
from engine.errors import InputError
from engine.input import read_text
from engine.machine.cluster import parse_cluster
from engine.simulation.now import Forecast, Prediction, asked_job, predict
from engine.spelling import parse_duration
from engine.trace.queue_state import WAITING, QueuedJob, QueueState, read_queue_state
from views.text.values import duration

_MOST_BYTES = 256 << 20
_TITLES = (
    "job",
    "user",
    "account",
    "partition",
    "CPUs",
    "planned start",
    "median replay",
    "replays from",
    "to",
    "why",
)
_OF_JOB = ("job_id", "user", "account", "partition", "cpus", "reason")
_LEFT = (0, 1, 2, 3, 9)


def now(options: argparse.Namespace) -> None:
    """Print the waiting jobs in the order of their planned starts. Raises InputError."""
    check_output(options.output, ".html")
    asked = _asked(options)
    log = options.trace
    site = site_of(options)
    state = _read(options.from_file)
    used = None
    if log is not None:
        trace, _ = open_trace(options)
        used = np.minimum(trace.runtime / np.maximum(trace.walltime, 1), 1.0)
    jobs = list(state.jobs)
    if asked is not None:
        jobs.append(asked_job(jobs, asked))
    for note in state.notes if not options.quiet else ():
        print(f"{options.from_file}: {note}", file=sys.stderr)
    found = predict(
        site,
        jobs,
        replays=options.replays,
        cover=options.cover / 100,
        used=used,
        seed=options.seed or 0,
        seconds=options.seconds,
    )
    if found.replays < options.replays and not options.quiet:
        print(
            f"{found.replays:,} of {options.replays:,} replays were made in {options.seconds} s; --seconds "
            "gives them more time",
            file=sys.stderr,
        )
    if options.output is not None:
        rows = [_row(one, state.time) for one in found.waiting]
        page = now_page("Queue now", _summary(state, found, options), _TITLES, rows, _LEFT)
        write_atomically(options.output, lambda part: part.write_text(page, "utf-8", errors="replace"))
        if not options.quiet:
            print(f"wrote {options.output}", file=sys.stderr)
    if options.json:
        print_json(_document(state, found, options))
    elif options.output is None:
        print(_summary(state, found, options))
        shown = [one for one in found.waiting if asked is None or one.job.job_id == asked.job_id]
        if shown:
            print("\n".join(aligned([list(_TITLES), *(_row(one, state.time) for one in shown)], left=_LEFT)))


def _read(path: Path) -> QueueState:
    try:
        return read_queue_state(read_text(path, _MOST_BYTES), int(path.stat().st_mtime))
    except InputError as error:
        text = str(error)
        raise InputError(text if text.startswith(str(path)) else f"{path}: {text}") from error


def _asked(options: argparse.Namespace) -> QueuedJob | None:
    """The job of `--job 64c256g8gpu/12h`: resources a node, N nodes before an x, and its time limit."""
    if options.job is None:
        return None
    machine, slash, limit = options.job.partition("/")
    if not slash:
        raise InputError(f"--job {options.job}: expected resources and a time limit, like 2x64c256g/12h")
    try:
        (group,) = parse_cluster(machine).groups
        seconds = parse_duration(limit)
    except (InputError, ValueError) as error:
        raise InputError(f"--job {options.job}: {error}") from None
    partition = options.partition or ""
    gpus = dict(group.extra).get("gpu", 0)
    return QueuedJob(
        "new", options.user or "", "", partition, WAITING, "submitted now", 0, 0, seconds,
        group.cpus * group.count, group.count, group.ram or 0, gpus, False, "", "", None,
    )  # fmt: skip


def _summary(state: QueueState, found: Forecast, options: argparse.Namespace) -> str:
    running = sum(job.state == "running" for job in state.jobs)
    planned = sum(one.planned is not None for one in found.waiting)
    text = f"{running:,} jobs run, {len(found.waiting):,} wait, {planned:,} of these have a planned start; "
    if not found.replays:
        return text + "no replay was made"
    replays = f"{found.replays:,} replays" if found.replays > 1 else "one replay"
    return (
        f"{text}the span from-to holds {options.cover} % of {replays} in which no further job comes. It is "
        "not calibrated against real starts, which may lie outside it more often"
    )


def _moment(seconds: int | None, time: int | None) -> str:
    """A moment that is so many seconds from now: a date where the print says when it was made."""
    if seconds is None:
        return "–"
    if time is None:
        return f"in {duration(seconds)}"
    return datetime.fromtimestamp(time + seconds, UTC).strftime("%Y-%m-%d %H:%M")


def _row(one: Prediction, time: int | None) -> list[str]:
    job = one.job
    moments = [_moment(seconds, time) for seconds in (one.planned, one.expected, one.early, one.late)]
    return [job.job_id, job.user, job.account, job.partition, f"{job.cpus:,}", *moments, one.why]


def _document(state: QueueState, found: Forecast, options: argparse.Namespace) -> dict[str, object]:
    """The queue for programs; times in s from now. `cover` is a share of the replays, not of real starts."""
    return {
        "time": state.time,
        "replays": found.replays,
        "cover": options.cover / 100,
        "calibrated": False,
        "notes": list(state.notes),
        "running": sum(job.state == "running" for job in state.jobs),
        "waiting": [
            {
                **{key: value for key, value in asdict(one).items() if key != "job"},
                **{
                    key: getattr(one.job, key)
                    for key in ("job_id", "user", "account", "partition", "cpus", "reason")
                },
            }
            for one in found.waiting
        ],
    }
