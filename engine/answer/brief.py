"""The answer about a job of the queue in a few words: when it starts, how sure, why, and what to change."""

from __future__ import annotations

import re
from collections.abc import Iterable

from engine.answer.answer import Answer
from engine.now.queued import WaitingJob
from engine.shown_text import shown_name
from engine.trace.queue_state import RUNNING
from engine.words import format_seconds

MOST_WORDS = 40
"""The words that an answer has at most."""

_IN_BRACKETS = re.compile(r" \([^()]*\)")


def brief_answer(reply: Answer[WaitingJob]) -> str:
    """When a job starts, how sure that is, why it waits and which change helps most, in at most MOST_WORDS.

    The full text of the answer has the method beside it.
    """
    return _within(MOST_WORDS, (_when(reply.of), _why(reply.of), _change(reply)))


def _when(waiting: WaitingJob) -> str:
    job, name = waiting.job, shown_name(waiting.job.job_id)
    if job.state == RUNNING:
        return f"Job {name} runs."
    prediction = waiting.queue.prediction(job)
    if prediction is None or prediction.planned is None:
        return f"Job {name} has no planned start."
    if prediction.expected is None or prediction.early is None or prediction.late is None:
        return f"Job {name} starts {_from_now(prediction.planned)} if all jobs use their time limits."
    share = waiting.queue.answer.forecast.share
    sure = "how sure is not known" if share is None else f"{100 * share:.0f} % sure"
    span = f"{format_seconds(prediction.early)} to {format_seconds(prediction.late)}"
    return f"Job {name} starts {_from_now(prediction.expected)} ({span}; {sure})."


def _from_now(seconds: int) -> str:
    return "now" if seconds < 60 else f"in {format_seconds(seconds)}"


def _why(waiting: WaitingJob) -> str:
    """The reason by the plan, where there is one, without what stands in brackets: the full text has that."""
    prediction = waiting.queue.prediction(waiting.job)
    if prediction is None:
        return ""
    text = prediction.why if prediction.reason is None else prediction.reason.text
    text = _IN_BRACKETS.sub("", text)
    return f"{text[:1].upper()}{text[1:]}."


def _change(reply: Answer[WaitingJob]) -> str:
    """The change that starts the job soonest, if one helps; empty where none was tried."""
    helping = [outcome for outcome in reply.outcomes or () if outcome.helps]
    if helping:
        best = max(helping, key=lambda outcome: outcome.gain or 0)
        sooner = f"{format_seconds(best.gain)} earlier" if best.gain else "at all"
        return f"It starts {sooner} with {best.text}."
    return "No change that was tried helps." if reply.outcomes else ""


def _within(most: int, sentences: Iterable[str]) -> str:
    """The sentences in so many words; the last words that have no room are left out."""
    words = " ".join(filter(None, sentences)).split()
    return " ".join(words) if len(words) <= most else f"{' '.join(words[:most]).rstrip('.,;:')}…"
