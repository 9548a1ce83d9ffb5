"""Completions of a typed text: words, and the places where they are inserted."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Candidate:
    """A possible word, and its explanation."""

    word: str
    help: str = ""


@dataclass(frozen=True)
class Completion:
    """Words that may replace the text from `start` on, the likeliest first."""

    start: int
    offers: tuple[Candidate, ...]
