"""The queue as it is in words: what is shown, the answers about jobs, and what spans mean."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from engine.answer.answer import answer
from engine.answer.brief import brief_answer
from engine.logs.queue.state import QueuedJob
from engine.now.queued_job import QueueNow
from engine.now.spans_meaning import share_meaning, spans_meaning
from engine.shown_text import shown_name
from engine.words import format_count, format_seconds, plural
from views.data.now_look import NowLook, queue_counts
from views.text.ticks import axis_of

if TYPE_CHECKING:
    from engine.answer.answer import Answer
    from engine.now.queued_job import WaitingJob

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


def state_words(look: NowLook) -> str:
    """The status text: file, its time, replays made, and the accuracy of earlier predictions."""
    replays = plural(look.found.replays, "replay")
    parts = [f"{look.name} of {queue_time(look)}, {replays}{' in coarse steps' if look.found.coarse else ''}"]
    score = look.answer.score
    if score is not None:
        jobs, within = plural(score.jobs, "prediction"), 100 * score.within
        off = format_seconds(round(score.planned_off))
        parts.append(f"of {jobs} {within:.0f} % came within their span (median plan off by {off})")
    return "; ".join([*parts, *look.state.notes])


def calibrated_words(look: NowLook) -> str:
    """The text that says how many starts calibrated spans contain, and on what they are calibrated."""
    text = share_meaning(look.found)
    return f"{text[0].upper()}{text[1:]}."


def queue_words(look: NowLook, chosen: dict[str, str]) -> str:
    """The text with the numbers of the chosen jobs that run and wait, and the next planned start."""
    running, cpus, waiting, planned = queue_counts(look, chosen)
    text = f"{plural(running, 'job')} on {plural(cpus, 'processor')} run, {format_count(waiting)} wait"
    if planned is None:
        return text
    return (
        f"{text}; next planned start: job {shown_name(planned.job.job_id)}, {moment(look, planned.planned)}"
    )


def queue_of(look: NowLook) -> QueueNow:
    """The queue that is shown, as answers take it."""
    return QueueNow(look.answer, partial(moment, look), spans_meaning(look.answer))


def job_answer(look: NowLook, job: QueuedJob) -> Answer[WaitingJob]:
    """The answer about a job for its user, without what would help."""
    return answer(queue_of(look), job, what_if=False)


def hover_words(look: NowLook, job: QueuedJob) -> str:
    """The text of a job under the mouse: its request, and the answer in few words."""
    reply = job_answer(look, job)
    return "\n".join([*reply.of.asked(), brief_answer(reply)])


def asked_words(look: NowLook) -> str:
    """The answer in few words about the job that was asked about, or why Slurm refuses it."""
    refused = look.answer.refused
    if refused is not None:
        return f"{refused.text}."
    return "" if look.reply is None else brief_answer(look.reply)
