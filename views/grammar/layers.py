"""The layers of a series of a composed figure, of each kind."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.arrays import Floats
from views.data.scales import Scale
from views.grammar.encoding import Kind
from views.grammar.marks import ValueMark
from views.grammar.measures import NamedMeasure
from views.plot.dwarfing_bars import CUT
from views.plot.layers import Bars, BoxOutline, Curve, Dots, Intervals, Labels, Layer

GROUP = 0.8
"""The part of a category's room that its bars or boxes take together."""

SPREAD_OUT = 0.5
"""The part that the means of several colours take."""


def series_layers(
    kind: Kind,
    marks: Sequence[ValueMark],
    middle: Floats,
    step: float,
    y: Scale,
    colour: str,
    ink: str,
    run: int | None,
) -> list[Layer]:
    """The layers of a series: `middle` has the coordinate across of each mark, `step` the width of each.

    `run` is its place in the legend, `ink` the colour of whiskers over bars. Joined lines have a `step` of 0.
    """

    def up(values: Sequence[float]) -> Floats:
        return y.coordinates_of(np.array(values, np.float64))

    means, lows, highs = (up([getattr(mark.mean, end) for mark in marks]) for end in ("mean", "low", "high"))
    if kind == "lines":
        # With a width of 0 the marks of a series lie on the same scale, so lines join them; beside each
        # other, over words without an order, they stay apart.
        return [Intervals(middle, means, lows, highs, colour, step == 0.0, run=run)]
    if kind == "bars":
        bars = Bars(middle - step / 2, middle + step / 2, means, [colour] * len(marks), run=run)
        whole = means <= y.full_range[1]  # a cut bar has no whisker, which would reach far below it
        return [bars, _whiskers(middle[whole], lows[whole], highs[whole], ink)]
    if kind == "boxes":
        made = []
        for at, mark in zip(middle, marks, strict=True):
            box = mark.box
            # All five numbers go through the axis' scale, which may be logarithmic.
            low, q1, median, q3, high = up((box.low, box.q1, box.median, box.q3, box.high))
            made.append(BoxOutline(float(at), low, q1, median, q3, high, colour, 0.85 * step, run=run))
        return list(made)
    if kind == "points":
        across = np.repeat(middle, [len(mark.values) for mark in marks])
        return [Dots(across, up([value for mark in marks for value in mark.values]), colour, run=run)]
    return [Curve(middle, means, colour, fill=0.3, base=0.0, run=run)]


def cut_labels(
    bars: Sequence[tuple[float, ValueMark, int | None]], y: Scale, measured: NamedMeasure
) -> list[Layer]:
    """The values of bars that go beyond the vertical axis, at its end.

    `bars` are all of a plot: the coordinate across, the mark, and the place in the legend.
    """
    end = y.full_range[1]
    cut = [bar for bar in bars if bar[1].mean.mean > end]
    apart = np.diff(np.sort([at for at, _, _ in cut]))
    room = float(apart.min(initial=1.0))
    return [
        Labels(
            np.array([at]),
            np.array([end]),
            [f"{CUT} {measured.format(mark.mean.mean)}"],
            room,
            (0.5, 1.0),
            run=run,
        )
        for at, mark, run in cut
    ]


def _whiskers(x: Floats, lows: Floats, highs: Floats, ink: str) -> Curve:
    """Upright lines over bars: a curve with a break after each."""
    gaps = np.full(len(x), np.nan)
    return Curve(np.ravel([x, x, gaps], "F"), np.ravel([lows, highs, gaps], "F"), ink, 1.2)
