"""Where the parts of the chart of waits lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFont, QFontMetricsF

from engine.schedule.explain import Promise, Span
from views.inspector.kinds import KIND_COLOURS, KIND_NAMES
from views.inspector.lanes import Lane, kinds_of, window_of
from views.raster.time_scale import TimeScale
from views.timechart.axis import AXIS_HEIGHT

MARGIN = 10.0
BAR = 10.0
"""Height of a span; the run is taller by GROWN above and below."""

GROWN = 2.0
MARK = 6.0
"""Width and height of the mark of a promised start."""

SWATCH = 9.0
PROMISE = ""
"""In place of a colour: the entry of the legend that is a mark."""

_GAP = 6.0


@dataclass(frozen=True, eq=False)
class WaitFrame:
    """Lanes one above the other in a width in pixels, the axis below them, then the legend.

    A lane is a line of text, marks, and a bar.
    """

    lanes: Sequence[Lane]
    width: float
    font: QFont

    @cached_property
    def metrics(self) -> QFontMetricsF:
        """Of the font of all text."""
        return QFontMetricsF(self.font)

    @cached_property
    def line(self) -> float:
        """Height of a line of text, in whole pixels so that bars are sharp."""
        return float(ceil(self.metrics.height()) + 2)

    @cached_property
    def scale(self) -> TimeScale:
        """The one axis of all lanes."""
        start, end = window_of(self.lanes)
        return TimeScale(float(start), float(end), MARGIN, max(self.width - 2 * MARGIN, 1.0))

    @property
    def axis(self) -> QRectF:
        """Room of the time axis."""
        return QRectF(0, self._top(len(self.lanes)), self.width, AXIS_HEIGHT)

    @property
    def height(self) -> float:
        """Height of the whole chart, in pixels."""
        lowest = max((y for *_, y in self.legend), default=self.axis.bottom() - self.line)
        return lowest + self.line + 4

    @cached_property
    def legend(self) -> list[tuple[str, str, float, float]]:
        """Colour or PROMISE, name, left and top edge of each entry, in as many lines as are needed."""
        entries = []
        x, y = MARGIN, self.axis.bottom() + 4
        for colour, name in _legend_entries(self.lanes):
            needs = SWATCH + 4 + self.metrics.horizontalAdvance(name)
            if x > MARGIN and x + needs > self.width - MARGIN:
                x, y = MARGIN, y + self.line
            entries.append((colour, name, x, y))
            x += needs + 2 * _GAP
        return entries

    def name_box(self, lane: int) -> QRectF:
        """Room for the run's name."""
        return QRectF(MARGIN, self._top(lane), self.width - 2 * MARGIN, self.line)

    def bar(self, lane: int, begin: float, end: float) -> QRectF:
        """Where a stretch of time is drawn, at least a pixel wide."""
        scale = self.scale
        left, right = (min(max(scale.x(t), scale.left), scale.left + scale.width) for t in (begin, end))
        left = min(left, scale.left + scale.width - 1)
        return QRectF(left, self.name_box(lane).bottom() + MARK + GROWN, max(right - left, 1.0), BAR)

    def marks(self, lane: int) -> list[tuple[Promise, float]]:
        """Each promised start that is in sight, as last told, with its x."""
        latest = {promise.start: promise for promise in self.lanes[lane].told.promises}
        return [
            (promise, self.scale.x(start))
            for start, promise in sorted(latest.items())
            if self.scale.start <= start <= self.scale.end
        ]

    def lane_at(self, position: QPointF) -> int | None:
        """The lane at a position; None between and beside lanes."""
        for k in range(len(self.lanes)):
            if self.name_box(k).top() <= position.y() <= self.bar(k, 0, 0).bottom() + GROWN:
                return k
        return None

    def span_at(self, lane: int, x: float) -> Span | None:
        """The span of a lane at an x: of those less than a pixel wide the longest one there."""
        spans = [
            span
            for span in self.lanes[lane].told.spans
            if (box := self.bar(lane, span.begin, span.end)).left() - 0.5 <= x <= box.right() + 0.5
        ]
        return max(spans, key=lambda span: span.seconds, default=None)

    def _top(self, lane: int) -> float:
        return 4 + lane * (self.line + MARK + BAR + 2 * GROWN + 6)


def _legend_entries(lanes: Sequence[Lane]) -> list[tuple[str, str]]:
    """Colours and names of the kinds that are shown, and the mark of promised starts."""
    entries = [(KIND_COLOURS[kind], KIND_NAMES[kind]) for kind in kinds_of(lanes)]
    if any(lane.told.promises for lane in lanes):
        entries.append((PROMISE, "promised start"))
    return entries
