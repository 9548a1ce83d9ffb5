"""The command `now`: planned and simulated starts of the queue as it is, and why its jobs wait."""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

from app.cli.loading import open_log
from app.cli.twin import site_of
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
from engine.answer import Answer, QueueNow, WaitingJob, answer
from engine.errors import InputError
from engine.input import exists
from engine.machine.cluster import parse_cluster
from engine.now.kept import read_own, score_of, write_kept
from engine.now.log_arrivals import past_of
from engine.now.log_spans import INSTANTS, LogSpans, learn_spans, with_spans
from engine.now.prediction import Forecast, Past, asked_job, predict, within
from engine.now.queue_doubts import queue_doubts
from engine.now.spans import predicted_and_kept
from engine.now.start_map import map_of
from engine.policy.policy import site_policy
from engine.slurm.scheduler.refusals import refusal_of
from engine.slurm.site.site import Site, site_of_machine
from engine.spelling import parse_duration
from engine.trace import Trace
from engine.trace.queue_state import NEW, WAITING, QueuedJob, QueueState, clock_of, new_job, read_queue_at
from engine.words import clip, plural

_CALIBRATION_S, _WITH_ARRIVALS_S = 2.0, 10.0
"""s that calibrating on a log takes where nobody has asked for a number of instants.

Replays in which further jobs come take several times as long.
"""


def now(options: argparse.Namespace) -> None:
    """Print the waiting jobs in the order of their planned starts. Raises InputError."""
    check_output(options.output, ".html")
    check_output(options.map, ".pdf", ".svg", ".png")
    asked = _asked(options)
    if options.map is not None and asked is None:
        raise InputError("--map: give a job to draw it for, like --job 1c/1h")
    log = options.trace
    site = _site(options)
    state, source = _state(options)
    trace = None if log is None else open_log(options, [site_policy(site)], tells=False).trace
    past = _past(site, trace, options)
    site = replace(site, clock=clock_of(state, options.timezone or "") if site.reservations else None)
    if site.reservations and not options.quiet:
        _tell_clock(site, state, options)
    jobs = list(state.jobs)
    refused = None if asked is None else refusal_of(site, jobs, asked)
    if asked is not None:
        jobs.append(asked_job(jobs, asked))
    state = replace(state, notes=(*state.notes, *queue_doubts(site, state)))
    for note in state.notes if not options.quiet else ():
        print(f"{source}: {note}", file=sys.stderr)
    found = predict(
        site,
        jobs,
        replays=options.replays,
        cover=options.cover / 100,
        past=past,
        seed=options.seed or 0,
        enough=within(options.seconds) if options.seconds is not None else lambda _: False,
    )
    learned = _learned(site, options, trace) if found.replays else None
    found = with_spans(found, site.rules(1).bf_interval, options.cover / 100, learned)
    record = ""
    if options.keep is not None:
        found, record = _kept(found, state, options.keep, options.cover / 100)
    if found.replays < options.replays and not options.quiet:
        print(
            f"{found.replays:,} of {options.replays:,} replays were made in {options.seconds} s; --seconds "
            "gives them more time",
            file=sys.stderr,
        )
    reply = None
    if options.answer is not None:
        moment, meaning = partial(moment_and_delay, time=state.time), f"{spans_meaning(found, 'this span')}."
        reply = _answer(QueueNow(jobs, found, moment, meaning, site), options.answer)
    if options.output is not None:
        write_now_page(options.output, state, found)
        if not options.quiet:
            print(f"wrote {options.output}", file=sys.stderr)
    if options.map is not None and asked is not None:
        write_map(map_of(site, state.jobs, asked), options.map, Path(source).name)
        if not options.quiet:
            print(f"wrote {options.map}", file=sys.stderr)
    if options.json:
        further: dict[str, object] = {} if reply is None else {"answer": _answer_document(reply)}
        further |= {} if asked is None else {"refused": None if refused is None else refused.text}
        print_json({**_document(state, found, options), "track_record": record or None, **further})
    elif reply is not None:
        print(reply.text)
    elif options.output is None:
        print(now_summary(state, found))
        if record:
            print(record)
        shown = [
            prediction
            for prediction in found.waiting
            if asked is None or prediction.job.job_id == asked.job_id
        ]
        if refused is not None:
            print(f"{refused.text}.")
        elif shown:
            rows = [now_row(prediction, state.time) for prediction in shown]
            print("\n".join(aligned([list(NOW_TITLES), *rows], left=NOW_WORDS)))


def _answer(queue: QueueNow, job_id: str) -> Answer[WaitingJob]:
    """The answer for the job of that id. Raises InputError."""
    own = [job for job in queue.jobs if job_id in (job.job_id, job.array, job.together)]
    # Of an array, or of a heterogeneous job, the first that waits.
    job = min(own, key=lambda job: (job.job_id != job_id, job.state != WAITING), default=None)
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


def _tell_clock(site: Site, state: QueueState, options: argparse.Namespace) -> None:
    """Say by which clock the dates of reservations are taken, or that they are not regarded."""
    many = plural(len(site.reservations), "reservation")
    if site.clock is None:
        describe = "not regarded: the queue does not say when it was printed"
    elif state.clock is not None:
        describe = "by the clock of the queue's own dates"
    elif options.timezone:
        describe = f"in the time zone {options.timezone}"
    else:
        describe = "in this computer's time zone, unless --timezone names another"
    print(f"{site.path}: {many} {describe}", file=sys.stderr)
    known = {reservation.name for reservation in site.reservations}
    if unknown := sum(bool(job.reservation) and job.reservation not in known for job in state.jobs):
        print(
            f"{plural(unknown, 'job')} in reservations that no file has: planned like other jobs",
            file=sys.stderr,
        )


def _past(site: Site, trace: Trace | None, options: argparse.Namespace) -> Past:
    """What the log says about its jobs, and who came, if that is asked for. Raises InputError."""
    if options.arrivals and trace is None:
        raise InputError("--arrivals: give a log, as in whose last weeks jobs are to come")
    past = past_of(site.conf.machine, trace, options.arrivals)
    if options.arrivals and trace is not None and not past.coming:
        raise InputError(f"--arrivals: {trace.name} has less than a week of submissions")
    return past


def _learned(site: Site, options: argparse.Namespace, trace: Trace | None) -> LogSpans | None:
    """What the log says of spans; None without a log, or where it is not to be asked. Raises InputError."""
    if options.calibrate and trace is None:
        raise InputError("--calibrate: give a log, which its instants are of")
    if trace is None or options.calibrate == 0:
        return None
    asked = options.calibrate is not None
    learned = learn_spans(
        site,
        trace,
        options.calibrate if asked else INSTANTS,
        cover=options.cover / 100,
        seed=options.seed or 0,
        arrivals=options.arrivals,
        enough=(lambda _: False)
        if asked
        else within(_WITH_ARRIVALS_S if options.arrivals else _CALIBRATION_S),
    )
    if asked and learned.by is None:
        raise InputError(f"--calibrate: {learned.words}")
    return learned


def _kept(found: Forecast, state: QueueState, path: Path, cover: float) -> tuple[Forecast, str]:
    """Note which predicted jobs have started, keep what is predicted now, and return the score in words.

    Where enough have started, the forecast is corrected by them. Raises InputError for a file that holds
    something else.
    """
    kept = read_own(path)
    if state.time is None:
        state = replace(state, time=int(time.time()))
    found, kept = predicted_and_kept(found, kept, state, cover)
    write_kept(path, [prediction for prediction in kept if prediction.job_id != NEW])
    held = score_of(kept)
    if held is None:
        return found, ""
    return found, f"of {plural(held.jobs, 'prediction')} {100 * held.within:.0f} % came within their interval"


def _state(options: argparse.Namespace) -> tuple[QueueState, str]:
    """The queue of the file or of the command, and how the source is called. Raises InputError."""
    if (options.from_file is None) == (options.command_line is None):
        raise InputError("give the queue: either --from-file FILE or --command 'squeue --json'")
    if options.command_line is None:
        return read_queue_at(options.from_file), str(options.from_file)
    source = f"--command {clip(options.command_line)}"
    state, _ = queue_of_command(options.command_line, source, options.wait)
    return state, source


def _site(options: argparse.Namespace) -> Site:
    """The site of the options; of a machine that is spelled, one that says nothing of its scheduler."""
    if options.site is None and options.cluster and not exists(Path(options.cluster)):
        return site_of_machine(options.cluster, parse_cluster(options.cluster))
    return site_of(options)


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
        if seconds < 1:
            raise InputError("a time limit is longer than 0 s")
    except (InputError, ValueError) as error:
        raise InputError(f"--job {options.job}: {error}") from None
    return new_job(options.user or "", options.partition or "", seconds, group)


def _document(state: QueueState, found: Forecast, options: argparse.Namespace) -> dict[str, object]:
    """The queue for programs; times in s from now. `cover` is the share that such spans held, if measured."""
    return {
        "time": state.time,
        "replays": found.replays,
        "coarse": found.coarse,
        "weeks": found.weeks,
        "cover": found.share,
        "calibrated": bool(found.evidence),
        "evidence": found.evidence or found.doubt,
        "notes": list(state.notes),
        "running": sum(job.state == "running" for job in state.jobs),
        "waiting": [
            {
                **{key: value for key, value in asdict(prediction).items() if key != "job"},
                **{
                    key: getattr(prediction.job, key)
                    for key in ("job_id", "user", "account", "partition", "cpus", "reason")
                },
            }
            for prediction in found.waiting
        ],
    }
