"""The palette: a line to type in, and a list of matches to choose from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QColor, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QDialog,
    QHeaderView,
    QLabel,
    QLineEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from views.work.widget_handlers import EventWatch

_WIDTH, _HEIGHT = 740, 420
_AROUND = 40
"""Pixels of a line around its three columns."""

_MOVES = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


@dataclass(frozen=True)
class PaletteEntry:
    """A line of the list: a name, what it is or where, its keys, and what is done when it is chosen."""

    name: str
    about: str
    run: Callable[[], object]
    keys: str = ""
    tip: str = ""


Search = Callable[[str], Sequence[PaletteEntry]]
"""The choices that fit what was typed, the best first."""


class Palette(QDialog):
    """A line to type in and the list of results of `search`. It closes on a click elsewhere.

    `hint` is shown in the empty line; `nothing` is shown if there are no matches.
    """

    def __init__(self, search: Search, hint: str, nothing: str, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self._search = search
        self._shown: Sequence[PaletteEntry] = ()
        self.line = QLineEdit(self)
        self.line.setPlaceholderText(hint)
        self.line.setAccessibleName(hint)
        self.line.setClearButtonEnabled(True)
        self.line.textChanged.connect(self._show)
        # Arrows move in the list while the line keeps the focus, so that typing can go on.
        self.line.returnPressed.connect(self.accept)
        EventWatch(self.line, self, self._move_in_list)
        self.list = self._make_list()
        self.nothing = QLabel(nothing, self, wordWrap=True)
        self.nothing.setContentsMargins(6, 2, 6, 2)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 6, 6, 6)
        for part in (self.line, self.nothing, self.list):
            column.addWidget(part)
        self._show("")
        self._move_to_top(parent)
        self.line.setFocus()

    def _make_list(self) -> QTreeWidget:
        tree = QTreeWidget(self)
        tree.setColumnCount(3)
        tree.setHeaderHidden(True)
        tree.setRootIsDecorated(False)
        tree.setUniformRowHeights(True)
        tree.setStyleSheet("QTreeView::item { height: 22px; padding: 0 6px; }")
        tree.ensurePolished()  # else rows are as low as before the style was known
        tree.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        tree.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        header, mode = tree.header(), QHeaderView.ResizeMode
        header.setStretchLastSection(False)
        for column, resize in enumerate((mode.Stretch, mode.Fixed, mode.ResizeToContents)):
            header.setSectionResizeMode(column, resize)
        header.setMaximumSectionSize(_WIDTH * 2 // 3)
        tree.itemClicked.connect(lambda _: self.accept())
        return tree

    def accept(self) -> None:
        """Do what is chosen, after the palette has gone."""
        row = self.list.indexOfTopLevelItem(self.list.currentItem()) if self._shown else -1
        super().accept()
        if row >= 0:
            self._shown[row].run()

    def _move_in_list(self, _: QObject, event: QEvent) -> bool:
        """Arrows move in the list while the line has the focus."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() in _MOVES:
            self.list.keyPressEvent(event)
            return True
        return False

    def _show(self, typed: str) -> None:
        self._shown = self._search(typed)
        self.list.clear()
        self.list.addTopLevelItems([self._item(choice) for choice in self._shown])
        self.nothing.setVisible(not self._shown and bool(typed.strip()))
        first = self.list.topLevelItem(0)
        if first is not None:
            self.list.setCurrentItem(first)
        self._divide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        column = self.layout()
        if column is not None:
            column.activate()  # else the list is as wide as before
        self._divide()

    def _divide(self) -> None:
        """Give names the width that they need, then what they are, but no less than a sixth."""
        name, about, keys = (self.list.sizeHintForColumn(column) for column in range(3))
        around = 2 * self.list.frameWidth() + self.list.verticalScrollBar().sizeHint().width()
        room = self.list.width() - around - keys  # its viewport follows later
        self.list.header().resizeSection(1, min(about, max(room - name, room // 6)))

    def _item(self, choice: PaletteEntry) -> QTreeWidgetItem:
        item = QTreeWidgetItem([choice.name, choice.about, choice.keys])
        item.setToolTip(0, choice.tip)
        item.setForeground(1, QColor(self.palette().placeholderText().color()))
        item.setTextAlignment(2, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return item

    def _move_to_top(self, parent: QWidget) -> None:
        """Move to the top of the window, in its middle."""
        wide = sum(map(self.list.sizeHintForColumn, range(3))) + _AROUND
        width, height = min(max(_WIDTH, wide), parent.width() - 40), min(_HEIGHT, parent.height() - 80)
        self.resize(width, height)
        corner = parent.mapToGlobal(parent.rect().topLeft())
        self.move(corner.x() + (parent.width() - width) // 2, corner.y() + 50)


def show_palette(search: Search, hint: str, nothing: str, window: QWidget) -> None:
    """Open a palette over the window; it is deleted when it is closed."""
    palette = Palette(search, hint, nothing, window)
    palette.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    palette.show()
