"""Tabs with pages that fold away, so that the tabs alone are seen."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QTabWidget, QToolButton, QWidget

MOST = 16_777_215
"""Greatest height of a widget, in pixels."""


class FoldingTabs(QTabWidget):
    """Pages under their tabs: a click on a tab opens them, a double-click folds them away.

    `wanted` says whether they shall be open; whoever owns the tabs then says so by `set_open`. Open ones
    can be made as low as the tabs.
    """

    wanted = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setDocumentMode(True)
        self.setUsesScrollButtons(True)
        self._open = True
        self._opened = False  # by the first click of what may be a double-click
        self.fold = QToolButton(self, autoRaise=True)
        self.fold.clicked.connect(lambda: self.wanted.emit(not self._open))
        self.setCornerWidget(self.fold)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)
        self.tabBar().installEventFilter(self)
        self.set_open(True)

    @property
    def is_open(self) -> bool:
        """Whether the pages are seen."""
        return self._open

    @property
    def folded_height(self) -> int:
        """The height of the tabs alone, in pixels."""
        return max(self.tabBar().sizeHint().height(), 1)

    def set_open(self, on: bool) -> None:
        """Show the page of the tab that is chosen, or the tabs alone."""
        self._open = on
        pages = self.findChild(QStackedWidget)
        assert isinstance(pages, QStackedWidget)
        pages.setVisible(on)
        self._bound()
        self.fold.setText("▾" if on else "▴")
        self.fold.setToolTip("Fold these pages away" if on else "Open these pages")
        self.fold.setAccessibleName(self.fold.toolTip())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Look at clicks on tabs before the tabs have them."""
        if isinstance(event, QMouseEvent) and event.button() == Qt.MouseButton.LeftButton:
            on_tab = self.tabBar().tabAt(event.position().toPoint()) >= 0
            if on_tab and event.type() == QEvent.Type.MouseButtonPress:
                self._opened = not self._open
                if self._opened:
                    self.wanted.emit(True)
            elif on_tab and event.type() == QEvent.Type.MouseButtonDblClick and not self._opened:
                self.wanted.emit(False)
        return super().eventFilter(watched, event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._bound()

    def _bound(self) -> None:
        self.setMinimumHeight(self.folded_height)
        self.setMaximumHeight(MOST if self._open else self.folded_height)
