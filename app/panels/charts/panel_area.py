"""The room of the run panels: columns with a time axis each, scrolled where they find no room."""

from __future__ import annotations

from collections.abc import Callable, Collection

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from app.panels.charts.columns import Columns, best_columns
from views.timechart.axis_chart import AxisChart
from views.work.widget_handlers import EventWatch

_FURNITURE = 220
"""Approximate height in pixels of a window without its charts."""

_LOWEST = 76
"""Pixels of height that the panels keep at least between what is above and below them: those of one."""

_NARROWEST = 36
"""Letters of the width of a column; less leaves next to nothing beside the labels of rows."""


class PanelArea(QScrollArea):
    """Columns of panels; `make_axis` makes the time axis under the last panel of each column, which stays
    visible.
    """

    def __init__(self, make_axis: Callable[[QWidget], AxisChart], parent: QWidget) -> None:
        super().__init__(parent, widgetResizable=True)
        self._make_axis = make_axis
        self._panels: list[QWidget] = []
        self._columns, self._wanted = Columns(0, 1), 0
        self.axes: list[AxisChart] = []
        self._head: QWidget | None = None
        self._holder = QWidget(parent)
        EventWatch(self._holder, self, self._follow)
        self._pinned: QWidget | None = None
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the charts in it take the keys
        self.setWidget(self._holder)
        self.verticalScrollBar().valueChanged.connect(self._place)

    def set_head(self, head: QWidget | None) -> None:
        """Set the widget above all panels, outside of the scrolled area; None: no widget."""
        if head is not self._head:
            self._head = head
            self._bound()
            self._place()

    def remove(self, panel: QWidget) -> None:
        """Remove a panel permanently."""
        panel.hide()
        panel.deleteLater()

    def arrange(self, panels: Collection[QWidget], columns: int, pinned: QWidget | None = None) -> None:
        """Arrange these panels in this order, in this number of columns; 0: the best number. A `pinned` panel
        stays visible.

        It depends on the size of the window, so that opening other parts does not reorder the charts unless
        they would be too narrow.
        """
        self._panels, self._wanted, self._pinned = list(panels), columns, pinned
        for panel in self._panels:
            panel.setParent(self._holder)
            panel.show()
        self._choose()

    def minimumSizeHint(self) -> QSize:
        """Room for the lowest panel, with the line above the panels and the axis below them."""
        margins = self.viewportMargins()
        around = margins.top() + margins.bottom() + 2 * self.frameWidth()
        return QSize(super().minimumSizeHint().width(), around + _LOWEST)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._choose()

    def _follow(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._holder and event.type() == QEvent.Type.Resize:
            self._place()
        elif event.type() == QEvent.Type.FontChange and watched in self.axes:
            self.bound_anew()
        return False

    def _choose(self) -> None:
        """Have as many columns as are wanted, or are best, if so many fit."""
        count, room = len(self._panels), self.window().size()
        most = self.width() // (_NARROWEST * self.fontMetrics().averageCharWidth())
        best = best_columns(count, QSize(room.width(), room.height() - _FURNITURE))
        self._columns = Columns(count, max(min(self._wanted or best, count, most), 1))
        self._bound()
        self._place()

    def bound_anew(self) -> None:
        """Give the panels the room that they need at least by now."""
        self._bound()
        self._place()

    def _bound(self) -> None:
        """Make room for the axes, and for the least height of all panels."""
        # Axes are made as columns are first needed, and hidden when they are not.
        while len(self.axes) < self._columns.columns:
            self.axes.append(self._make_axis(self))
            EventWatch(self.axes[-1], self, self._follow)
        for k, axis in enumerate(self.axes):
            axis.setVisible(bool(self._panels) and k < self._columns.columns)
        low = max((axis.sizeHint().height() for axis in self.axes), default=0)
        head = self._head.sizeHint().height() if self._head is not None else 0
        # The axes stand below the part that scrolls, so the viewport ends above them.
        self.setViewportMargins(0, head, 0, low if self._panels else 0)
        least = [panel.minimumHeight() or panel.minimumSizeHint().height() for panel in self._panels]
        self._holder.setMinimumHeight(self._columns.height(least))
        self.updateGeometry()

    def share_height(self, height: int) -> None:
        """Called with the height of the lowest panel, by which all panels choose what they show."""

    def _place(self) -> None:
        places = self._columns.places(self._holder.size())
        self.share_height(min((place.height() for place in places), default=0))
        for panel, place in zip(self._panels, places, strict=True):
            if panel is self._pinned:
                place = place.translated(0, self.verticalScrollBar().value())
                panel.raise_()
            panel.setGeometry(place)
        low = self.viewport().geometry()
        if self._head is not None:
            self._head.setGeometry(0, 0, self.width(), self._head.sizeHint().height())
        scrolled = self._holder.height() > low.height()  # then it stays at the lower edge
        edges = self._columns.edges(self._holder.width())
        for k, (axis, (left, right)) in enumerate(zip(self.axes, edges, strict=False)):
            down = low.height() if scrolled else self._columns.bottom(k, low.height())
            axis.setGeometry(low.left() + left, low.top() + down, right - left, axis.sizeHint().height())
            axis.raise_()  # it may be inside the room of the panels
