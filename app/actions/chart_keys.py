"""Keys of the charts that lists, boxes and pages of text would take for themselves."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QComboBox, QTextBrowser, QWidget

from views.timechart.gestures import LETTERS
from views.work.widget_handlers import EventWatch

_HOME = {Qt.Key.Key_Home}
_SIDEWAYS = {Qt.Key.Key_Left, Qt.Key.Key_Right}
_TAKEN: tuple[tuple[type[QWidget], set[Qt.Key]], ...] = (
    (QAbstractItemView, {*LETTERS} | _HOME),  # which would look for a row that begins so
    (QComboBox, {*LETTERS} | _HOME),  # which would choose something else
    (QTextBrowser, {*LETTERS} | _HOME | _SIDEWAYS),
)


class ChartKeys:
    """Watch over widgets that hands such keys on to the window."""

    def __init__(self, window: QWidget) -> None:
        self._window = window

    def watch(self, owner: QWidget) -> None:
        """Hand on the keys of all widgets below this."""
        for kind, _ in _TAKEN:
            for part in owner.findChildren(kind):
                if part.window() is owner.window():
                    EventWatch(part, self._window, self._hand_on)

    def _hand_on(self, watched: QObject, event: QEvent) -> bool:
        """Let the window have the key."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
            if plain and any(isinstance(watched, kind) and event.key() in keys for kind, keys in _TAKEN):
                self._window.keyPressEvent(event)
                return True
        return False
