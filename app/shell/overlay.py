"""The inspector over the charts: it takes no room from them, whatever is selected."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QCursor, QMouseEvent
from PySide6.QtWidgets import QAbstractScrollArea, QDockWidget, QFrame, QMainWindow, QWidget

from app.panels.charts.chart_splitter import ChartSplitter
from views.state.view_state import ViewState
from views.work.widget_handlers import EventWatch

_LETTERS = 50
"""Of the dock's font: its width until a hand has chosen another."""

_MOST = 0.6
"""The largest part of the room's width that the inspector covers."""

_EDGE = 5
"""Pixels of the edge that is dragged to another width."""


class Edge(QFrame):
    """Edge of the inspector towards the charts; a hand drags it, and the view keeps the share of the room."""

    def __init__(self, dock: QDockWidget, view: ViewState) -> None:
        super().__init__(dock)
        self._dock, self._view = dock, view
        self.setCursor(Qt.CursorShape.SplitHCursor)
        self.setFrameShape(QFrame.Shape.VLine)
        self.setToolTip("Drag: as wide as you want the details")

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        dock, room = self._dock, self._dock.parentWidget()
        if room is None or not room.width():
            return
        x = room.mapFromGlobal(event.globalPosition()).x()
        width = dock.geometry().right() - x if self.x() == 0 else x - dock.x()
        self._view.choose(inspector_share=min(max(round(width / room.width(), 3), 0.05), _MOST))


class Overlay(QObject):
    """Dock that lies over the right edge of the charts of `division`, or of the page that replaces them.

    It lies over the left edge instead if it would cover the mouse, as after a click on a job there, or the
    middle of the widget that `keep_off` names. From `lie` to `end` the window's layout is without the dock.
    """

    def __init__(self, dock: QDockWidget, division: ChartSplitter, view: ViewState) -> None:
        super().__init__(dock)
        room, charts = division.parentWidget(), division.widget(0)
        assert room is not None
        assert charts is not None
        self._dock, self._division, self._view = dock, division, view
        self._room: QWidget = room
        self._charts: QWidget = charts
        self._features = dock.features()
        self._left = False
        self._kept_free: QWidget | None = None  # whose middle the next choice of a side leaves free
        self.lies = False
        self._edge = Edge(dock, view)
        self._edge.hide()
        for watched in (dock, room, charts, *self._viewports):
            EventWatch(watched, self, self._follow)
        view.follow(self, "inspector_share view", self._place)

    @property
    def _viewports(self) -> list[QWidget]:
        return [self._charts.viewport()] if isinstance(self._charts, QAbstractScrollArea) else []

    def lie(self) -> None:
        """Take the dock out of the window's layout, and lay it over the charts."""
        dock, room = self._dock, self._room
        if not self.lies or dock.parentWidget() is not room:
            # Whether it was shown is asked before Qt takes it out, which hides it.
            window, shown = self._division.window(), not dock.isHidden()
            assert isinstance(window, QMainWindow)
            window.removeDockWidget(dock)
            # A floating dock would become a window of its own under the new parent.
            dock.setFloating(False)
            dock.setFeatures(QDockWidget.DockWidgetFeature.DockWidgetClosable)
            dock.setParent(room)
            dock.setAutoFillBackground(True)
            self.lies = True
            dock.setVisible(shown)
        self._edge.show()
        self._place()

    def keep_off(self, widget: QWidget) -> None:
        """Leave the middle of a widget free, now or when the dock next appears: at the left if need be."""
        self._kept_free = widget
        if self.lies and self._dock.isVisible():
            self._choose_side()

    def end(self) -> None:
        """Make it a dock again, which the window may take."""
        self.lies = False
        self._edge.hide()
        self._dock.setAutoFillBackground(False)
        self._dock.setFeatures(self._features)

    @property
    def _area(self) -> QRect:
        """What it may lie over, in the room."""
        if self._division.isHidden() or self._charts.isHidden():
            return self._room.rect()
        over = self._viewports[0] if self._viewports else self._charts
        return QRect(over.mapTo(self._room, QPoint()), over.size())

    def _place(self) -> None:
        if not self.lies:
            return
        area, dock, share = self._area, self._dock, self._view.options.inspector_share
        wanted = _LETTERS * dock.fontMetrics().averageCharWidth()
        if share > 0:
            wanted = round(share * self._room.width())
        width = min(max(wanted, dock.minimumSizeHint().width()), round(_MOST * area.width()))
        # Qt makes it no smaller than its contents: it then ends where the charts do, and begins before them.
        width, height = max(width, dock.minimumWidth()), max(area.height(), dock.minimumHeight())
        left = area.left() if self._left else max(area.right() + 1 - width, 0)
        dock.setGeometry(left, max(area.bottom() + 1 - height, 0), width, height)
        dock.raise_()
        self._edge.setGeometry(width - _EDGE if self._left else 0, 0, _EDGE, height)
        self._edge.raise_()

    def _follow(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._dock:
            if event.type() == QEvent.Type.Show and self.lies:
                self._choose_side()
        elif event.type() in (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide):
            self._place()
        return False

    def _choose_side(self) -> None:
        """Lie at the right, or at the left where it would cover the mouse or the widget to keep free."""
        self._left = False
        self._place()
        mouse = self._room.mapFromGlobal(QCursor.pos())
        under_mouse = self._area.contains(mouse) and self._dock.geometry().contains(mouse)
        if under_mouse or self._covers_middle(self._kept_free):
            self._left = True
            self._place()
        self._kept_free = None

    def _covers_middle(self, widget: QWidget | None) -> bool:
        """Whether it lies over the middle third of a widget, where charts show an instant of interest."""
        if widget is None or not self._room.isAncestorOf(widget):
            return False
        third = widget.width() // 3
        middle = QRect(widget.mapTo(self._room, QPoint(third, 0)), QSize(third, widget.height()))
        return self._dock.geometry().intersects(middle)
