"""Relative gains over a baseline run as bars, by several weights (Tang et al. 2013, figure 12)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.arrays import Floats
from views.data.metric_scores import AVERAGE, OWN, WEIGHTS_IN_WORDS, GainScale, format_gain
from views.data.results import NO_JOBS, Result, has_jobs
from views.data.scales import Categories
from views.plot.area import PlotArea, Point
from views.plot.layers import Bars, Labels, Layer, ReferenceLine
from views.plot.plot import Category, EmptyPlot, HoverText, Plot, PlotWords, PrintRoom
from views.text.values import signed_percent
from views.theme.theme import Theme

EMPTY = "Gains are relative to a baseline run: add a second run."
UNTOLD = "The gain of this run is not known."

_TITLE = "Relative gain"
_CUT = "↓"

NO_GAIN = "?"
"""Stands where a bar would, of a gain that is not known."""

_BARS = 0.75
"""Share of a group that its bars take."""

_GROUP = 1.0
"""Width of a group of bars with the space behind it."""

_LINE = 1.4
"""From a line of numbers to the next, as a multiple of its height."""

_VALUES = 1.0
"""Width of a value at most, as a share of its bar's: those of neighbours would read as one number."""


def unfinished_plot(finished: int, count: int) -> Plot:
    """The plot instead of gains while fewer than two of the `count` runs are finished."""
    if count < 2:
        return EmptyPlot(words=PlotWords(_TITLE, message=EMPTY))
    done = "is finished" if finished == 1 else "are finished"
    message = f"Gains are relative to a baseline run: {finished or 'none'} of the {count} runs {done} so far."
    return EmptyPlot(words=PlotWords(_TITLE, message=message))


def gains_plot(
    results: Sequence[Result],
    baseline: int,
    gains: Mapping[str, Floats],
    hidden: frozenset[int] = frozenset(),
    weighed: str = "",
    weights: str = "",
    untold: str = "",
) -> Plot:
    """The gains in % of all runs, by the name of the weights, over the run at index `baseline`.

    Runs whose ids are `hidden` are left out. `weighed` names the weighed metrics if nothing else does; the
    reader's own weights, the last, are then called `weights`. `untold` says why gains that are NaN are not
    known.
    """
    others = [run for run in range(len(results)) if run != baseline]
    if not others:
        return EmptyPlot(words=PlotWords(_TITLE, message=EMPTY))
    if not has_jobs(results):
        return EmptyPlot(words=PlotWords(_TITLE, message=NO_JOBS))
    # Runs that the legend hides leave no gap but still count for the scale, so that bars do not jump.
    shown = [run for run in others if results[run].run_id not in hidden]
    table = np.array([gain[shown] for gain in gains.values()])
    title = f"Relative gain over {results[baseline].name}"
    # Nothing is known of any shown run: the reason is better than an empty plot.
    if shown and np.isnan(table).all():
        return EmptyPlot(words=PlotWords(title, message=untold or UNTOLD))
    return GainsPlot(
        words=PlotWords(
            title,
            y_name=weighed,
            terms=("gain",),
            note=f"{NO_GAIN}  {untold or UNTOLD}" if np.isnan(table).any() else "",
        ),
        x=Categories(len(gains)),
        y=GainScale.of([float(gain[run]) for gain in gains.values() for run in others]),
        slots=[
            Category(weights if weights and name == OWN else name, words=_in_words(name)) for name in gains
        ],
        runs=[results[run] for run in shown],
        gains=table,
        untold=untold or UNTOLD,
    )


def _in_words(name: str) -> str:
    """The weights of this name in two or three words, with the name itself where it is an abbreviation."""
    if name not in WEIGHTS_IN_WORDS:
        return name
    words = WEIGHTS_IN_WORDS[name][0]
    return words if name in (AVERAGE, OWN) else f"{words} ({name})"


@dataclass(frozen=True, eq=False, kw_only=True)
class GainsPlot(Plot):
    """A group of bars for each set of weights, one bar per run other than the baseline, in its colour.

    `gains` are in %, shape (groups, runs). `untold` says why those that are NaN are not known.
    """

    runs: Sequence[Result]
    gains: Floats
    untold: str = UNTOLD

    @property
    def paper(self) -> PrintRoom:
        """The plot has the page to itself."""
        return PrintRoom(2.4)

    @property
    def groups(self) -> list[str]:
        """The names of the weights."""
        return [slot.name for slot in self.slots]

    def bar(self, group: int, run: int) -> tuple[float, float]:
        """The two ends of a bar on the scale across; `run` is an index into `runs`."""
        left = group - _BARS / 2 + run * self._width
        return left, left + self._width

    @property
    def _width(self) -> float:
        return _BARS / max(len(self.runs), 1)

    def layers(self, theme: Theme) -> Sequence[Layer]:
        """A line before the reader's own weights, bars with their values, and the line at 0."""
        border = ReferenceLine(len(self.groups) - 1.5, theme.border, upright=True, dashed=False)
        of_runs = [layer for run in range(len(self.runs)) for layer in self._layers_of(run)]
        # All bars lie below all numbers: a number that is wider than its bar would be cut by the next bar.
        of_runs.sort(key=lambda layer: not isinstance(layer, Bars))
        return [border, *of_runs, ReferenceLine(0.0, theme.faint, dashed=False)]

    def _layers_of(self, run: int) -> Iterator[Layer]:
        group = np.flatnonzero(~np.isnan(self.gains[:, run]))
        gains, result = self.gains[group, run], self.runs[run]
        left = group.astype(np.float64) + self.bar(0, run)[0]
        yield Bars(left, left + self._width, gains, [result.colour] * len(group), run=result.run_id)
        middle = left + self._width / 2
        # Bars that leave the axis are cut at its lower end: an arrow there, in the bar, says so.
        low = self.y.full_range[0]
        cut = gains < low
        if cut.any():
            texts = [f"{_CUT} {format_gain(gain)}" for gain in gains[cut].tolist()]
            ends = np.full(len(texts), low)
            # A number is wider than a thin bar and must not be missing: each run has a line of its own for
            # them, above those of the runs before it, so that they have the width of a group.
            line = 1.0 + _LINE * int(np.count_nonzero((self.gains[:, :run] < low).any(axis=0)))
            yield Labels(middle[cut], ends, texts, _GROUP, (0.5, line), run=result.run_id)
        for there, anchor in ((gains >= 0, (0.5, 1.0)), ((gains < 0) & ~cut, (0.5, 0.0))):
            texts = [format_gain(gain) for gain in gains[there].tolist()]
            yield Labels(middle[there], gains[there], texts, _VALUES * self._width, anchor, run=result.run_id)
        if len(lost := np.flatnonzero(np.isnan(self.gains[:, run]))):
            under = lost.astype(np.float64) + self.bar(0, run)[0] + self._width / 2
            texts = [NO_GAIN] * len(lost)
            width = _VALUES * self._width
            yield Labels(under, np.zeros(len(lost)), texts, width, (0.5, 1.0), run=result.run_id)

    def read(self, area: PlotArea, position: Point) -> HoverText | None:
        """The gains of the run whose bar is at the position; what weights mean, below their name."""
        x = area.x_at(position.x)
        group = round(x)
        if position.y > area.box.bottom and 0 <= group < len(self.groups):
            name = self.groups[group]
            return HoverText(f"{name}: {WEIGHTS_IN_WORDS[name][1]}" if name in WEIGHTS_IN_WORDS else name)
        if not area.box.contains(position):
            return None
        run = int((x - self.bar(group, 0)[0]) // self._width)
        if not 0 <= run < len(self.runs):
            return None
        gains = self.gains[:, run]
        groups = zip(self.groups, gains.tolist(), strict=True)
        known = [(_in_words(name), gain) for name, gain in groups if gain == gain]
        lines = [f"{name}: {signed_percent(gain)}" for name, gain in known]
        if len(known) < len(gains):
            lines.append(self.untold)
        return HoverText("\n".join([self.runs[run].name, *lines]))
