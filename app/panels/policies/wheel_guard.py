"""The wheel scrolls a form; it turns a field only where that has the focus."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QAbstractSlider, QAbstractSpinBox, QComboBox, QWidget

from views.work.widget_handlers import EventWatch


def guard_wheel(form: QWidget) -> None:
    """Keep the wheel from the fields of a form that are there now, unless they have the focus."""
    for part in form.findChildren(QWidget):
        if isinstance(part, QComboBox | QAbstractSlider | QAbstractSpinBox):
            EventWatch(part, form, _let_pass)


def _let_pass(field: QObject, event: QEvent) -> bool:
    """Let a wheel pass to what scrolls the form."""
    if isinstance(event, QWheelEvent) and isinstance(field, QWidget) and not field.hasFocus():
        event.ignore()
        return True
    return False
