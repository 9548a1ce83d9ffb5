"""The trials of a search so far, and its answer, for its plots, its table and its figure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.arrays import Floats
from engine.metrics.metric_names import parse_metric
from engine.search.answer import CheckedTrial, SearchResult, Trial, front_of
from engine.search.question import WORST_USER, Question
from views.data.scales import LinearScale, LogScale, Scale
from views.text.metrics import format_value, metric_heading
from views.text.units import heading
from views.text.values import NOTHING, signed_percent

_DECADE = 10.0


@dataclass(frozen=True, eq=False)
class ParallelAxis:
    """An axis of the parallel coordinates: its name, each trial's height from 0 to 1, and some labels."""

    name: str
    heights: Floats  # NaN where a trial has no value
    labels: tuple[tuple[float, str], ...]


@dataclass(frozen=True, eq=False)
class SearchResults:
    """A question, the policies that were tried, each once, and the answer when it is there."""

    question: Question
    trials: tuple[Trial, ...] = ()
    answer: SearchResult | None = None

    @cached_property
    def front(self) -> tuple[int, ...]:
        """The indices of the trials that keep all bounds and that none beats, the best first."""
        index = {id(trial): k for k, trial in enumerate(self.trials)}
        return tuple(index[id(trial)] for trial in front_of(self.trials, self.question.objectives))

    @property
    def judged(self) -> tuple[CheckedTrial, ...]:
        """The front with both spans, then the baseline; empty before the answer is there."""
        return () if self.answer is None else (*self.answer.front, self.answer.baseline)

    def values(self, metric: str) -> Floats:
        """The metric of each trial on the searched span, shape (trials,); NaN where there is none."""
        values = (trial.values[metric] for trial in self.trials)
        return np.array([np.nan if value is None else value for value in values], np.float64)

    @cached_property
    def parallel_axes(self) -> list[ParallelAxis]:
        """The varied keys, then the metrics; equal texts have the same height on an axis."""
        axes = [self._parallel_axis_of(dimension.key.name) for dimension in self.question.space]
        for metric in self.question.metrics:
            values = self.values(metric)
            scale, finite = scale_of(metric, values), values[np.isfinite(values)]
            ends = np.array([finite.min(), finite.max()] if len(finite) else [0.0, 1.0])
            low, high = scale.coordinates_of(ends)
            # Equal values have no range: they stand in the middle, with a single label.
            apart = high > low
            heights = (scale.coordinates_of(values) - low) / (high - low) if apart else values * 0.0 + 0.5
            marks = ((0.0, ends[0]), (1.0, ends[1])) if apart else ((0.5, ends[0]),)
            labels = tuple((at, format_metric(metric, float(value))) for at, value in marks)
            axes.append(ParallelAxis(title(metric), heights, labels))
        return axes

    def describe(self, index: int) -> str:
        """A trial in words."""
        trial = self.trials[index]
        lines = [trial.policy.spelling]
        lines += [f"{title(name)}: {format_metric(name, value)}" for name, value in trial.values.items()]
        lines += [] if trial.kept else ["violates a bound"]
        return "\n".join([*lines, "Click: open it as a run"])

    def _parallel_axis_of(self, key: str) -> ParallelAxis:
        words = [trial.policy.format_key(key) for trial in self.trials]
        order = {word: k for k, word in enumerate(sorted(set(words), key=_in_order))}
        last = max(len(order) - 1, 1)
        heights = np.array([order[word] / last if len(order) > 1 else 0.5 for word in words], np.float64)
        labels = tuple((k / last if len(order) > 1 else 0.5, word) for word, k in order.items())
        return ParallelAxis(key, heights, labels)


def title(metric: str) -> str:
    """A metric in words."""
    return "Worst change of a user's wait" if metric == WORST_USER else parse_metric(metric).label


def table_heading(metric: str) -> str:
    """A metric over a column of its values."""
    return heading(title(metric), "%") if metric == WORST_USER else metric_heading(parse_metric(metric))


def axis_title(metric: str) -> str:
    """A metric as the name of an axis, whose numbers may need a unit."""
    hours = metric != WORST_USER and parse_metric(metric).unit == "processor-s"
    return f"{title(metric)}, CPU h" if hours else title(metric)


def format_metric(metric: str, value: float | None) -> str:
    """A value of it with its unit."""
    if value is None or value != value:
        return NOTHING
    return signed_percent(value) if metric == WORST_USER else format_value(parse_metric(metric), value)


def scale_of(metric: str, values: Floats) -> Scale:
    """The scale for all values of a metric, without unused room.

    It is logarithmic if values span more than a decade: a few very bad policies would otherwise squeeze all
    others together.
    """
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    unit = parse_metric(metric).unit if metric != WORST_USER else ""
    durations, hours = unit == "s", unit == "processor-s"
    if low > 0 and high > _DECADE * low:
        return LogScale.of(values, durations, hours)
    if low == high:
        low, high = low - 0.5, high + 0.5
    return LinearScale(low, high, durations, hours)


def _in_order(word: str) -> tuple[int, float, str]:
    """Numbers and durations before words."""
    units = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
    number, unit = (word[:-1], units[word[-1]]) if word[-1:] in units and word[:-1] else (word, 1.0)
    try:
        return 0, float(number) * unit, word
    except ValueError:
        return 1, 0.0, word
