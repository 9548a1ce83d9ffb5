"""The two plots of a search: its front, and all that was tried as parallel coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from views.data.scales import AxisRange, Categories, LinearScale, Scale
from views.data.search_results import ParallelAxis, SearchResults, axis_title, scale_of
from views.data.shown_runs import ShownRuns
from views.data.view_options import ViewOptions
from views.plot.area import PlotArea, Point
from views.plot.layers import Curve, Dots, Labels, Layer, ReferenceLine
from views.plot.page import PlotPage
from views.plot.plot import Category, HoverText, Pick, Plot, PlotWords, PrintRoom
from views.plot.sampling import LEAST
from views.theme.palette import RUN_COLOURS
from views.theme.theme import Theme

FRONT, BASELINE = RUN_COLOURS[0], RUN_COLOURS[1]
"""The colours of what no trial beats, and of what is to be beaten."""

_DOT, _BIG = 6.0, 9.0  # pixels
_NEAR = 10.0  # pixels within which a dot or a line is hit
_ROOM = 0.12
"""Room above and below parallel coordinates, for the labels of their ends."""

_MOST_LABELS = 12
"""Maximum number of words along an axis: more would overlap."""

_EMPTY = "The first policies are being tried."


@dataclass(frozen=True, eq=False, kw_only=True)
class FrontPlot(Plot):
    """A dot for each trial; with a single objective over the number of the trial. A click picks the index of
    a trial.
    """

    results: SearchResults
    xs: Floats
    ys: Floats
    base: tuple[float, float] | None  # the baseline on the searched span

    @property
    def paper(self) -> PrintRoom:
        """As wide as the page."""
        return PrintRoom(2.4, 3.4)

    def layers(self, theme: Theme) -> Sequence[Layer]:
        """Trials that break a bound, trials within all bounds, the front, and the baseline."""
        kept = np.array([trial.kept for trial in self.results.trials], np.bool_)
        front = np.array(self.results.front, np.int64)
        # The front is joined from left to right; trials are in the order in which they were tried.
        order = front[np.argsort(self.xs[front], kind="stable")]
        # From the back: what breaks a bound, what keeps all, the front over both, the baseline over all.
        layers: list[Layer] = [
            Dots(self.xs[~kept], self.ys[~kept], theme.unknown, 0.6, _DOT),
            Dots(self.xs[kept], self.ys[kept], theme.faint, 0.9, _DOT),
        ]
        # A single objective has no front to join: the best so far stand for themselves.
        if len(self.results.question.objectives) > 1:
            layers.append(Curve(self.xs[order], self.ys[order], FRONT, 1.2))
        layers.append(Dots(self.xs[front], self.ys[front], FRONT, 1 / LEAST, _BIG))
        if self.base is not None:
            x, y = self.base
            layers.append(ReferenceLine(y, BASELINE))
            if np.isfinite(x):
                layers += [
                    ReferenceLine(x, BASELINE, upright=True),
                    Dots(np.array([x]), np.array([y]), BASELINE, 1 / LEAST, _BIG),
                ]
        return layers

    def read(self, area: PlotArea, position: Point) -> HoverText | None:
        """The trial there."""
        hit = area.nearest(self.xs, self.ys, position, _NEAR)
        if hit is None:
            return None
        spot = float(self.xs[hit]), float(self.ys[hit])
        return HoverText(self.results.describe(hit), lambda: [hit], spot)

    def marks(self, units: Sequence[int]) -> list[Pick]:
        """The trials that are chosen in the table."""
        there = [unit for unit in units if unit < len(self.xs) and np.isfinite(self.xs[unit] + self.ys[unit])]
        return [Pick(float(self.xs[unit]), float(self.ys[unit]), "") for unit in there]


def search_page(shown: ShownRuns, _: ViewOptions) -> PlotPage:
    """Both plots of what was tried."""
    results = shown.own.get(SearchResults)
    goals = ", ".join(map(str, results.question.objectives))
    return PlotPage((front_plot(results), parallel_plot(results)), title=goals)


def front_plot(results: SearchResults) -> FrontPlot:
    """The first two objectives against each other, or the only objective over the number of the trial."""
    first, *others = [objective.metric for objective in results.question.objectives]
    answer = results.answer
    base = answer.baseline.trial.values if answer is not None else {}
    across, up = (first, others[0]) if others else ("", first)
    ys = results.values(up)
    # With a single objective the x axis is the number of the trial: how long the search took to find it.
    xs = results.values(across) if across else np.arange(1.0, len(ys) + 1)
    # The baseline takes part in the scales, else it might lie outside of the plot.
    at = np.array([_or_nan(base.get(across)), _or_nan(base.get(up))])
    x: Scale = scale_of(across, np.append(xs, at[0])) if across else LinearScale(1.0, max(len(xs), 2))
    y = scale_of(up, np.append(ys, at[1]))
    words = PlotWords(
        title="Front" if others else "Found so far",
        text="Blue: best so far (Pareto front) within all bounds. Orange: baseline. Pale: outside a bound. "
        "All on the span that is searched.",
        x_name=axis_title(across) if across else "policies tried",
        y_name=f"{axis_title(up)}, blue: best so far (Pareto front), orange: baseline",
        message="" if results.trials else _EMPTY,
    )
    # A baseline without the first value has a line across but no dot.
    spot = float(x.coordinates_of(at[:1])[0]), float(y.coordinates_of(at[1:])[0])
    return FrontPlot(
        words=words,
        x=x,
        y=y,
        results=results,
        xs=x.coordinates_of(xs),
        ys=y.coordinates_of(ys),
        base=spot if np.isfinite(spot[1]) else None,
    )


def _or_nan(value: float | None) -> float:
    return np.nan if value is None else value


@dataclass(frozen=True)
class _Bare(LinearScale):
    """A scale without ticks: each axis has labels of its own."""

    def ticks(self, apart: float, seen: AxisRange | None = None) -> list[tuple[float, str]]:
        """No ticks."""
        return []


@dataclass(frozen=True, eq=False, kw_only=True)
class ParallelPlot(Plot):
    """A line a trial from axis to axis; a click picks the index of a trial."""

    results: SearchResults
    parallel_axes: Sequence[ParallelAxis]
    heights: Floats  # shape (trials, parallel_axes)

    @property
    def paper(self) -> PrintRoom:
        """As wide as the page."""
        return PrintRoom(2.2, 3.4)

    def layers(self, theme: Theme) -> Sequence[Layer]:
        """All trials, the front over them, the axes, and labels at their ends."""
        kept = np.array([trial.kept for trial in self.results.trials], np.bool_)
        front = np.zeros(len(kept), np.bool_)
        front[list(self.results.front)] = True
        # From faint to bold, so that the front lies over the mass of the trials.
        layers = [
            self._lines(~kept & ~front, theme.grid, 1.0),
            self._lines(kept & ~front, theme.unknown, 1.0),
            self._lines(front, FRONT, 1.8),
        ]
        # Of an axis with many values only every n-th is labelled, at most so many.
        marks = [
            (float(k), height, text)
            for k, axis in enumerate(self.parallel_axes)
            for height, text in axis.labels[:: max(1, -(-len(axis.labels) // _MOST_LABELS))]
        ]
        x, y = (np.array([mark[axis] for mark in marks], np.float64) for axis in (0, 1))
        axes = [
            ReferenceLine(float(k), theme.border, upright=True, dashed=False)
            for k in range(len(self.parallel_axes))
        ]
        return [*axes, *layers, Labels(x + 0.05, y, [text for *_, text in marks], 0.9, (0.0, 0.5))]

    def read(self, area: PlotArea, position: Point) -> HoverText | None:
        """The line at the position; of several lines the line of the front."""
        if not area.box.contains(position) or not len(self.heights):
            return None
        at = area.x_at(position.x)
        left = min(max(int(np.floor(at)), 0), max(len(self.parallel_axes) - 2, 0))
        right = min(left + 1, len(self.parallel_axes) - 1)
        share = min(max(at - left, 0.0), 1.0)
        heights = self.heights[:, left] * (1 - share) + self.heights[:, right] * share
        away = np.abs(area.ys(heights) - position.y)
        away[list(self.results.front)] -= _NEAR / 2
        if not (away <= _NEAR).any():
            return None
        hit = int(np.nanargmin(away))
        return HoverText(self.results.describe(hit), lambda: [hit], (at, float(heights[hit])))

    def marks(self, units: Sequence[int]) -> list[Pick]:
        """The trials that are chosen in the table, at each axis."""
        return [
            Pick(float(k), float(self.heights[unit, k]), "")
            for unit in units
            if unit < len(self.heights)
            for k in range(len(self.parallel_axes))
            if np.isfinite(self.heights[unit, k])
        ]

    def _lines(self, which: NDArray[np.bool_], colour: str, width: float) -> Curve:
        """The lines of some trials as a single line, separated by NaN."""
        rows = self.heights[which]
        gap = np.full((len(rows), 1), np.nan)
        x = np.tile(np.append(np.arange(len(self.parallel_axes), dtype=np.float64), np.nan), len(rows))
        return Curve(x, np.hstack((rows, gap)).ravel(), colour, width)


def parallel_plot(results: SearchResults) -> ParallelPlot:
    """All tried configurations: an axis for each varied key, then for each metric."""
    axes = results.parallel_axes
    heights = np.column_stack([axis.heights for axis in axes]) if results.trials else np.zeros((0, len(axes)))
    words = PlotWords(
        title="All configurations tried",
        text="One line per policy, through its keys and results. Blue: best so far (Pareto front).",
        y_name="one line per policy, blue: best so far (Pareto front)",
        message="" if results.trials else _EMPTY,
    )
    return ParallelPlot(
        words=words,
        x=Categories(len(axes)),
        y=_Bare(-_ROOM / 2, 1 + _ROOM / 2),
        slots=[Category(axis.name) for axis in axes],
        results=results,
        parallel_axes=axes,
        heights=heights,
    )
