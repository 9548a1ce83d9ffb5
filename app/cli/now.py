"""The command `now`: planned and simulated starts of the queue as it is, and why its jobs wait."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

from app.cli.loading import open_log
from app.export.now_map import write_map
from app.export.now_table import (
    NOW_TITLES,
    NOW_WORDS,
    moment_and_delay,
    now_row,
    now_summary,
    spans_meaning,
    write_now_page,
)
from app.export.output import aligned, check_output, print_json
from app.model.queue_source import queue_of_command
from engine import api
from engine.answer import Answer, QueueNow, WaitingJob, answer
from engine.errors import InputError
from engine.now.queue_forecast import QueueForecast
from engine.now.site_queue import job_spelled, site_named
from engine.now.start_map import map_of
from engine.policy.policy import site_policy
from engine.slurm.site.site import Site
from engine.trace.queue_state import QueuedJob, QueueState, read_queue_at
from engine.words import clip


def now(options: argparse.Namespace) -> None:
    """Print the waiting jobs in the order of their planned starts. Raises InputError."""
    check_output(options.output, ".html")
    check_output(options.map, ".pdf", ".svg", ".png")
    asked = _asked(options)
    if options.map is not None and asked is None:
        raise InputError("--map: give a job to draw it for, like --job 1c/1h")
    site = _site(options)
    state, source = _state(options)
    log = None if options.trace is None else open_log(options, [site_policy(site)], tells=False)
    found = api.now(
        site,
        state,
        log,
        job=asked,
        machine=None if log is not None else options.cluster,
        timezone=options.timezone or "",
        keep=options.keep,
        replays=options.replays,
        cover=options.cover / 100,
        seconds=options.seconds,
        seed=options.seed or 0,
        arrivals=options.arrivals,
        instants=options.calibrate,
    )
    if not options.quiet:
        _tell_notes(found, source, options)
    reply = None if options.answer is None else _answer(found, options.answer)
    if options.output is not None:
        write_now_page(options.output, found)
        _tell_written(options.output, options)
    if options.map is not None and asked is not None:
        queue = found.queue
        write_map(map_of(queue.site, queue.state.jobs, queue.fitted(asked)), options.map, Path(source).name)
        _tell_written(options.map, options)
    if options.json:
        print_json({**found.facts(), **({} if reply is None else {"answer": _answer_document(reply)})})
    elif reply is not None:
        print(reply.text)
    elif options.output is None:
        print("\n".join(_lines(found)))


def _lines(found: QueueForecast) -> list[str]:
    """The summary, the track record, and the waiting jobs, or the job that was asked about alone."""
    lines = [now_summary(found), *([found.track_record] if found.track_record else [])]
    if found.refused is not None:
        return [*lines, f"{found.refused.text}."]
    shown = [each for each in found.forecast.waiting if found.asked is None or each.job is found.asked]
    rows = [now_row(prediction, found.state.time) for prediction in shown]
    return lines + (aligned([list(NOW_TITLES), *rows], left=NOW_WORDS) if rows else [])


def _tell_notes(found: QueueForecast, source: str, options: argparse.Namespace) -> None:
    """What was not read, and whether time sufficed for all replays, on standard error."""
    for note in found.state.notes:
        print(f"{source}: {note}", file=sys.stderr)
    made = found.forecast.replays
    if made < options.replays:
        print(
            f"{made:,} of {options.replays:,} replays were made in {options.seconds} s; --seconds gives them "
            "more time",
            file=sys.stderr,
        )


def _tell_written(path: Path, options: argparse.Namespace) -> None:
    if not options.quiet:
        print(f"wrote {path}", file=sys.stderr)


def _answer(found: QueueForecast, job_id: str) -> Answer[WaitingJob]:
    """The answer for the job of that id. Raises InputError."""
    moment = partial(moment_and_delay, time=found.state.time)
    queue = QueueNow(found, moment, f"{spans_meaning(found.forecast, 'this span')}.")
    job = queue.job(job_id)
    if job is None:
        raise InputError(f"--answer {job_id}: the queue has no job with this id")
    return answer(queue, job)


def _answer_document(reply: Answer[WaitingJob]) -> dict[str, object]:
    """The answer for programs; times in s from now, `waited` in s so far."""
    prediction = reply.of.queue.prediction(reply.of.job)
    return {
        "job_id": reply.of.job.job_id,
        "waited": reply.waited,
        "planned": None if prediction is None else prediction.planned,
        "what_if": [asdict(outcome) for outcome in reply.outcomes or ()],
        "text": reply.text,
    }


def _state(options: argparse.Namespace) -> tuple[QueueState, str]:
    """The queue of the file or of the command, and how the source is called. Raises InputError."""
    if (options.from_file is None) == (options.command_line is None):
        raise InputError("give the queue: either --from-file FILE or --command 'squeue --json'")
    if options.command_line is None:
        return read_queue_at(options.from_file), str(options.from_file)
    source = f"--command {clip(options.command_line)}"
    return queue_of_command(options.command_line, source, options.wait), source


def _site(options: argparse.Namespace) -> Site:
    """The site of the options; else `--cluster` is the site, and no other machine. Raises InputError."""
    if options.site is None and not options.cluster:
        raise InputError("give the site's files: --site DIR, or --cluster slurm.conf")
    if options.site is None:
        options.site, options.cluster = options.cluster, None
    return site_named(str(options.site))


def _asked(options: argparse.Namespace) -> QueuedJob | None:
    """The job of `--job 64c256g8gpu/12h`, of a user and in a partition. Raises InputError."""
    if options.job is None:
        return None
    try:
        job = job_spelled(options.job)
    except InputError as error:
        raise InputError(f"--job {error}") from None
    return replace(job, user=options.user or "", partition=options.partition or "")
