"""The answer about a job in a few words: when it starts or started, how sure, why, and what to change."""

from __future__ import annotations

import re
from typing import Protocol

from engine.answer.answer import Answer, Subject
from engine.now.start_sentence import from_now, rough_duration

MOST_WORDS = 40
"""The words that an answer has at most."""

_IN_BRACKETS = re.compile(r" \([^()]*\)")
_INSTEAD = re.compile(r" instead of .*?(?=, |$)")


class BriefSubject(Subject, Protocol):
    """A job of a queue as it is now or at an instant, or of a schedule."""

    def when(self) -> str:
        """The sentence that says when the job starts and how sure that is, or when it started."""

    def because(self) -> str:
        """The reason of its wait, without a stop; empty where there is none."""


def brief_answer(reply: Answer[BriefSubject]) -> str:
    """When a job starts, how sure that is, why it waits and which change helps most, in at most MOST_WORDS.

    The full text of the answer has the method beside it.
    """
    when, change = reply.of.when(), _change(reply)
    # Names of limits, accounts and jobs make reasons long; the start and the change stay whole.
    room = MOST_WORDS - len(when.split()) - len(change.split())
    return " ".join(filter(None, (when, _within(room, _why(reply.of.because())), change)))


def _why(reason: str) -> str:
    """The reason as a sentence, without what stands in brackets: the full text has that."""
    text = _IN_BRACKETS.sub("", reason)
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def _change(reply: Answer[BriefSubject]) -> str:
    """What the best of the tried changes brings, in a sentence; empty if no change was tried."""
    helping = [outcome for outcome in reply.outcomes or () if outcome.helps]
    if helping:
        best = max(helping, key=lambda outcome: outcome.gain or 0)
        # Its user knows the request as it is; the full text has both.
        changed = _INSTEAD.sub("", best.text)
        if best.done_sooner is not None:  # measured on the log
            return f"With {changed} it would have ended {rough_duration(best.done_sooner)} earlier."
        if best.start is not None and (best.start < 60 or best.gain is None):
            return f"It starts {from_now(best.start)} with {changed}."
        # Of the plan by time limits, where the start above is the expected one.
        return f"Planned {rough_duration(best.gain or 0)} earlier with {changed}."
    return "No change that was tried helps." if reply.outcomes else ""


def _within(most: int, sentence: str) -> str:
    """The sentence in so many words: its first clauses, or its first words where these have no room."""
    words = sentence.split()
    if len(words) <= most:
        return sentence
    # A clause that ends with a comma stands by itself.
    ends = [place + 1 for place, word in enumerate(words[:most]) if word.endswith((",", ";"))]
    if ends:
        return f"{' '.join(words[: ends[-1]]).rstrip(',;')}."
    return f"{' '.join(words[:most]).rstrip('.:')}…"
