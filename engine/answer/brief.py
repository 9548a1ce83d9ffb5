"""The answer about a job in a few words: when it starts or started, how sure, why, and what to change."""

from __future__ import annotations

import re
from typing import Protocol

from engine.answer.answer import Answer, AnswerSubject
from engine.claims.words import plain, sentence
from engine.now.start_claims import StartTeller

MOST_WORDS = 40
"""The words that an answer has at most."""

_IN_BRACKETS = re.compile(r" \([^()]*\)")


class BriefSubject(AnswerSubject, Protocol):
    """A job of a queue as it is now or at an instant, or of a schedule."""

    @property
    def teller(self) -> StartTeller:
        """What makes claims about its start and changes."""

    def when(self) -> str:
        """The sentence that says when the job starts and how sure that is, or when it started."""

    def because(self) -> str:
        """The reason of its wait, without a stop; empty where there is none."""


def brief_answer(reply: Answer[BriefSubject]) -> str:
    """When a job starts, how sure that is, why it waits and which change helps most, in at most MOST_WORDS.

    The full text of the answer has the method beside it.
    """
    helped = reply.of.teller.help(reply.outcomes or ())
    when, change = reply.of.when(), "" if helped is None else plain(sentence(helped))
    # Names of limits, accounts and jobs make reasons long; the start and the change stay whole.
    room = MOST_WORDS - len(when.split()) - len(change.split())
    return " ".join(filter(None, (when, _within(room, _why(reply.of.because())), change)))


def _why(reason: str) -> str:
    """The reason as a sentence, without what stands in brackets: the full text has that."""
    text = _IN_BRACKETS.sub("", reason)
    return f"{text[:1].upper()}{text[1:]}." if text else ""


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
