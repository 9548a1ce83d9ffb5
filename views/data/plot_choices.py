"""The reader's choices for distributions and scatters, as a line of text for the settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args, get_type_hints

from views.data.measures import MEASURES, OVERVIEW, OVERVIEW_OF_JOBS, Over

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

C = TypeVar("C", bound="DataclassInstance")

Kind = Literal["box", "histogram", "cumulative"]
Axis = Literal["log", "linear"]
Points = Literal["outliers", "all", "off"]

AXES: Mapping[Axis, str] = {"log": "logarithmic", "linear": "linear"}

ALL_FOUR = "overview"
"""Name in place of a measure: the four of OVERVIEW side by side."""


@dataclass(frozen=True)
class DistributionChoices:
    """Choices for distributions: measure, units and kind of chart; `points` names the values that box-plots
    show.
    """

    measure: str = ALL_FOUR
    over: Over = "user"
    kind: Kind = "box"
    axis: Axis = "log"
    points: Points = "outliers"

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the measures that are shown."""
        if self.measure != ALL_FOUR:
            return (self.measure,)
        return OVERVIEW_OF_JOBS if self.over == "job" else OVERVIEW

    @property
    def spelling(self) -> str:
        """The choices as text, which `read_choices` reads."""
        return format_choices(self)


@dataclass(frozen=True)
class ScatterChoices:
    """Choices for a scatter: two measures by name, and what each dot is."""

    up: str = "bounded_slowdown"
    across: str = "wait"
    over: Over = "user"
    axis: Axis = "log"

    @property
    def spelling(self) -> str:
        """The choices as text, which `read_choices` reads."""
        return format_choices(self)


def format_choices(choices: DataclassInstance) -> str:
    """Choices as words with spaces between them, in the order of their fields."""
    return " ".join(str(getattr(choices, entry.name)) for entry in fields(choices))


def read_choices(kind: type[C], text: str) -> C:
    """Choices of a kind from their spelling; what is not known is as by default.

    A field of plain text is the name of a measure.
    """
    hints = get_type_hints(kind)
    read: dict[str, Any] = {}
    for entry, word in zip(fields(kind), text.split(), strict=False):
        known = get_args(hints[entry.name]) or (entry.default, *MEASURES)
        if word in known:
            read[entry.name] = word
    return kind(**read)
