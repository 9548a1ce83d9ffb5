"""The axes of a box-plot: values at the left, names of runs below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter
from PySide6.QtWidgets import QToolTip

from views.scales import Scale
from views.style import Theme, tick_font
from views.tips import tip

SWATCH = 8.0
_PAD = 4.0
_TALLEST = 112.0
"""Names that stand upright get at most this much height, in pixels, and a third of the chart's."""

_MOST_TICKS = 24
"""Labels of an axis as tall as a screen: room is kept for the widest of these."""


@dataclass(frozen=True)
class NameLayout:
    """How names are written below the boxes: `texts` fit in `slot` by `height`; '' is left out."""

    texts: tuple[str, ...]
    upright: bool
    height: float


def lay_out_names(names: Sequence[str], slot: float, tallest: float, metrics: QFontMetricsF) -> NameLayout:
    """Side by side where each fits in its slot; else upright, shortened only where too tall (pixels).

    Where even lines of text are wider than the slots, every second, third... name is left out.
    """
    line = metrics.height()
    widths = [metrics.horizontalAdvance(name) for name in names]
    if not names or max(widths) <= slot - 2 * _PAD:
        return NameLayout(tuple(names), False, SWATCH + line + 2 * _PAD)
    longest = min(max(widths), tallest)
    texts = [metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, longest) for name in names]
    every = max(1, -int(-line // max(slot, 1.0)))
    kept = tuple(text if place % every == 0 else "" for place, text in enumerate(texts))
    return NameLayout(kept, True, SWATCH + longest + 3 * _PAD)


class NamesAxis(pg.AxisItem):  # type: ignore[misc]
    """Names of runs, each with a swatch of its colour, centred under the places 0, 1, 2, ..."""

    def __init__(self, theme: Theme) -> None:
        super().__init__("bottom")
        self._theme = theme
        self._names: tuple[str, ...] = ()
        self._colours: tuple[str, ...] = ()
        self._layout = NameLayout((), False, 0.0)

    @property
    def names_layout(self) -> NameLayout:
        """How the names are written at the present width."""
        return self._layout

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of another theme."""
        self._theme = theme
        self.update()

    def set_names(self, names: Sequence[str], colours: Sequence[str]) -> None:
        """Show these names."""
        self._names, self._colours = tuple(names), tuple(colours)

    def fit(self, width: float, height: float) -> None:
        """Lay the names out for a plot of this width and a chart of this height, and take what they need."""
        slot = width / max(len(self._names), 1)
        metrics = QFontMetricsF(tick_font(self.font()))
        self._layout = lay_out_names(self._names, slot, min(_TALLEST, height / 3), metrics)
        self.setHeight(self._layout.height)
        self.update()

    def paint(self, p: QPainter, *_: Any) -> None:
        """Draw swatches and names."""
        p.setRenderHint(QPainter.RenderHint.TextAntialiasing)
        p.setFont(tick_font(self.font()))
        bounds = self.mapRectFromParent(self.geometry())
        slot = bounds.width() / max(len(self._names), 1)
        for place, text in enumerate(self._layout.texts):
            middle = bounds.left() + (place + 0.5) * slot
            width = min(0.5 * slot, 26.0)
            swatch = QRectF(middle - width / 2, bounds.top() + _PAD / 2, width, SWATCH - _PAD)
            p.fillRect(swatch, QColor(self._colours[place]))
            p.setPen(QColor(self._theme.text))
            top = bounds.top() + SWATCH + _PAD
            if not self._layout.upright:
                box = QRectF(middle - slot / 2, top, slot, bounds.bottom() - top)
                p.drawText(box, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop, text)
                continue
            p.save()
            p.translate(QPointF(middle, top))
            p.rotate(-90)
            line = QFontMetricsF(p.font()).height()
            box = QRectF(top - bounds.bottom(), -line / 2, bounds.bottom() - top, line)
            p.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
            p.restore()

    def hoverEvent(self, event: Any) -> None:
        """Tell a name in full."""
        if event.isExit() or not self._names:
            QToolTip.hideText()
            return
        bounds = self.mapRectFromParent(self.geometry())
        place = int((event.pos().x() - bounds.left()) / bounds.width() * len(self._names))
        if 0 <= place < len(self._names):
            QToolTip.showText(event.screenPos().toPoint(), tip(self._names[place]))


class ValueAxis(pg.AxisItem):  # type: ignore[misc]
    """Heights of a scale, labelled with the values that they stand for."""

    APART = 26
    """Pixels that labels stay apart at least."""

    def __init__(self, theme: Theme) -> None:
        super().__init__("left", maxTickLength=0)
        self._ticks: list[tuple[float, str]] = []
        self._scale: Scale | None = None
        self.setStyle(tickTextOffset=5, autoReduceTextSpace=False)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of another theme."""
        self.setTickFont(tick_font(self.font()))
        self.setPen(theme.border)
        self.setTextPen(theme.faint)

    def set_scale(self, scale: Scale | None) -> None:
        """Label this scale, or nothing; the width does not hang on the height, so that layouts settle."""
        self._scale = scale
        widest = max(map(self._text_width, scale.ticks(_extent(scale) / _MOST_TICKS))) if scale else 0.0
        self.setWidth(widest + 12)

    def fit(self, pixels: float) -> None:
        """Choose ticks for an axis of this height."""
        scale = self._scale
        self._ticks = scale.ticks(self.APART * _extent(scale) / max(pixels, 1.0)) if scale else []
        self.setTicks([self._ticks])

    def _text_width(self, tick: tuple[float, str]) -> float:
        return QFontMetricsF(tick_font(self.font())).horizontalAdvance(tick[1])

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Height and text of each tick, from the bottom."""
        return self._ticks


def _extent(scale: Scale) -> float:
    low, high = scale.span
    return high - low
