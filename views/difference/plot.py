"""What scatter and histogram share: a picture made elsewhere, a click, and a drag over a rectangle."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolTip, QWidget

from views.data.comparison import Comparison
from views.raster.request import Want
from views.state.context import Stage
from views.text.tooltips import show_tip
from views.theme.theme import Theme, title_font
from views.timechart.frame import paint_focus
from views.timechart.gestures import CLICK_PIXELS
from views.timechart.picture import Picture
from views.work.async_memo import AsyncMemo

Ints = NDArray[np.int64]


class Plot(QWidget):
    """A chart of a pair of runs that is not over time.

    A kind of chart gives `plot` (where its data lie), `painter_of` (how their picture is made),
    `paint_over`, `tooltip_at`, and which jobs a place or a rectangle stands for.
    """

    def __init__(self, stage: Stage, theme: Theme, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAccessibleName(title)
        self.setMinimumSize(220, 150)
        self.selection, self.filter, self.theme, self.title = stage.selection, stage.filter, theme, title
        self.comparison: Comparison | None = None
        self.message = "Nothing to compare yet"
        self._origin: QPointF | None = None
        self._corner: QPointF | None = None
        self._memo: AsyncMemo[Picture] = AsyncMemo(stage.executor, title, self)
        self._memo.ready.connect(self.update)
        self.selection.changed.connect(self.update)
        self.filter.changed.connect(self.update)

    def show_comparison(self, comparison: Comparison | None) -> None:
        """Show this pair of runs."""
        self.comparison = comparison
        self._memo.forget()
        self.setAccessibleDescription(self.summary())
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self.theme = theme
        self.update()

    def want(self, size: QSize) -> Want:
        """The picture of that size in device pixels; it is not over time."""
        return Want((0.0, 1.0), size.width(), size.height(), self.devicePixelRatioF())

    def bright(self) -> Callable[[Ints], NDArray[np.bool_] | None]:
        """What tells, in another thread, which of some jobs are not drawn back; None: all."""
        comparison, dimmed = self.comparison, self.filter.value.dimmed
        selection = self.selection.value.without_span

        def of(jobs: Ints) -> NDArray[np.bool_] | None:
            if comparison is None:
                return None
            picked = selection.mask(comparison.trace)
            if dimmed is not None:
                matching = dimmed.mask(comparison.jobs)
                picked = matching if picked is None else picked & matching
            return None if picked is None else picked[jobs]

        return of

    # What a kind of chart adds.

    def summary(self) -> str:
        """What the chart shows, in a sentence, for those who do not see it."""
        return self.message

    def plot(self, whole: QRectF) -> QRectF:
        """Where the data lie within the widget."""
        raise NotImplementedError

    def painter_of(self, size: QSize) -> Callable[[], Picture] | None:
        """What makes the picture, in another thread; None: there are no data."""
        raise NotImplementedError

    def paint_over(self, painter: QPainter, plot: QRectF) -> None:
        """Axes and what lies over the picture."""

    def tooltip_at(self, place: QPointF) -> str:
        """What lies there, in a few words; empty: nothing."""
        return ""

    def jobs_near(self, place: QPointF) -> Ints:
        """The jobs that a click there means, as indices into the trace."""
        return np.empty(0, np.int64)

    def jobs_in(self, area: QRectF) -> Ints:
        """The jobs within a rectangle."""
        return np.empty(0, np.int64)

    # Painting and events.

    def paintEvent(self, event: QPaintEvent) -> None:
        """The picture as far as it is there, axes, and the rectangle that is being drawn."""
        painter, theme = QPainter(self), self.theme
        plot = self.plot(QRectF(self.rect()))
        painter.fillRect(self.rect(), QColor(theme.window))
        painter.fillRect(plot, QColor(theme.chart))
        ratio = self.devicePixelRatioF()
        make = self.painter_of((plot.size() * ratio).toSize())
        if make is not None:
            bright = self.selection.value.without_span, self.filter.value
            look = plot.size().toTuple(), ratio, theme.name, bright
            self._memo.request(look, make)
            if self._memo.value is not None:
                painter.drawImage(plot, self._memo.value.image)
        painter.setPen(QColor(theme.border))
        painter.drawRect(plot.adjusted(-0.5, -0.5, 0.5, 0.5))
        painter.setFont(title_font(self.font()))
        painter.setPen(QColor(theme.text))
        painter.drawText(QPointF(8, painter.fontMetrics().ascent() + 4), self.title)
        painter.setFont(self.font())
        if make is None:
            painter.setPen(QColor(theme.faint))
            painter.drawText(plot, Qt.AlignmentFlag.AlignCenter, self.message)
        else:
            self.paint_over(painter, plot)
        self._paint_moving(painter)
        painter.end()

    def _paint_moving(self, painter: QPainter) -> None:
        if self._origin is not None and self._corner is not None:
            veil = QColor(self.theme.accent)
            painter.setPen(veil)
            veil.setAlpha(45)
            painter.setBrush(veil)
            painter.drawRect(QRectF(self._origin, self._corner).normalized())
        if self.hasFocus():
            paint_focus(painter, QRectF(self.rect()), self.theme)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click or a rectangle begins."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._origin, self._corner = event.position(), None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """The rectangle follows the hand; else what lies there is told."""
        if self._origin is not None:
            far = (event.position() - self._origin).manhattanLength() >= CLICK_PIXELS
            if far or self._corner is not None:
                self._corner = event.position()
                QToolTip.hideText()
                self.update()
            return
        show_tip(event, self.tooltip_at(event.position()), self)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Pick the jobs of the rectangle, or those at the click; with ctrl or shift in addition."""
        origin, corner = self._origin, self._corner
        self._drop()
        if origin is None or self.comparison is None:
            return
        more = event.modifiers() & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
        found = (
            self.jobs_near(origin) if corner is None else self.jobs_in(QRectF(origin, corner).normalized())
        )
        if len(found):
            kept = self.selection.value.jobs if more else frozenset()
            self.selection.select_jobs(self.comparison.trace, kept | frozenset(found.tolist()))
        elif not more:
            self.selection.clear()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc drops the rectangle, else the selection."""
        if event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
        elif self._corner is not None:
            self._drop()
        else:
            self.selection.clear()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show that keys go here."""
        self.update()
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Keys go elsewhere."""
        self._drop()
        super().focusOutEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """The mouse is elsewhere."""
        QToolTip.hideText()
        super().leaveEvent(event)

    def _drop(self) -> None:
        self._origin = self._corner = None
        self.update()
