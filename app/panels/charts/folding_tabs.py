"""Tabs with pages that fold away, so that the tabs alone are seen."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMenu,
    QSizePolicy,
    QStackedWidget,
    QTabBar,
    QTabWidget,
    QToolButton,
    QWidget,
)

from app.panels.page_area import PageArea
from views.widgets.menu_entries import MenuEntry, refill
from views.work.widget_handlers import EventWatch

_SPARE = 8
"""Pixels that the style takes around the tabs."""

MOST = 16_777_215
"""Greatest height of a widget, in pixels."""


class _Bar(QTabBar):
    """Bar that reports the width of its tabs, visible or not."""

    def widths(self) -> list[int]:
        """The width of each tab, in pixels."""
        return [self.tabSizeHint(index).width() for index in range(self.count())]


class FoldingTabs(QTabWidget):
    """Pages with tabs: a click on a tab opens them, a double-click folds them away.

    Tabs that do not fit are in the list of the button `more`, except that of the current page. `wanted`
    requests opening or folding; the owner of the tabs then calls `set_open`. Open pages can be resized down
    to the height of the tabs.
    """

    wanted = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bar = _Bar(self)
        self.setTabBar(self._bar)
        self.setDocumentMode(True)
        self.setUsesScrollButtons(True)  # else all tabs together would be the least width
        self._open = True
        self._opened = False  # by the first click of what may be a double-click
        self.fold = QToolButton(self, autoRaise=True)
        self.fold.clicked.connect(lambda: self.wanted.emit(not self._open))
        self.more = QToolButton(self, autoRaise=True)
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.more.setToolTip("More pages, which do not fit here")
        self.more.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._list = QMenu(self.more)
        self._list.aboutToShow.connect(self._fill_list)
        self.more.setMenu(self._list)
        self._corner = QWidget(self)
        row = QHBoxLayout(self._corner)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.more)
        row.addWidget(self.fold)
        self.setCornerWidget(self._corner)
        self.currentChanged.connect(self._fit)
        # The tabs take the width that there is: their own would keep the window from getting narrower.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)
        EventWatch(self.tabBar(), self, self._take_click)
        self.set_open(True)

    @property
    def is_open(self) -> bool:
        """True if the pages are visible."""
        return self._open

    @property
    def folded_height(self) -> int:
        """The height of the tabs alone, in pixels."""
        return max(self.tabBar().sizeHint().height(), 1)

    def currentWidget(self) -> QWidget:
        """The page of the current tab, not the scroll area around it."""
        area = super().currentWidget()
        return area.page if isinstance(area, PageArea) else area

    def setCurrentWidget(self, widget: QWidget) -> None:
        """Show a page."""
        areas = (self.widget(index) for index in range(self.count()))
        areas_of_page = (area for area in areas if isinstance(area, PageArea) and area.page is widget)
        super().setCurrentWidget(next(areas_of_page, widget))

    def set_open(self, on: bool) -> None:
        """Show the page of the tab that is chosen, or the tabs alone."""
        self._open = on
        # Qt has no folded tabs: the stack of pages within is hidden, and the height bounded to the tabs.
        pages = self.findChild(QStackedWidget)
        assert isinstance(pages, QStackedWidget)
        pages.setVisible(on)
        self._bound()
        self.fold.setText("▾" if on else "▴")
        self.fold.setToolTip("Fold these pages away" if on else "Open these pages")
        self.fold.setAccessibleName(self.fold.toolTip())

    def show_page(self, index: int) -> None:
        """Show a page, as a click on its tab does."""
        self.setCurrentIndex(index)
        self.wanted.emit(True)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def tabInserted(self, index: int) -> None:
        super().tabInserted(index)
        self._bound()  # the first bound was made of a bar without tabs, which is one pixel high
        if self.isVisible():  # else it fits them when it is shown, at its size
            self._fit()

    def _fit(self) -> None:
        """Show as many tabs from the first as fit completely, and the tab of the current page."""
        bar, widths, present = self._bar, self._bar.widths(), self.currentIndex()
        shown = list(range(len(widths)))
        if sum(widths) > self.width() - self.fold.sizeHint().width() - _SPARE:
            # The button takes room from the tabs: it is measured with the longest text it can have, so that
            # the result does not depend on how many tabs are hidden.
            self.more.setText(f"+{len(widths)}")  # as wide as it gets
            self.more.show()
            room = self.width() - self._corner.sizeHint().width() - _SPARE
            # The current tab is always there: its width is taken before the others are counted.
            taken, shown = (widths[present] if present >= 0 else 0), []
            for index, width in enumerate(widths):
                taken += width if index != present else 0
                if taken > room:
                    break
                shown.append(index)
            shown = sorted({*shown, present})
        hidden = len(widths) - len(shown)
        for index in range(len(widths)):
            # Only what changes is set: each call lays the whole bar out again.
            if bar.isTabVisible(index) != (index in shown):
                bar.setTabVisible(index, index in shown)
        self.more.setVisible(hidden > 0)
        self.more.setText(f"+{hidden}")
        self.more.setAccessibleName(f"{hidden} more pages")

    def _fill_list(self) -> None:
        hidden = [index for index in range(self.count()) if not self._bar.isTabVisible(index)]
        refill(self._list, [MenuEntry(self.tabText(k), partial(self.show_page, k)) for k in hidden])

    def _take_click(self, _: QObject, event: QEvent) -> bool:
        """Look at clicks on tabs before the tabs have them."""
        if isinstance(event, QMouseEvent) and event.button() == Qt.MouseButton.LeftButton:
            on_tab = self.tabBar().tabAt(event.position().toPoint()) >= 0
            if on_tab and event.type() == QEvent.Type.MouseButtonPress:
                # A double-click is a press, then a second press: where the first has opened the pages, the
                # second must not fold them.
                self._opened = not self._open
                if self._opened:
                    self.wanted.emit(True)
            elif on_tab and event.type() == QEvent.Type.MouseButtonDblClick and not self._opened:
                self.wanted.emit(False)
        return False

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._bound()
            self._fit()

    def _bound(self) -> None:
        self.setMinimumHeight(self.folded_height)
        self.setMaximumHeight(MOST if self._open else self.folded_height)
