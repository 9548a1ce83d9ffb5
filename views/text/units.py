"""Units of quantities as people read them: how a value is written, and what the numbers of an axis are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.quantities import Unit
from views.text.values import duration, energy, memory, number, percent, processor_time


@dataclass(frozen=True)
class UnitText:
    """The text forms of a unit: `show` formats a value briefly, `exact` is added after all its digits.

    `axis` is the label of an axis; ticks of `durations` are at minutes, hours, days, ticks of `hours` at
    round numbers of hours, and percentages lie between 0 and 100. `column` are the units that values are
    shown in, for the heading over them.
    """

    show: Callable[[float | None], str]
    exact: str
    axis: str
    column: str = ""
    durations: bool = False
    hours: bool = False
    percentage: bool = False


def _memory(value: float | None) -> str:
    return number(value) if value is None or value != value else memory(value)


UNITS: dict[Unit, UnitText] = {
    "name": UnitText(number, "", ""),
    "count": UnitText(number, "", "number"),
    "MiB": UnitText(_memory, "MiB", "MiB"),
    "s": UnitText(duration, "s", "time", "d h min s", durations=True),
    "time": UnitText(duration, "s from the log's zero", "time from the log's zero", durations=True),
    "processor-s": UnitText(processor_time, "processor-s", "CPU h", "CPU h", hours=True),
    "ratio": UnitText(number, "", "ratio"),
    "%": UnitText(percent, "%", "% of the jobs", "%", percentage=True),
    "% used": UnitText(percent, "%", "% used", "%"),
    "s/processor-s": UnitText(number, "s/processor-s", "seconds per processor-second", "s/processor-s"),
    "value": UnitText(number, "", "value"),
    "J": UnitText(energy, "J", "J"),
    "g": UnitText(number, "g", "g CO2"),
}

_COLUMN = {text.exact: text.column for text in UNITS.values()} | {"s from now": ""}
"""Units of shown values by the unit of exact ones; those that are not here are shown as they are."""


def heading(title: str, unit: str) -> str:
    """The title of a quantity with the units that its values are shown in; `unit` is that of exact values.

    Titles that name their unit stay.
    """
    shown = _COLUMN.get(unit, unit)
    named = title.endswith((f", {shown}", f" {shown}")) or f"({shown})" in title
    return title if not shown or named else f"{title}, {shown}"


def sentence(text: str) -> str:
    """A description as a sentence begins; a point ends it."""
    return f"{text[0].upper()}{text[1:]}."
