"""A row of boxes in which a reader chooses what a chart shows."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QSizePolicy, QWidget

from views.elided_box import ElidedBox

_LEAST = 36
"""A box gets narrower than its words, in pixels, before the window gets wider for it."""


class Choosers(QWidget):
    """A box for each choice. `chosen` carries the name of a choice and the value that was taken."""

    chosen = Signal(str, object)

    def __init__(self, tips: Mapping[str, str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        self.boxes: dict[str, QComboBox] = {}
        for name, tip in tips.items():
            box = ElidedBox(self, Qt.TextElideMode.ElideRight)
            box.setToolTip(tip)
            box.setAccessibleName(tip)
            box.setMinimumWidth(_LEAST)
            box.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
            box.activated.connect(partial(self._take, name))
            row.addWidget(box)
            self.boxes[name] = box
        row.addStretch(1)

    def set_entries(self, name: str, entries: Mapping[Any, str]) -> None:
        """What can be chosen: value -> label."""
        box = self.boxes[name]
        box.clear()
        for value, label in entries.items():
            box.addItem(label, value)

    def show_choice(self, name: str, value: object) -> None:
        """Show what is chosen."""
        self.boxes[name].setCurrentIndex(self.boxes[name].findData(value))

    def _take(self, name: str, _: int) -> None:
        self.chosen.emit(name, self.boxes[name].currentData())
