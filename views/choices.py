"""What a reader chose to see of distributions, as one line of text for the settings."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal, get_args, get_type_hints

from views.measures import MEASURES, Over

Kind = Literal["box", "histogram", "cumulative"]
Axis = Literal["log", "linear"]
Points = Literal["outliers", "all", "off"]

ALL_FOUR = "overview"
"""In place of a measure: the four of OVERVIEW beside one another."""


@dataclass(frozen=True)
class Choices:
    """Which measure, of what, drawn how; `points` are those that box-plots show."""

    measure: str = ALL_FOUR
    over: Over = "user"
    kind: Kind = "box"
    axis: Axis = "log"
    points: Points = "outliers"

    @property
    def spelling(self) -> str:
        """The choices as text, which `read_choices` reads."""
        return " ".join(str(getattr(self, entry.name)) for entry in fields(self))


def read_choices(text: str) -> Choices:
    """Choices from their spelling; what is not known is as by default."""
    hints = get_type_hints(Choices)
    read: dict[str, Any] = {}
    for entry, word in zip(fields(Choices), text.split(), strict=False):
        known = get_args(hints[entry.name]) or (ALL_FOUR, *MEASURES)
        if word in known:
            read[entry.name] = word
    return Choices(**read)
