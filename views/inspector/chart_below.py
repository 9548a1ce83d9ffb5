"""What the charts below the inspector's page share: their height, and a word on what lies in them."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, Signal
from PySide6.QtGui import QHelpEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from views.text.ticks import Hours, TimeAxis
from views.text.tooltips import tip
from views.theme.theme import Theme


class ChartBelow(QWidget):
    """A small chart, as high as it needs to be; its kind gives `sizeHint`, `tooltip_at` and its painting.

    `time_clicked` carries the time at a click, in seconds.
    """

    time_clicked = Signal(float)

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._axis: TimeAxis = Hours(0)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self.setAccessibleName(name)

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of another theme."""
        self._theme = theme
        self.update()

    def tooltip_at(self, position: QPointF) -> str:
        """What lies there, in words; empty where there is nothing."""
        return ""

    def event(self, event: QEvent) -> bool:
        """Tooltips name what is under the mouse."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            text = self.tooltip_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), text and tip(text), self)
            return True
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        self.setMinimumHeight(self.sizeHint().height())
        self.updateGeometry()
        self.update()
