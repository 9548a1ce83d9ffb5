"""The command `explain`: why a job waited, as reasons that add up to its wait."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from functools import partial

from app.cli.answer_text import answer_text
from app.cli.commands import simulated
from app.cli.loading import open_log, policy_of
from app.cli.site.queue import moment_text
from app.cli.site_runs import accuracy_of_site
from app.export.output import aligned, print_json
from engine.answer import Answer, LoggedJob, answer
from engine.answer.wait_claims import event_claims
from engine.claims.words import plain, sentence
from engine.errors import InputError
from engine.schedule.explain import Explanation
from engine.schedule.schedule import Decision, Schedule
from engine.slurm.scheduler.verdicts import site_verdicts
from engine.trace import MISSING, Trace
from engine.words import plural
from views.text.values import duration


def explain_job(options: argparse.Namespace) -> None:
    """Print why the job of `options.job_id` waited under a policy. Raises InputError if it is not there."""
    if options.method and not options.answer:
        raise InputError("--method is the method of --answer, which is not given")
    policy = policy_of(options.policy, options)  # raises its errors before the trace is read
    opened = open_log(options, [policy])
    try:
        job = opened.job(options.job_id)
    except InputError as error:
        raise InputError(f"--job: {error}") from None
    schedule = simulated(opened, policy, options, log=True)
    (verdict,) = site_verdicts([opened.name(policy)], [schedule], {}, partial(accuracy_of_site, options)).runs
    result = answer(schedule, job, what_if=options.answer, verdict=verdict)
    if options.json:
        print_json({**_document(schedule, result.of.explanation), **_further(result)})
    elif options.answer:
        print(answer_text(result, method=options.method, page=""))
    else:
        print("\n".join([*_lines(schedule, result.of.explanation), *_inferred(result)]))


def _inferred(answer: Answer[LoggedJob]) -> list[str]:
    """Lines on what can be inferred where no reasons were recorded."""
    return answer.of.inferences


def _further(answer: Answer[LoggedJob]) -> dict[str, object]:
    """For programs: what is inferred, and what was tried; null and empty where nothing was. Times in s."""
    inferred: dict[str, object] | None = None
    if answer.of.inferred is not None:
        named = [_id(answer.of.schedule.trace, job) for job in answer.of.inferred.first_passed]
        inferred = {**asdict(answer.of.inferred), "first_passed": named}
    return {
        "inferred": inferred,
        "what_if": [asdict(outcome) for outcome in answer.outcomes or ()],
    }


def _id(trace: Trace, job: int) -> int | str:
    number = trace.job_id[job]
    return number.item() if hasattr(number, "item") else str(number)


def _document(schedule: Schedule, explanation: Explanation) -> dict[str, object]:
    """The explanation for programs. Times are in s from the trace's zero; intervals add up to `wait`."""
    trace, job = schedule.trace, explanation.job
    ran = bool(schedule.ran[job])
    return {
        "trace": trace.name,
        "policy": schedule.policy.spelling,
        "zero": trace.zero,
        "timezone": trace.timezone,
        "job": {
            "job_id": _id(trace, job),
            "user": trace.user.names[trace.user.codes[job]],
            "queue": trace.queue.names[trace.queue.codes[job]],
            "procs": int(trace.procs[job]),
            # What is unknown is null: a number would be taken for a time.
            "walltime": int(trace.walltime[job]) if trace.walltime[job] != MISSING else None,
            "submit": explanation.submit,
            "start": explanation.start if ran else None,
            "wait": explanation.start - explanation.submit if ran else None,
        },
        "reasons": [
            {"reason": _name(cause.kind), "seconds": cause.seconds, "text": cause.text}
            for cause in explanation.summary
        ],
        "intervals": [
            {
                "begin": interval.begin,
                "end": interval.end,
                "seconds": interval.seconds,
                "reason": _name(interval.kind),
                "text": interval.text,
            }
            for interval in explanation.intervals
        ],
        "reservations": [{"made": promise.made, "start": promise.start} for promise in explanation.promises],
        # A job is named once, however many intervals it passed in.
        "went_past_it": [_id(trace, other) for other in dict.fromkeys(explanation.overtaken)],
        "it_went_past": [_id(trace, other) for other in dict.fromkeys(explanation.overtook)],
        "said": [{"time": each.time, "text": each.text} for each in explanation.said],
        "note": explanation.note,
    }


def _name(kind: Decision | None) -> str:
    return "before_first_pass" if kind is None else kind.name.lower()


def _lines(schedule: Schedule, explanation: Explanation) -> list[str]:
    trace, job = schedule.trace, explanation.job
    user, queue = trace.user.shown[trace.user.codes[job]], trace.queue.shown[trace.queue.codes[job]]
    who = f" of user {user}" if user else ""
    where = "" if queue in ("", str(MISSING)) else f", queue {queue}"
    asked = plural(int(trace.procs[job]), "processor")
    if trace.walltime[job] != MISSING:
        asked += f" for {duration(int(trace.walltime[job]))}"
    lines = [
        f"Job {_id(trace, job)}{who}{where}, under {schedule.policy}",
        f"Requested {asked}; submitted {moment_text(trace, explanation.submit)}.",
    ]
    # A job that did not run has no times to be told, only the reason.
    if not schedule.ran[job]:
        return [*lines, explanation.note]
    wait = explanation.start - explanation.submit
    lines.append(f"Started {moment_text(trace, explanation.start)}, after a wait of {duration(wait)}.")
    if explanation.note:
        return [*lines, explanation.note]
    rows = [
        [duration(cause.seconds), f"{100 * cause.seconds / wait:.0f} %", cause.text]
        for cause in explanation.summary
    ]
    lines += ["", *aligned([["waited", "share", "reason"], *rows], left=[2]), ""]
    # The table sums up the wait; the events below tell it in their order.
    events = event_claims(schedule, explanation, lambda time: moment_text(trace, int(time)))
    lines += [plain(sentence(claim)) for claim in events]
    return lines
