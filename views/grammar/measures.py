"""The measure of a composed figure in words: its title with the unit, its values, its scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.errors import InputError
from engine.metrics.metric import Metric
from engine.metrics.metric_names import FAMILIES, parse_metric
from engine.quantities import offered
from views.data.scales import LinearScale, LogScale, Scale
from views.text.metrics import format_value, metric_heading
from views.text.values import number, percent


@dataclass(frozen=True)
class NamedMeasure:
    """A measure by name, the words that it is `named` by, and what its values are in % `of`.

    Both may be empty.
    """

    name: str
    named: str = ""
    of: str = ""

    @property
    def metric(self) -> Metric | None:
        """The metric of the measure, or a quantity of jobs, for its words and its unit; None of others."""
        if self.name in FAMILIES:
            return FAMILIES[self.name].metric
        try:
            return parse_metric(self.name)
        except InputError:
            quantity = offered("filter").get(self.name)
            if quantity is None:
                return None
            unit = "" if quantity.unit in ("count", "ratio", "name", "time") else quantity.unit
            return Metric(self.name, quantity.title, unit, None, quantity.text)

    @property
    def title(self) -> str:
        """In words, without a unit."""
        return self.named or (self.metric.label if self.metric is not None else self.name)

    @property
    def heading(self) -> str:
        """In words with the unit; words that a reader chose stay as they are."""
        if self.of:
            return f"{self.title}, % of {self.of}"
        return self.named or (metric_heading(self.metric) if self.metric is not None else self.name)

    @property
    def about(self) -> str:
        """What the measure is, in a sentence; empty if that is not known."""
        return self.metric.text if self.metric is not None else ""

    @property
    def better(self) -> str:
        """Which values are better: `higher` or `lower`; higher where that is not known."""
        return "lower" if self.metric is not None and self.metric.better == "lower" else "higher"

    def format(self, value: float) -> str:
        """A value to read, with its unit."""
        if self.of:
            return percent(value)
        return format_value(self.metric, value) if self.metric is not None else number(value)

    def scale(self, heights: Sequence[float], logarithmic: bool, from_zero: bool) -> Scale:
        """The vertical scale of these values. Raises InputError where they have no logarithm."""
        metric = self.metric if not self.of else None
        unit = metric.unit if metric is not None else ""
        if logarithmic:
            if min(heights, default=1.0) < 0:  # 0 has a line of its own below all others
                raise InputError(f"{self.name} has the value {min(heights):g}, which has no logarithm")
            return LogScale.of(np.array(heights), unit == "s", unit == "processor-s")
        low, high = min(heights, default=0.0), max(heights, default=1.0)
        if from_zero:
            low, high = min(low, 0.0), max(high, 0.0)
        if low == high:
            low, high = low - 0.5, high + 0.5
        return LinearScale(low, high, unit == "s", unit == "processor-s", metric is not None and metric.share)
