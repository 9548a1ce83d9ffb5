"""The division of the height between charts and the tabs below them."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget

from app.panels.charts.folding_tabs import FoldingTabs
from views.work.widget_handlers import EventWatch

_LOWEST = 40
"""Minimum pixels of a page: a page that is dragged lower is folded away."""

_CHARTS_LOWEST = 120
"""Minimum pixels of the charts, where at least four times as many are there."""

_FIRST = (6, 4)
"""The parts of charts and tabs in the height, until a hand has divided it."""


class ChartSplitter(QSplitter):
    """Charts above tabs. A drag of the line between them opens the tabs to any height, or folds them away.

    The line keeps its place as a fraction of the height, whatever that becomes: a window that was left on a
    large screen has room for both parts on a small one.
    """

    def __init__(self, charts: QWidget, tabs: FoldingTabs, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self._charts, self._tabs = charts, tabs
        self._heights: list[int] = []  # as it was left: their ratio counts
        self._dragged = False
        self.addWidget(charts)
        self.addWidget(tabs)
        self.setStretchFactor(0, 1)
        self.setStretchFactor(1, 0)
        self.setChildrenCollapsible(False)
        EventWatch(self.handle(1), self, self._follow_hand)
        self.splitterMoved.connect(self._remember)

    @property
    def heights(self) -> list[int]:
        """Of both parts while the tabs are open, or when they were; empty: they never were."""
        return self.sizes() if self._tabs.is_open and self._tabs.isVisible() else self._heights

    def set_heights(self, heights: list[int]) -> None:
        """Divide the height in this ratio, at once or when the tabs are opened."""
        self._heights = heights
        if self._tabs.is_open:
            self._divide()

    def open_tabs(self, on: bool) -> None:
        """Show the pages of the tabs, as high as they were, or the tabs alone."""
        if on == self._tabs.is_open:
            return
        self._heights = self.heights
        self._tabs.set_open(on)
        if not on:
            self._fold()
        elif not self._dragged:
            self._divide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self._tabs.is_open:
            self._fold()
        elif not self._tabs.isHidden():
            self._divide()

    def _remember(self) -> None:
        """Keep the ratio that a hand has chosen; that of folded tabs is none. Charts get no lower than they
        are of use.
        """
        if not self._tabs.is_open or self.sizes()[1] < self._lowest:
            return
        self._heights = self.sizes()
        if self._heights[0] < self._least_charts:
            self._divide()
            self._heights = self.sizes()

    def _fold(self) -> None:
        """A splitter does not ask how high its parts may be at most."""
        low = self._tabs.folded_height
        self.setSizes([self.height() - low, low])

    def _follow_hand(self, _: QObject, event: QEvent) -> bool:
        """Tabs that are folded away open under the hand."""
        if event.type() == QEvent.Type.MouseButtonPress and not self._tabs.is_open:
            self._dragged = True
            self._tabs.wanted.emit(True)
            self._dragged = False
        elif event.type() == QEvent.Type.MouseButtonRelease and self._tabs.height() < self._lowest:
            self._tabs.wanted.emit(False)
        return False

    @property
    def _lowest(self) -> int:
        return self._tabs.folded_height + _LOWEST

    @property
    def _least_charts(self) -> int:
        """The least height of the charts in the present height, in pixels: what they say that they need."""
        return max(min(_CHARTS_LOWEST, self.height() // 4), self._charts.minimumSizeHint().height())

    def _divide(self) -> None:
        total = self.height()
        charts, tabs = self._heights if len(self._heights) == 2 and sum(self._heights) > 0 else _FIRST
        height = total * tabs // (charts + tabs)
        # Neither part vanishes: the tabs keep some lines of their page, and the charts a quarter at least.
        height = max(min(height, total - self._least_charts), self._lowest)
        self.setSizes([total - height, height])
