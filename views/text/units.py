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
    round numbers of hours, and percentages lie between 0 and 100.
    """

    show: Callable[[float | None], str]
    exact: str
    axis: str
    durations: bool = False
    hours: bool = False
    percentage: bool = False


def _memory(value: float | None) -> str:
    return number(value) if value is None or value != value else memory(value)


UNITS: dict[Unit, UnitText] = {
    "name": UnitText(number, "", ""),
    "count": UnitText(number, "", "number"),
    "MiB": UnitText(_memory, "MiB", "MiB"),
    "s": UnitText(duration, "s", "time", durations=True),
    "time": UnitText(duration, "s from the log's zero", "time from the log's zero", durations=True),
    "processor-s": UnitText(processor_time, "processor-s", "CPU h", hours=True),
    "ratio": UnitText(number, "", "ratio"),
    "%": UnitText(percent, "%", "% of the jobs", percentage=True),
    "% used": UnitText(percent, "%", "% used"),
    "s/processor-s": UnitText(number, "s/processor-s", "seconds a processor-second"),
    "value": UnitText(number, "", "value"),
    "J": UnitText(energy, "J", "J"),
}


def sentence(text: str) -> str:
    """A description as a sentence begins; a point ends it."""
    return f"{text[0].upper()}{text[1:]}."
