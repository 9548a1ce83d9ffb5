"""Docks at both sides of the charts that become tabs of one column in a narrow window."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabWidget

from views.work.widget_handlers import EventWatch

_LEAST = 44
"""Letters of the window's font between docks at both sides; with less the docks share a column."""

_LEFT, _RIGHT = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea


class SharedColumn(QObject):
    """Column of two docks, `first` and `second`, that share it only while the window is too narrow for both.

    `second` becomes a tab beside `first`, and returns to its own side when there is room, or when one of them
    is closed. Docks that float, or that the user placed at one side, stay as they are.
    """

    def __init__(self, window: QMainWindow, first: QDockWidget, second: QDockWidget) -> None:
        super().__init__(window)
        self._window, self._first, self._second = window, first, second
        self._home: Qt.DockWidgetArea | None = None  # the side of `second`, while it is a tab
        self._newest = second  # shown last
        self._moving = False
        self._late = QTimer(self, singleShot=True, interval=0)
        self._late.timeout.connect(self.fit)
        window.setTabPosition(_LEFT | _RIGHT, QTabWidget.TabPosition.North)
        for watched in (window, first, second):
            EventWatch(watched, self, self._follow)

    def area_of(self, dock: QDockWidget) -> Qt.DockWidgetArea:
        """The side where a dock is when there is room."""
        if dock is self._second and self._home is not None:
            return self._home
        return self._window.dockWidgetArea(dock)

    def fit(self) -> None:
        """Share the column or part it, as the window's width requires."""
        self._late.stop()
        if self._second.isFloating():
            self._home = None
        if self._home is None and self._crowded:
            self._home = self._window.dockWidgetArea(self._second)
            self._moving = True
            self._window.tabifyDockWidget(self._first, self._second)
            self._newest.raise_()
            self._moving = False
        elif self._home is not None and not self._crowded:
            self.part()

    def bring(self) -> None:
        """Show the second dock in front, where both are tabs."""
        if self._home is not None:
            self._second.raise_()

    def part(self) -> None:
        """Return the second dock to its own side."""
        if self._home is not None:
            home, self._home = self._home, None
            shown = not self._second.isHidden()
            self._moving = True
            self._window.addDockWidget(home, self._second)
            self._second.setVisible(shown)
            self._moving = False

    @property
    def _crowded(self) -> bool:
        """True if both are docked at different sides and leave too little between them."""
        docks = (self._first, self._second)
        if any(dock.isHidden() or dock.isFloating() for dock in docks):
            return False
        if {self.area_of(dock) for dock in docks} != {_LEFT, _RIGHT}:
            return False
        least = _LEAST * self._window.fontMetrics().averageCharWidth()
        return sum(dock.minimumSizeHint().width() for dock in docks) + least > self._window.width()

    def _follow(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if watched is self._window:
            changed = kind in (QEvent.Type.Resize, QEvent.Type.FontChange)
        else:
            changed = kind in (QEvent.Type.ShowToParent, QEvent.Type.HideToParent)
        if changed and not self._moving:
            if kind == QEvent.Type.ShowToParent:
                self._newest = self._first if watched is self._first else self._second
            self._late.start()
        return False
