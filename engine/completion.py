"""What may stand next where somebody types: words, and where they go."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Candidate:
    """A word that may stand there, and what it says."""

    word: str
    help: str = ""


@dataclass(frozen=True)
class Completion:
    """Words that may take the place of what was begun at `start`, the likeliest first."""

    start: int
    offers: tuple[Candidate, ...]
