"""A combo box that elides its words."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QStylePainter, QWidget

_AROUND, _BEHIND = 2, 4
"""Pixels that styles leave around the text and after the icon."""

_LEAST = 36
"""A box gets narrower than its words, in pixels, before the window gets wider for it."""


class ElidedBox(QComboBox):
    """Combo box with an elided text: in the middle, or according to `mode`."""

    def __init__(
        self, parent: QWidget | None = None, mode: Qt.TextElideMode = Qt.TextElideMode.ElideMiddle
    ) -> None:
        super().__init__(parent)
        self._mode = mode

    def minimumSizeHint(self) -> QSize:
        return QSize(_LEAST, super().minimumSizeHint().height())

    @property
    def shown_text(self) -> str:
        """The chosen words, as far as they are seen."""
        return self._option().currentText

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, option = QStylePainter(self), self._option()
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    def _option(self) -> QStyleOptionComboBox:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        field = QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, field, self).width()
        if not option.currentIcon.isNull():
            room -= option.iconSize.width() + _BEHIND
        option.currentText = option.fontMetrics.elidedText(option.currentText, self._mode, room - _AROUND)
        return option
