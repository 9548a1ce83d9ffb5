"""Histograms: how many users, jobs... have which value, an outline a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from engine.arrays import Floats
from views.data.measures import OVERS
from views.data.samples import RunValues, Samples
from views.data.scales import LinearScale
from views.distribution.words import words_of
from views.plot.area import PlotArea, Point
from views.plot.layers import Curve, Layer
from views.plot.plot import HoverText, Pick, Plot
from views.text.values import percent
from views.theme.theme import Theme

BINS = 36
"""Classes of value, equally wide on the scale."""


def bin_edges(samples: Samples) -> Floats:
    """Coordinates on the scale between which the classes lie, shape (BINS + 1,)."""
    low, high = samples.scale.full_range
    return np.linspace(low, high, BINS + 1)


def bin_shares(samples: Samples, run: RunValues, edges: Floats) -> Floats:
    """The share of the run's units in each class, in %, shape (BINS,)."""
    count, _ = np.histogram(samples.scale.coordinates_of(run.ordered), edges)
    return 100.0 * count / max(len(run.ordered), 1)


def histogram(samples: Samples) -> Histogram:
    """The histogram of some samples."""
    edges = bin_edges(samples)
    shares = [bin_shares(samples, run, edges) for run in samples.runs]
    highest = max((float(share.max()) for share in shares), default=1.0)
    return Histogram(
        words=words_of(
            samples,
            x_name=samples.measure.title_and_unit(samples.over),
            y_name=f"% of the {OVERS[samples.over]}",
        ),
        x=samples.scale,
        y=LinearScale.of(np.array([0.0, highest])),
        samples=samples,
        edges=edges,
        shares=shares,
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class Histogram(Plot):
    """The share of units in each class of value."""

    samples: Samples
    edges: Floats  # coordinates on the scale of values, shape (BINS + 1,)
    shares: Sequence[Floats]  # of each run, %, shape (BINS,)

    def layers(self, theme: Theme) -> Sequence[Layer]:
        """Outlines, each over a faint ground of its colour."""
        xs = np.repeat(self.edges, 2)
        return [
            Curve(
                xs,
                np.concatenate(([0.0], np.repeat(share, 2), [0.0])),
                run.colour,
                1.4,
                fill=0.14,
                run=run.run_id,
            )
            for run, share in zip(self.samples.runs, self.shares, strict=True)
        ]

    def marks(self, units: Sequence[int]) -> list[Pick]:
        """A picked unit on the class that it is in, under each run."""
        scale, show = self.samples.scale, self.samples.measure.show
        marks = []
        for run, value in self.samples.of_units(units):
            coordinate = float(scale.coordinates_of(np.array(value)))
            marks.append(Pick(coordinate, float(self.shares[run][self._class_at(coordinate)]), show(value)))
        return marks

    def _class_at(self, height: float) -> int:
        where = int(np.searchsorted(self.edges, height, "right")) - 1
        return min(max(where, 0), BINS - 1)

    def read(self, area: PlotArea, position: Point) -> HoverText | None:
        """The class at a position, and its count under each run; a click selects the units of the smallest
        bar.
        """
        if not area.box.contains(position):
            return None
        # A bar can be clicked only where it is painted: up to its top. Bars of all runs begin at 0 in the
        # same place, so that the smallest bar at the mouse is in front.
        where = self._class_at(area.x_at(position.x))
        show, value = self.samples.measure.show, self.samples.scale.value
        begin, end = (show(value(float(edge))) for edge in self.edges[where : where + 2])
        lines = [
            f"{run.name}: {percent(float(share[where]))}"
            for run, share in zip(self.samples.runs, self.shares, strict=True)
        ]
        range_text = begin if begin == end else f"{begin} to {end}"
        shares = [float(share[where]) for share in self.shares]
        tops = area.ys(np.array(shares))
        bars = [run for run, share in enumerate(shares) if share and tops[run] <= position.y]
        if not bars:
            return HoverText("\n".join([range_text, *lines]))
        smallest = min(bars, key=lambda run: shares[run])
        offered = f"Click: the {OVERS[self.samples.over]} of {self.samples.runs[smallest].name}"
        return HoverText("\n".join([range_text, *lines, offered]), partial(self._units_in, smallest, where))

    def _units_in(self, run: int, where: int) -> Sequence[int]:
        """The units of a class of value under a run."""
        values = self.samples.runs[run].values
        there = np.flatnonzero(~np.isnan(values))
        coordinates = self.samples.scale.coordinates_of(values[there])
        classes = np.clip(np.searchsorted(self.edges, coordinates, "right") - 1, 0, BINS - 1)
        units: list[int] = there[classes == where].tolist()
        return units
