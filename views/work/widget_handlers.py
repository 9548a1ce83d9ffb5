"""Handlers of events and signals that end with the widgets that they are about.

A widget in destruction still sends events, and models that are destroyed after it still send signals: Python
functions would be called with widgets whose C++ part is gone.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject
from shiboken6 import isValid


class EventWatch(QObject):
    """Event filter of a widget, for an owner: `handle` returns True to keep the event from the widget.

    It belongs to the widget. Nothing is handled any more when the destruction of widget or owner began.
    """

    def __init__(self, widget: QObject, owner: QObject, handle: Callable[[QObject, QEvent], bool]) -> None:
        super().__init__(widget)
        self._widget, self._owner, self._handle = widget, owner, handle
        widget.installEventFilter(self)

    def stop(self) -> None:
        """Handle nothing any more."""
        if isValid(self) and isValid(self._widget):  # it goes with its widget otherwise
            self._widget.removeEventFilter(self)
            self.deleteLater()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # `watched` is a new wrapper of a mere QWidget where the widget is in destruction.
        return isValid(self._widget) and isValid(self._owner) and self._handle(self._widget, event)


def while_alive(owner: QObject, hear: Callable[..., object]) -> Callable[..., None]:
    """A function that calls another until the destruction of its owner begins, to hear signals of models.

    The owner is the window where parts of the window are used: its destruction begins before theirs.
    """

    def heard(*values: object) -> None:
        if isValid(owner):
            hear(*values)

    return heard
