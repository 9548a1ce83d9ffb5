"""The radar: an axis a metric, a polygon a run; the smaller, the better (Tang et al. 2013, figure 11)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.arrays import Floats
from engine.metrics.metric_names import parse_metric
from views.data.metric_scores import MetricScores, tunes
from views.data.results import NO_JOBS, has_jobs
from views.data.scales import AxisRange, Categories
from views.plot.area import PlotArea, Point
from views.plot.layers import Labels, Layer, Polygon, RadarGrid
from views.plot.plot import EmptyPlot, HoverText, Plot, PlotWords, PrintRoom
from views.theme.theme import Theme

TITLE = "Scores: 100 is the worst run"
WEIGHED = "Scores of the weighed metrics"
EMPTY = "The radar compares runs: it needs two finished runs."
_DASHED = "Runs without tuning are dashed."
_RINGS = (25.0, 50.0, 75.0, 100.0)
_ASIDE = 0.55
"""Share of the width that names of metrics take beside the rings."""

_WHOLE = 7.0
"""Width in print in inches: nothing else is beside it."""

_LEAST = 24.0
"""Pixels of the radius, however small the plot is."""

_LINES = 10.0
"""Lines of text of the least height."""

_NEAR = 14.0
"""Pixels within which the mouse means a corner."""


def radar_plot(scores: MetricScores, hidden: frozenset[int] = frozenset(), title: str = TITLE) -> Plot:
    """The radar of all runs except the hidden runs, by id."""
    if len(scores.results) < 2:
        return EmptyPlot(words=PlotWords(title, message=EMPTY))
    if not has_jobs(scores.results):
        return EmptyPlot(words=PlotWords(title, message=NO_JOBS))
    adaptive = any(map(tunes, scores.results))
    shown = [run for run, result in enumerate(scores.results) if result.run_id not in hidden]
    told = [_DASHED if adaptive else "", scores.sampled if scores.knows_unfair else ""]
    words = PlotWords(title, " ".join(filter(None, told)))
    return RadarPlot(words=words, x=Categories(1), y=Categories(1), scores=scores, shown=shown)


@dataclass(frozen=True, eq=False, kw_only=True)
class RadarPlot(Plot):
    """Scores as distances from the middle, in the plane; `shown` are positions among the runs."""

    scores: MetricScores
    shown: Sequence[int]
    has_axes = False

    @property
    def paper(self) -> PrintRoom:
        """As wide as the page, for the words around it."""
        return PrintRoom(3.6 if len(self.scores.axes) > 3 else 2.7, width=_WHOLE)

    @property
    def least_lines(self) -> float:
        """Lines above and below, and between them rings that are higher than the words beside them."""
        return _LINES

    def full_ranges(self, width: float, height: float, line: float) -> tuple[AxisRange, AxisRange]:
        """Ranges as large as the words around it allow: two lines above and below, half the width beside."""
        lines, diameters = (3, 1.85) if len(self.scores.axes) % 2 else (4, 2.0)  # odd: none points down
        tall = (height - lines * line - 8) / diameters
        radius = max(min(width * (1 - _ASIDE) / 2, tall), _LEAST)
        score = 100.0 / radius  # a pixel
        above = (2 * line + 4 + max(tall, radius)) * score
        return (-width / 2 * score, width / 2 * score), (above - height * score, above)

    def layers(self, theme: Theme) -> Sequence[Layer]:
        """The rings, over them the runs, the first on top, and the numbers of the rings."""
        names = [
            (parse_metric(name).label, f"100: {self.scores.worst(axis)}")
            for axis, name in enumerate(self.scores.axes)
        ]
        adaptive = any(map(tunes, self.scores.results))
        runs = [
            Polygon(*self.corners(run), result.colour, adaptive and not tunes(result), run=result.run_id)
            for run, result in enumerate(self.scores.results)
            if run in self.shown
        ]
        between = np.pi / len(self.scores.axes)  # where no run has a corner: half-way to the last axis
        inner = np.array(_RINGS[:-1], float) * np.cos(between)
        numbers = [f"{ring:g}" for ring in _RINGS[:-1]]
        at = -inner * np.sin(between), inner * np.cos(between)
        scale = Labels(*at, numbers, _RINGS[0], colours=[theme.faint] * len(numbers))
        return [RadarGrid(_RINGS, names), *reversed(runs), scale]

    def corners(self, run: int) -> tuple[Floats, Floats]:
        """The corner of a run on each axis, shape (axes,) each; NaN if its score is not known."""
        angle = 2 * np.pi * np.arange(len(self.scores.axes)) / len(self.scores.axes)
        scores = self.scores.scores[run]
        return scores * np.sin(angle), scores * np.cos(angle)

    def read(self, area: PlotArea, position: Point) -> HoverText | None:
        """All scores of the runs that have a corner there."""
        texts, spot = list[str](), None
        for run in self.shown:
            x, y = self.corners(run)
            corner = area.nearest(x, y, position, _NEAR)
            if corner is not None:
                spot = spot or (float(x[corner]), float(y[corner]))
                lines = [self.scores.format(run, axis) for axis in range(len(self.scores.axes))]
                texts.append("\n".join([self.scores.results[run].name, *lines]))
        return HoverText("\n\n".join(texts), spot=spot) if texts else None
