"""The wheel scrolls a form; it turns a field only where that has the focus."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QAbstractSlider, QAbstractSpinBox, QComboBox, QWidget


class WheelGuard(QObject):
    """Keeps the wheel from the fields of a form that are there now, unless they have the focus."""

    def __init__(self, form: QWidget) -> None:
        super().__init__(form)
        for part in form.findChildren(QWidget):
            if isinstance(part, QComboBox | QAbstractSlider | QAbstractSpinBox):
                part.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let a wheel pass to what scrolls the form."""
        if isinstance(event, QWheelEvent) and isinstance(watched, QWidget) and not watched.hasFocus():
            event.ignore()
            return True
        return super().eventFilter(watched, event)
