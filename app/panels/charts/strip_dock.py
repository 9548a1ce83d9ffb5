"""A dock whose contents form a strip above or below the charts, or a narrow column beside them."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

from app.panels.run_list import RunList

_ACROSS = Qt.DockWidgetArea.TopDockWidgetArea | Qt.DockWidgetArea.BottomDockWidgetArea
_WIDTH = 10


class Grip(QWidget):
    """Handle at the left end of a strip, in place of a title line that would be as high as the strip."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setToolTip("Drag: move to another side of the window; double-click: show in a window of its own")
        self.setCursor(Qt.CursorShape.SizeAllCursor)

    def sizeHint(self) -> QSize:
        return QSize(_WIDTH, 1)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().placeholderText().color())
        middle = self.height() // 2
        for x in (4, 7):
            for y in (-4, 0, 4):
                painter.drawPoint(x, middle + y)
                painter.drawPoint(x, middle + y + 1)


def dress_strip(dock: QDockWidget, window: QMainWindow, runs: RunList) -> None:
    """Show the list of runs in a dock as a strip if the dock is above or below the charts."""
    grip = Grip(dock)
    features = dock.features()

    def follow(area: Qt.DockWidgetArea) -> None:
        across = bool(area & _ACROSS) and not dock.isFloating()
        upright = QDockWidget.DockWidgetFeature.DockWidgetVerticalTitleBar
        dock.setFeatures(features | upright if across else features)
        grip.setVisible(across)
        dock.setTitleBarWidget(grip if across else None)  # type: ignore[arg-type]
        runs.set_across(across)

    dock.dockLocationChanged.connect(follow)
    dock.topLevelChanged.connect(lambda _: follow(window.dockWidgetArea(dock)))
    follow(window.dockWidgetArea(dock))
