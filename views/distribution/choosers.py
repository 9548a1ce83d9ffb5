"""The row of boxes in which a reader chooses what distributions show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QSizePolicy, QWidget

from views.choices import ALL_FOUR, Choices
from views.measures import MEASURES, OVERS

_ENTRIES: dict[str, tuple[str, Mapping[str, str]]] = {
    "measure": (
        "What is compared",
        {ALL_FOUR: "Four measures", **{name: measure.title for name, measure in MEASURES.items()}},
    ),
    "over": ("Of whom or what a value is", {name: f"over {many}" for name, many in OVERS.items()}),
    "kind": (
        "How values are drawn",
        {"box": "box-plots", "histogram": "histograms", "cumulative": "cumulative curves"},
    ),
    "axis": ("The axis of values", {"log": "logarithmic", "linear": "linear"}),
    "points": (
        "Single values as dots",
        {"outliers": "outliers", "all": "all points", "off": "no points"},
    ),
}

_LEAST = 36
"""A box gets narrower than its words, in pixels, before the window gets wider for it."""


class Choosers(QWidget):
    """A box for each choice. `chosen` carries the Choices when the reader has changed one."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choices = Choices()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        self.boxes: dict[str, QComboBox] = {}
        for name, (tip, entries) in _ENTRIES.items():
            box = QComboBox(self)
            box.setToolTip(tip)
            box.setAccessibleName(tip)
            box.setMinimumWidth(_LEAST)
            box.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
            for value, label in entries.items():
                box.addItem(label, value)
            box.activated.connect(partial(self._take, name))
            row.addWidget(box)
            self.boxes[name] = box

    def show_choices(self, choices: Choices) -> None:
        """Show what is chosen; what would change nothing can't be chosen."""
        self._choices = choices
        for name, box in self.boxes.items():
            box.setCurrentIndex(box.findData(getattr(choices, name)))
        self.boxes["points"].setEnabled(choices.kind == "box")

    def _take(self, name: str, _: int) -> None:
        self.chosen.emit(replace(self._choices, **{name: self.boxes[name].currentData()}))
