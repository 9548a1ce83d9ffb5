"""A number with a slider: whole and decimal numbers in a spin box, durations in a line of text."""

from __future__ import annotations

from contextlib import suppress

from PySide6.QtCore import QEvent, QLocale, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QDoubleSpinBox, QHBoxLayout, QLineEdit, QSizePolicy, QSlider, QSpinBox, QWidget

from engine.errors import InputError
from engine.policy.key import Range

_BOX_WIDTH, _LETTERS, _BUTTONS = 84, 8, 32
"""Pixels of a box at least, letters that it has room for, and pixels of its frame and buttons."""

_MOST = 2**31 - 1
_DECIMALS = 12


def number_width(widget: QWidget, letters: int) -> int:
    """The width of a box with as many digits, in pixels."""
    return letters * widget.fontMetrics().horizontalAdvance("0") + _BUTTONS


class NumberEdit(QWidget):
    """Slider and box show the same number; `edited` is sent on changes by the user.

    The slider covers the useful range of values, the box the allowed range.
    """

    edited = Signal()

    def __init__(self, name: str, range_: Range, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name, self._range = name, range_
        self.slider = QSlider(Qt.Orientation.Horizontal, self)
        self.slider.setRange(int(range_.low // range_.step), round(range_.reach / range_.step))
        self.slider.setMinimumWidth(90)
        self.slider.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.slider.valueChanged.connect(self._take_slider)
        self.box = self._make_box()
        self.narrow(_BOX_WIDTH, _LETTERS)
        for part in (self.slider, self.box):
            part.setAccessibleName(name)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.slider, 1)
        row.addWidget(self.box)
        self.setFocusProxy(self.slider)
        self.show_text(range_.format(range_.reach))

    def narrow(self, least: int, letters: int) -> None:
        """Have the box take so many pixels, or as many digits if these are wider."""
        self._room = least, letters
        self.box.setFixedWidth(max(least, number_width(self, letters)))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.FontChange:
            self.narrow(*self._room)
        super().changeEvent(event)

    def text(self) -> str:
        """The number as policies spell it; what the person typed where it is none."""
        if isinstance(self.box, QLineEdit):
            return self.box.text().strip()
        return self._range.format(round(self.box.value(), _DECIMALS))

    def show_text(self, text: str) -> None:
        """Show a number that is spelled rightly."""
        value = self._range.parse(self._name, text)
        # The box shows what the text says already: without the blocker it would report an edit.
        with QSignalBlocker(self.box):
            if isinstance(self.box, QSpinBox):
                self.box.setValue(int(value))
            elif isinstance(self.box, QDoubleSpinBox):
                self.box.setValue(float(value))
            else:
                self.box.setText(self._range.format(value))
        self._move_slider(value)

    def _make_box(self) -> QSpinBox | QDoubleSpinBox | QLineEdit:
        range_ = self._range
        if range_.kind == "duration":
            line = QLineEdit(self)
            # Durations are typed with units, which no spin box takes.
            line.setPlaceholderText("90, 30m, 2h, 3d")
            line.textEdited.connect(self._take_box)
            return line
        if range_.kind == "count":
            whole = QSpinBox(self)
            # A spin box counts in 32 bits.
            whole.setRange(int(range_.low), int(min(range_.high, _MOST)))
            whole.setSingleStep(int(range_.step))
            whole.valueChanged.connect(self._take_box)
            return whole
        box = _RealBox(range_, self)
        box.valueChanged.connect(self._take_box)
        return box

    def show_middle(self) -> None:
        """Show the number in the middle of the slider: neither without effect nor all of it."""
        self.show_text(self._at((self.slider.minimum() + self.slider.maximum()) // 2))

    def _at(self, position: int) -> str:
        """The number at a position of the slider, spelled."""
        value = max(self._range.low, round(position * self._range.step, _DECIMALS))
        return self._range.format(value if self._range.kind == "real" else int(value))

    def _take_slider(self, position: int) -> None:
        self.show_text(self._at(position))
        self.edited.emit()

    def _take_box(self) -> None:
        with suppress(InputError):  # still being typed; listeners read it and report errors
            self._move_slider(self._range.parse(self._name, self.text()))
        self.edited.emit()

    def _move_slider(self, value: float) -> None:
        # The slider follows the box, and must not set the box to the nearest of its own steps.
        with QSignalBlocker(self.slider):
            self.slider.setValue(min(round(value / self._range.step), self.slider.maximum()))


class _RealBox(QDoubleSpinBox):
    """Shows as many decimals as the number has, whatever the language of the desktop."""

    def __init__(self, range_: Range, parent: QWidget) -> None:
        super().__init__(parent)
        self._format = range_.format
        # The C locale has the point that policies are spelled with.
        self.setLocale(QLocale.c())
        self.setDecimals(_DECIMALS)
        self.setRange(range_.low, range_.high)
        self.setSingleStep(range_.step)

    def textFromValue(self, value: float) -> str:
        return self._format(round(value, _DECIMALS))
