"""The command palette: every action of the menus, found by a few letters of its name."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QColor, QKeyEvent
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

from app.actions.fuzzy import fit
from app.actions.menu_tree import Entry

_WIDTH, _HEIGHT = 740, 420
_MOVES = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class CommandPalette(QDialog):
    """A line to type in and the list of actions that fit. It closes when something else is clicked."""

    def __init__(self, entries: Sequence[Entry], parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self._entries = [entry for entry in entries if entry.action.isEnabled()]
        self._shown: list[Entry] = []
        self.line = QLineEdit(self)
        self.line.setPlaceholderText("What to do?")
        self.line.setClearButtonEnabled(True)
        self.line.textChanged.connect(self._search)
        self.line.returnPressed.connect(self.accept)
        self.line.installEventFilter(self)
        self.list = QTreeWidget(self)
        self.list.setColumnCount(3)
        self.list.setHeaderHidden(True)
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setStyleSheet("QTreeView::item { height: 22px; padding: 0 6px; }")
        self.list.ensurePolished()  # else rows are as low as before the style was known
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.header().setStretchLastSection(False)
        for column, mode in enumerate(
            (
                QHeaderView.ResizeMode.Stretch,
                QHeaderView.ResizeMode.ResizeToContents,
                QHeaderView.ResizeMode.ResizeToContents,
            )
        ):
            self.list.header().setSectionResizeMode(column, mode)
        self.list.itemClicked.connect(lambda _: self.accept())
        self.nothing = QLabel("Nothing in the menus fits.", self)
        self.nothing.setContentsMargins(6, 2, 6, 2)
        column_of_all = QVBoxLayout(self)
        column_of_all.setContentsMargins(6, 6, 6, 6)
        for part in (self.line, self.nothing, self.list):
            column_of_all.addWidget(part)
        self._move_to_top(parent)
        self._search("")
        self.line.setFocus()

    def accept(self) -> None:
        """Do what is chosen, after the palette has gone."""
        row = self.list.indexOfTopLevelItem(self.list.currentItem()) if self._shown else -1
        super().accept()
        if row >= 0:
            self._shown[row].action.trigger()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Arrows move in the list while the line has the focus."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() in _MOVES:
            self.list.keyPressEvent(event)
            return True
        return super().eventFilter(watched, event)

    def _search(self, typed: str) -> None:
        self._shown = found(typed, self._entries)
        self.list.clear()
        self.list.addTopLevelItems([self._item(entry) for entry in self._shown])
        self.nothing.setVisible(not self._shown)
        first = self.list.topLevelItem(0)
        if first is not None:
            self.list.setCurrentItem(first)

    def _item(self, entry: Entry) -> QTreeWidgetItem:
        checked = entry.action.isCheckable() and entry.action.isChecked()
        item = QTreeWidgetItem(
            [f"✓ {entry.name}" if checked else entry.name, " › ".join(entry.menus), entry.keys]
        )
        item.setToolTip(0, entry.action.statusTip())
        item.setForeground(1, QColor(self.palette().placeholderText().color()))
        item.setTextAlignment(2, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return item

    def _move_to_top(self, parent: QWidget) -> None:
        """Move to the top of the window, in its middle."""
        width, height = min(_WIDTH, parent.width() - 40), min(_HEIGHT, parent.height() - 80)
        self.resize(width, height)
        corner = parent.mapToGlobal(parent.rect().topLeft())
        self.move(corner.x() + (parent.width() - width) // 2, corner.y() + 50)


def found(typed: str, entries: Sequence[Entry]) -> list[Entry]:
    """The entries that fit what was typed, the best first; nothing that fits far worse than the best.

    Where names fit alike what is done at once goes before what asks for more: a view, then its export.
    """
    ranked = []
    for index, entry in enumerate(entries):
        whole = fit(typed, f"{' '.join(entry.menus)} {entry.name}")
        if whole is not None:
            by_name = fit(typed, entry.name)
            score = whole // 2 if by_name is None else by_name
            ranked.append((-score, entry.action.text().endswith("…"), index, entry))
    if not typed.strip():
        return [entry for *_, entry in ranked]
    ranked.sort(key=lambda one: one[:3])
    return [entry for score, *_, entry in ranked if score <= ranked[0][0] / 2]
