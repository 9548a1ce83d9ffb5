"""A row of boxes in which a reader chooses what a chart shows."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QComboBox, QSizePolicy, QWidget

from views.widgets.elided_box import ElidedBox
from views.widgets.wrapped_row import WrappedRow

_SPARE = 6
"""Pixels that words in large letters take more than styles think."""


class _Box(ElidedBox):
    """Box as wide as the words that are chosen, not as the longest that could be."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.TextElideMode.ElideRight)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.currentIndexChanged.connect(lambda _: self.updateGeometry())

    def sizeHint(self) -> QSize:
        hint, wide = super().sizeHint(), self.fontMetrics().horizontalAdvance
        longest = max((wide(self.itemText(index)) for index in range(self.count())), default=0)
        return QSize(hint.width() - longest + wide(self.currentText()) + _SPARE, hint.height())


class Choosers(WrappedRow):
    """A row of boxes, a box for each choice. `chosen` carries the name of a choice and its new value."""

    chosen = Signal(str, object)

    def __init__(self, tips: Mapping[str, str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.boxes: dict[str, QComboBox] = {}
        self._entries: dict[str, list[tuple[Any, str]]] = {}  # of each box
        for name, tip in tips.items():
            box = _Box(self)
            box.setToolTip(tip)
            box.setAccessibleName(tip)
            box.activated.connect(partial(self._take, name))
            self.add(box)
            self.boxes[name] = box

    def set_entries(self, name: str, entries: Mapping[Any, str]) -> None:
        """Offer these choices: value -> label; what is chosen stays if they are offered already."""
        if self._entries.get(name) == list(entries.items()):
            return
        self._entries[name] = list(entries.items())
        box = self.boxes[name]
        box.clear()
        for value, label in entries.items():
            box.addItem(label, value)

    def show_choice(self, name: str, value: object) -> None:
        """Show what is chosen."""
        self.boxes[name].setCurrentIndex(self.boxes[name].findData(value))

    def _take(self, name: str, _: int) -> None:
        self.chosen.emit(name, self.boxes[name].currentData())
