"""The command `now`: planned and simulated starts of the queue as it is, and why its jobs wait."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli.answer_text import answer_text
from app.cli.loading import open_log
from app.export.now_map import write_map
from app.export.now_table import (
    NOW_TITLES,
    NOW_WORDS,
    moment_and_delay,
    now_row,
    now_summary,
    write_now_page,
)
from app.export.output import aligned, check_output, print_json
from app.export.queue_page import PAGE_BEGINS
from app.model.queue_source import queues_of_command
from engine import api
from engine.answer import Answer, QueueNow, WaitingJob, answer
from engine.answer.brief import brief_answer
from engine.errors import InputError
from engine.logs.queue.clusters import queue_of_cluster
from engine.logs.queue.state import QueuedJob, QueueState
from engine.now.queue_forecast import QueueForecast
from engine.now.site_queue import job_spelled, queues_in, site_named
from engine.now.spans_meaning import spans_meaning
from engine.now.start_map import map_of
from engine.policy.policy import site_policy
from engine.shown_text import shown_name
from engine.slurm.site.site import Site
from engine.words import clip

if TYPE_CHECKING:
    from engine.now.log_spans import LogSpans
    from engine.reading.log import Log


def now(options: argparse.Namespace) -> None:
    """Print the waiting jobs in the order of their planned starts. Raises InputError."""
    # A published queue is renewed until the process ends, and so is a path of its own.
    if options.every is not None:
        from app.cli.site.publish import publish

        _check_published(options)
        return publish(options, _Renewed(options))
    # Options that would have no effect are refused before anything is read.
    if option := next((f"--{name}" for name in ("public", "metrics") if getattr(options, name)), ""):
        raise InputError(f"{option} is for a queue that is renewed: give --every SECONDS too")
    check_output(options.output, ".html", begins=PAGE_BEGINS, force=options.force)
    check_output(options.map, ".pdf", ".svg", ".png", force=options.force)
    asked = _asked(options)
    if options.map is not None and asked is None:
        raise InputError("--map: give a job to draw it for, like --job 1c/1h")
    if options.method and asked is None and options.answer is None:
        raise InputError("--method: give a job to answer about: --answer ID, or --job 1c/1h")
    sites = _sites(options)
    states, source = _states(options)
    # The open log only teaches runtimes and spans, so nothing is told about its reading.
    log = None if options.trace is None else open_log(options, list(map(site_policy, sites)), tells=False)
    answers = api.now_by_cluster(sites, states, log, job=asked, **_how(options, log))
    if not options.quiet:
        for forecast in answers.values():
            _tell_notes(forecast, source, options)
    if len(states) == 1:
        _show(answers[states[0].cluster], asked, source, options)
    elif options.json:
        print_json({"clusters": {name: forecast.facts() for name, forecast in answers.items()}})
    else:
        tables = ([f"cluster {shown_name(name)}", *_lines(forecast)] for name, forecast in answers.items())
        print("\n\n".join("\n".join(lines) for lines in tables))


def _how(options: argparse.Namespace, log: Log | None) -> dict[str, Any]:
    """How the question is asked: the options of `api.now` that are the same for all queues."""
    return {
        "machine": None if log is not None else options.cluster,
        "timezone": options.timezone or "",
        "keep": options.keep,
        "replays": options.replays,
        "cover": options.cover / 100,
        "seconds": options.seconds,
        "seed": options.seed or 0,
        "arrivals": options.arrivals,
        "instants": options.calibrate,
    }


def _check_published(options: argparse.Namespace) -> None:
    """Raise InputError where `--every` lacks a folder, or is given with what is for a single answer."""
    if options.output is None:
        raise InputError("--every: name the folder in which the queue is published: -o DIR")
    for name in ("job", "answer", "map", "json", "at"):
        if getattr(options, name) not in (None, False):
            raise InputError(f"--{name} is for a single answer: leave it out, or --every")
    _sites(options)  # a site that cannot be read is an error at once, and no page


class _Renewed:
    """The question as it is asked each time: files are read anew, but a log only where it has changed."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._log: Log | None = None
        self._seen: tuple[int, int] | None = None
        self._learned: LogSpans | None = None

    def __call__(self) -> QueueForecast:
        """The answer for the queue as it is. Raises InputError, OSError."""
        options = self._options
        sites = _sites(options)  # shares and limits of a site change as it is used
        (state,), _ = _states(options)
        self._read_log(sites)
        how = _how(options, self._log)
        forecast = api.now(sites, state, self._log, learned=self._learned, **how)
        # Calibrating spans takes longer than all else, and a log does not change from minute to minute.
        self._learned = forecast.learned
        return forecast

    def _read_log(self, sites: Sequence[Site]) -> None:
        """Read the log at first, and where its file has been replaced."""
        path = self._options.trace
        if path is None:
            return
        about = Path(path).stat()
        if self._seen != (about.st_mtime_ns, about.st_size):
            self._log = open_log(self._options, list(map(site_policy, sites)), tells=False)
            self._seen, self._learned = (about.st_mtime_ns, about.st_size), None


def _show(forecast: QueueForecast, asked: QueuedJob | None, source: str, options: argparse.Namespace) -> None:
    """Print the answer of a cluster, or write it to the files that are asked for."""
    # The answer may refuse the job, so it is made before anything is written.
    reply = None if options.answer is None else _answer(forecast, options.answer)
    if options.output is not None:
        write_now_page(options.output, forecast)
        _tell_written(options.output, options)
    if options.map is not None and asked is not None:
        queue = forecast.queue
        write_map(map_of(queue.site, queue.state.jobs, queue.fitted(asked)), options.map, Path(source).name)
        _tell_written(options.map, options)
    # Each form of output excludes the next: a document, the answer alone, or the table.
    if options.json:
        print_json({**forecast.facts(), **({} if reply is None else {"answer": _answer_document(reply)})})
    elif reply is not None:
        print(answer_text(reply, method=options.method))
    elif options.output is None:
        print("\n".join(_lines(forecast)))
        if asked is not None and forecast.refused is None:
            print(f"\n{answer_text(_answer(forecast, asked.job_id), method=options.method)}")


def _lines(forecast: QueueForecast) -> list[str]:
    """The summary, the track record, and the waiting jobs, or the job that was asked about alone."""
    lines = [now_summary(forecast), *([forecast.track_record] if forecast.track_record else [])]
    if forecast.refused is not None:
        return [*lines, f"{forecast.refused.text}."]
    shown = [
        each for each in forecast.forecast.waiting if forecast.asked is None or each.job is forecast.asked
    ]
    rows = [now_row(prediction, forecast.state.time) for prediction in shown]
    return lines + (aligned([list(NOW_TITLES), *rows], left=NOW_WORDS) if rows else [])


def _tell_notes(forecast: QueueForecast, source: str, options: argparse.Namespace) -> None:
    """What was not read, and whether time sufficed for all replays, on standard error."""
    cluster = f", cluster {shown_name(forecast.state.cluster)}" if forecast.state.cluster else ""
    for note in forecast.state.notes:
        print(f"{source}{cluster}: {note}", file=sys.stderr)
    made = forecast.forecast.replays
    if made < options.replays:
        print(
            f"{source}{cluster}: {made:,} of {options.replays:,} replays were made in {options.seconds} s; "
            "--seconds gives them more time",
            file=sys.stderr,
        )


def _tell_written(path: Path, options: argparse.Namespace) -> None:
    if not options.quiet:
        print(f"wrote {path}", file=sys.stderr)


def _answer(forecast: QueueForecast, job_id: str) -> Answer[WaitingJob]:
    """The answer for the job of that id. Raises InputError."""
    moment = partial(moment_and_delay, time=forecast.state.time)
    queue = QueueNow(forecast, moment, spans_meaning(forecast))
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
        "brief": brief_answer(reply),
        "text": reply.text,
    }


def _states(options: argparse.Namespace) -> tuple[list[QueueState], str]:
    """The queues of the chosen clusters, and how their source is called. Raises InputError."""
    every, source = _source(options)
    names = [name.strip() for name in (options.clusters or "").split(",") if name.strip()]
    if options.clusters is not None and not names:
        raise InputError("--clusters: name a cluster, as squeue -M prints it")
    try:
        states = [queue_of_cluster(every, name) for name in dict.fromkeys(names)] if names else list(every)
    except InputError as error:
        raise InputError(f"--clusters: {error}") from None
    if len(states) > 1:
        # Ids of jobs, and the request of a new job, need a single cluster: several may use the same id.
        alone = {"--job": options.job, "--map": options.map, "--answer": options.answer}
        alone |= {"--keep": options.keep, "--output": options.output}
        if option := next((name for name, value in alone.items() if value is not None), ""):
            clusters = ", ".join(shown_name(state.cluster) for state in states)
            raise InputError(f"{option} is for one cluster of {clusters}: choose it with --clusters")
    return states, source


def _source(options: argparse.Namespace) -> tuple[Sequence[QueueState], str]:
    """The queues of the file or of the command, and how the source is called. Raises InputError."""
    if (options.from_file is None) == (options.command_line is None):
        raise InputError("give the queue: either --from-file FILE or --command 'squeue --json'")
    if options.command_line is None:
        return queues_in(options.from_file, options.at or "", options.timezone or ""), str(options.from_file)
    if options.at is not None:
        raise InputError("--at is for --from-file: what a command prints is of now")
    source = f"--command {clip(options.command_line)}"
    return queues_of_command(options.command_line, source, options.wait), source


def _sites(options: argparse.Namespace) -> list[Site]:
    """The sites of the options; else `--cluster` is the site, and no other machine. Raises InputError."""
    if not options.site and not options.cluster:
        raise InputError("give the site's files: --site DIR, or --cluster slurm.conf")
    if not options.site:
        options.site, options.cluster = [options.cluster], None
    return [site_named(str(site)) for site in options.site]


def _asked(options: argparse.Namespace) -> QueuedJob | None:
    """The job of `--job 64c256g8gpu/12h`, of a user and in a partition. Raises InputError."""
    if options.job is None:
        return None
    try:
        job = job_spelled(options.job)
    except InputError as error:
        raise InputError(f"--job {error}") from None
    return replace(job, user=options.user or "", partition=options.partition or "")
