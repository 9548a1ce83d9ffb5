"""The queue as it is in words: a job and why it waits, what would help it, and what spans mean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.trace.queue_state import RUNNING, QueuedJob
from engine.words import format_count, format_seconds, plural
from views.data.now_look import NowLook, queue_counts
from views.text.ticks import axis_of

if TYPE_CHECKING:
    from engine.answer.waiting import Alternative
    from engine.simulation.now import Prediction

_SECONDS = re.compile(r":\d\d(?= h$|$)")
"""The seconds of a time in full."""


def moment(look: NowLook, seconds: int | None) -> str:
    """A moment that is so many seconds from now: its date, and how far ahead it is."""
    if seconds is None:
        return "not known"
    if seconds < 60:
        return "now"
    axis = axis_of(look.laid.schedule.trace)
    clock = _SECONDS.sub("", axis.format(float(look.laid.now + seconds)))
    return f"{clock} (in {format_seconds(seconds)})"


def queue_time(look: NowLook) -> str:
    """The time at which the queue was printed."""
    return axis_of(look.laid.schedule.trace).format(float(look.laid.now))


def state_words(look: NowLook, most: int) -> str:
    """The status text: file, its time, replays made of `most`, and the accuracy of earlier predictions."""
    made = look.found.replays
    replays = f"{made:,} of {most:,} replays" if 0 < made < most else plural(made, "replay")
    parts = [f"{look.name} of {queue_time(look)}, {replays}{' in coarse steps' if look.found.coarse else ''}"]
    if look.score is not None:
        jobs, within = plural(look.score.jobs, "prediction"), 100 * look.score.within
        off = format_seconds(round(look.score.planned_off))
        parts.append(f"of {jobs} {within:.0f} % came within their span (median plan off by {off})")
    return "; ".join([*parts, *look.state.notes])


def span_words(look: NowLook) -> str:
    """The text that explains the span of a prediction."""
    replays = plural(look.found.replays, "simulated replay")
    replays += " in coarse steps" if look.found.coarse else ""
    drawn = f"runtimes are drawn from {look.learned}, and no further job comes"
    if look.found.evidence:
        return f"{calibrated_words(look)} They are made from {replays}; {drawn}."
    return (
        f"most of {replays} start it within this span; {drawn}. It also holds the planned start, and is "
        f"wider by half of the time from now, for errors of the model. It is {look.found.doubt}. Once 20 "
        "jobs have started whose predictions are kept, these calibrate it."
    )


def calibrated_words(look: NowLook) -> str:
    """The text that says how many starts calibrated spans contain, and on what they are calibrated."""
    share = 100 * (look.found.share or 0.0)
    return f"About {share:.0f} % of such spans contain the start. They are calibrated {look.found.evidence}."


def queue_words(look: NowLook, chosen: dict[str, str]) -> str:
    """The text with the numbers of the chosen jobs that run and wait, and the next planned start."""
    running, cpus, waiting, planned = queue_counts(look, chosen)
    text = f"{plural(running, 'job')} on {plural(cpus, 'processor')} run, {format_count(waiting)} wait"
    if planned is None:
        return text
    return f"{text}; next planned start: job {planned.job.job_id}, {moment(look, planned.planned)}"


def question_words(job: QueuedJob) -> str:
    """The text of a job's request."""
    text = f"{plural(job.cpus, 'processor')} on {plural(job.nodes, 'node')}"
    if job.ram:
        text += f", {job.ram / 1024:,.4g} GiB per node"
    if job.gpus:
        text += f", {plural(job.gpus, 'GPU')} per node"
    return f"{text}, " + ("without a time limit" if job.limit is None else f"for {format_seconds(job.limit)}")


def start_words(look: NowLook, prediction: Prediction) -> list[str]:
    """The text of a job's start: by the plan, and in the replays."""
    if prediction.planned is None:
        return ["No planned start."]
    lines = [f"Planned start, by the time limits of all jobs: {moment(look, prediction.planned)}."]
    if prediction.expected is None or prediction.early is None or prediction.late is None:
        return lines
    early, late = moment(look, prediction.early), moment(look, prediction.late)
    return [
        *lines,
        f"Median of the replays: {moment(look, prediction.expected)}.",
        f"From {early} to {late}: {span_words(look)}",
    ]


def job_words(look: NowLook, job: QueuedJob, helped: Sequence[Alternative] | None) -> str:
    """The text about a job for its user; `helped` has the changes that would help, None if not known."""
    names = ", ".join(
        f"{field} {name}" for field in ("user", "account", "partition") if (name := getattr(job, field))
    )
    lines = [f"Job {job.job_id} ({names}) asks for {question_words(job)}."]
    if job.state == RUNNING:
        left = (
            ""
            if job.limit is None
            else f"; its limit ends it in {format_seconds(max(job.limit - job.elapsed, 0))}"
        )
        return "\n".join([*lines, f"It runs since {format_seconds(job.elapsed)}{left}."])
    prediction = next(prediction for prediction in look.found.waiting if prediction.job is job)
    if job.waited:
        lines.append(f"It has waited {format_seconds(job.waited)}.")
    lines += ["", *start_words(look, prediction), "", f"Why it waits: {prediction.why}."]
    if helped is not None:
        lines += ["", *_helped(look, helped)]
    return "\n".join(lines)


def _helped(look: NowLook, helped: Sequence[Alternative]) -> list[str]:
    """The lines about changes that would help, the best first."""
    if not helped:
        return ["There is no other request to try for this job."]
    ordered = sorted(
        helped,
        key=lambda alternative: -(alternative.sooner if alternative.sooner is not None else -(1 << 60)),
    )
    steps = " in coarse steps, whose starts differ from the planned ones above," if look.found.coarse else ""
    lines = [f"What would help: the queue was planned again{steps} with this job alone changed."]
    lines += [f"- {alternative.text}: {_effect(look, alternative)}" for alternative in ordered]
    if not any(alternative.sooner is not None and alternative.sooner > 0 for alternative in helped):
        lines.append("None of these has an earlier planned start.")
    return lines


def _effect(look: NowLook, alternative: Alternative) -> str:
    if alternative.planned is None:
        return "it would not start"
    start = f"planned start {moment(look, alternative.planned)}"
    if alternative.sooner is None:
        return start
    if alternative.sooner == 0:
        return "the same planned start"
    by = format_seconds(abs(alternative.sooner))
    return f"{start}, {by} {'earlier' if alternative.sooner > 0 else 'later'}"
