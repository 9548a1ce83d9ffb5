"""Several metrics of all runs as scores, and what each run gains over another (Tang et al. 2013, 4.4.4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.arrays import Floats
from engine.metrics.gain import GAIN_METRICS, WEIGHTS, relative_gain, scaled_scores
from engine.metrics.metric_names import parse_metric
from engine.words import listed, plural
from views.data.results import Result, further_metrics
from views.data.scales import AxisRange
from views.text.metrics import format_value
from views.text.values import number

_UNFAIR, _INSTEAD = "unfair_jobs", "bounded_slowdown_mean"
_MORE = (_INSTEAD, "queue_depth_max")
"""Axes of the radar beside the metrics that are weighed."""

_SHORT = {
    "wait_mean": "wait",
    _UNFAIR: "unfair jobs",
    _INSTEAD: "bounded slowdown",
    "loss_of_capacity_fit": "loss of capacity",
}

AVERAGE, OWN = "average", "yours"
"""The mean of the gains by the weights of the paper, and the gain by the reader's own."""

OWN_WEIGHTS = (50, 25, 25)

_HALF = "counts half, each of the other two metrics a quarter"
WEIGHTS_IN_WORDS = {
    "EQUAL": ("equal weights", "the three metrics count alike"),
    "WAIT+": ("half wait", f"mean wait {_HALF}"),
    "UNFAIR+": ("half unfair jobs", f"the number of unfair jobs {_HALF}"),
    "SLOW+": ("half bounded slowdown", f"mean bounded slowdown {_HALF}"),
    "LOC+": ("half loss of capacity", f"loss of capacity {_HALF}"),
    AVERAGE: ("average of the four", "the mean of the four gains before it"),
    OWN: ("your weights", "by the weights that are set below the bars"),
}
"""The names of weights in two or three words, and in a sentence."""

_STEPS = (1, 2, 5, 10, 20, 25, 50, 100)
"""Between ticks of gains, in %."""

_MOST_TICKS = 12

LEAST_GAIN = -200.0
"""Larger losses, in %, are cut off in charts: some runs treat ten times as many jobs unfairly."""


@dataclass(frozen=True, eq=False)
class MetricScores:
    """`scores`, shape (runs, axes), of the metrics of `axes`: the worst run's is 100, less is better.

    Behind the program's own axes are those of metrics that the user's own code adds, where less is better.

    The weights apply to the first three axes. NaN marks a metric that a run does not have.
    """

    results: Sequence[Result]
    axes: tuple[str, ...]
    values: Floats
    scores: Floats

    @classmethod
    def of(cls, results: Sequence[Result]) -> MetricScores:
        """The scores of these runs; bounded slowdown is weighed where unfair jobs are not known."""
        weighed = (
            GAIN_METRICS
            if _knows_unfair(results)
            else tuple(_INSTEAD if name == _UNFAIR else name for name in GAIN_METRICS)
        )
        # Scores are of numbers from 0 of which less is better.
        further = [metric.name for metric in further_metrics(results) if metric.better == "lower"]
        kept = [name for name in further if all((each.summary.get(name) or 0) >= 0 for each in results)]
        axes = (*weighed, *(name for name in _MORE if name not in weighed), *kept)
        columns = [[result.summary.get(name) for name in axes] for result in results]
        values = np.array(columns, np.float64).reshape(len(results), len(axes))
        return cls(results, axes, values, scaled_scores(values) if len(results) else values)

    @property
    def knows_unfair(self) -> bool:
        """True if fair start times were computed."""
        return _UNFAIR in self.axes

    @property
    def weighed(self) -> tuple[str, ...]:
        """The weighed metrics, in a word or two."""
        return tuple(_SHORT[name] for name in self.axes[:3])

    @property
    def of_weighed(self) -> MetricScores:
        """The scores with only the weighted metrics, on three axes (Tang et al. 2013, figure 11)."""
        return MetricScores(self.results, self.axes[:3], self.values[:, :3], self.scores[:, :3])

    def gains(self, baseline: int, own: Sequence[int]) -> dict[str, Floats]:
        """The gain of each run over that at index `baseline` in %, shape (runs,), by the name of the weights.

        `own` are weights of any sum; weights that are all 0 count as equal weights.
        """
        scores = self.scores[:, :3]
        gains = {
            self._named(name): relative_gain(scores, baseline, weights) for name, weights in WEIGHTS.items()
        }
        gains[AVERAGE] = np.mean(list(gains.values()), axis=0)
        total = sum(own)
        shares = tuple(weight / total for weight in own) if total else WEIGHTS["EQUAL"]
        gains[OWN] = relative_gain(scores, baseline, shares)
        return gains

    def untold(self, baseline: int) -> str:
        """The reason why gains over the run at index `baseline` are not known; empty if all are."""
        values, name = self.values[:, :3], self.results[baseline].name
        parts = []
        for axis, metric in enumerate(self.weighed):
            base, others = values[baseline, axis], values[:, axis]
            if np.isnan(base):
                parts.append(f"{metric} of {name}")
            # A baseline of 0 makes every gain infinite: that is told alone, as no other run can help.
            elif base == 0 and np.nanmax(others) > 0:
                are = "are" if metric.endswith("s") else "is"
                return f"Gains are in % of {name}, and its {metric} {are} 0: compare with another run."
            else:
                lacking = np.flatnonzero(np.isnan(others)).tolist()
                parts += [f"{metric} of {self.results[run].name}" for run in lacking]
        return f"Gains cannot be computed for {', '.join(parts)}." if parts else ""

    @property
    def sampled(self) -> str:
        """Of which runs unfair jobs are known of a sample of jobs alone; empty without such runs."""
        sizes = [(result.name, result.schedule.fair_sample) for result in self.results]
        parts = [f"{plural(size, 'job')} of {name}" for name, size in sizes if size is not None]
        return f"Unfair jobs are of a sample, drawn by a seed: {listed(parts)}." if parts else ""

    def format_weights(self, weights: Sequence[int]) -> str:
        """The reader's own weights of the weighed metrics, in %: `50:25:25`."""
        total = sum(weights) or 1
        return ":".join(f"{100 * weight / total:.0f}" for weight in weights)

    def _named(self, weights: str) -> str:
        return "SLOW+" if weights == "UNFAIR+" and not self.knows_unfair else weights

    def format(self, run: int, axis: int) -> str:
        """A value with its score: `Mean wait: 4 h 2 min (score 61)`."""
        metric = parse_metric(self.axes[axis])
        value, score = float(self.values[run, axis]), float(self.scores[run, axis])
        if np.isnan(value):
            return f"{metric.label}: not known"
        return f"{metric.label}: {format_value(metric, value)} (score {number(round(score))})"

    def worst(self, axis: int) -> str:
        """The metric value that has the score 100 on an axis."""
        values = self.values[:, axis]
        known = values[~np.isnan(values)]
        return format_value(parse_metric(self.axes[axis]), float(known.max())) if len(known) else "–"


def tunes(result: Result) -> bool:
    """True if the policy adapts while it runs."""
    return bool(result.schedule.policy.tunings)


def _knows_unfair(results: Sequence[Result]) -> bool:
    """The log's own schedule has no fair starts, whatever was worked out."""
    simulated = [result for result in results if result.schedule.policy.simulated]
    return bool(simulated) and all(result.summary.get(_UNFAIR) is not None for result in simulated)


def gain_range(gains: Sequence[float]) -> tuple[float, float]:
    """The gains in % that a chart shows: all up to 100, and losses down to LEAST_GAIN."""
    known = [gain for gain in gains if not np.isnan(gain)]
    low = max(min([*known, 0.0]), LEAST_GAIN)
    high = max([*known, 10.0])
    room = 0.12 * (high - low)
    return (low - room if low < 0 else 0.0), high + room


@dataclass(frozen=True)
class GainScale:
    """Gains in %: the coordinate is the gain. Larger losses than `full_range` shows are cut off."""

    full_range: AxisRange
    gap = None
    widest = "−200 %"

    @classmethod
    def of(cls, gains: Sequence[float]) -> GainScale:
        """The scale of these gains; NaN gains are ignored."""
        return cls(gain_range(gains))

    def coordinates_of(self, values: Floats) -> Floats:
        """The coordinate of each gain, same shape."""
        return values

    def value(self, coordinate: float) -> float:
        """The gain at a coordinate."""
        return coordinate

    def ticks(self, apart: float, seen: AxisRange | None = None) -> list[tuple[float, str]]:
        """Round gains at least `apart` from each other."""
        low, high = seen or self.full_range
        apart = max(apart, (high - low) / _MOST_TICKS)
        step = next((s for s in _STEPS if s >= apart), 200)
        multiples = range(math.ceil(low / step), math.floor(high / step) + 1)
        return [(float(k * step), f"{format_gain(k * step)} %") for k in multiples]


def format_gain(gain: float) -> str:
    """A gain in whole percents, without the sign for them."""
    return f"{gain:.0f}".replace("-", "−")
