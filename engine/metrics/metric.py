"""A metric of a schedule: its name, label, unit, direction and definition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.metrics.letters import explain_letters

Better = Literal["lower", "higher"]

NO_VALUE = "–"

_WRITTEN_OUT = 1e15
"""Numbers below it have all their digits."""


@dataclass(frozen=True)
class Metric:
    """A metric of a schedule.

    `better` is None for metrics that describe a run without rating it. `text` is the definition in sentences,
    with its source, `formula` the same in symbols. `format` is a Python format specification. The value of a
    `share` is a part of a whole, 0 to 1, which the window shows in %.
    """

    name: str
    label: str
    unit: str
    better: Better | None
    text: str
    format: str = ",.0f"
    share: bool = False
    formula: str = ""

    @property
    def definition(self) -> str:
        """The sentences, then the formula and what its letters stand for."""
        letters = explain_letters(self.formula)
        explained = f" ({letters})" if letters else ""
        return f"{self.text} Formula: {self.formula}{explained}." if self.formula else self.text

    def show(self, value: float | None) -> str:
        """The value as people read it, without its unit."""
        if value is None:
            return NO_VALUE
        shown = format(value, self.format)
        # A format of few digits would write large numbers as powers of ten.
        return f"{value:,.0f}" if "e+" in shown and abs(value) < _WRITTEN_OUT else shown
