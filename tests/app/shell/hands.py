"""Hands that work on a window and count what they do: a click, a drag, a key, a word typed."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QInputDialog, QWidget
from pytestqt.qtbot import QtBot

from app.shell.window import MainWindow
from tests.app.shell.test_context import choose, right_click
from tests.app.shell.test_start import drop
from tests.app.windows import LEFT, settle
from tests.views.context import drag

NO_KEY = Qt.KeyboardModifier.NoModifier
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


class Hands:
    """Mouse and keys over a window; `actions` counts. After each the window comes to rest.

    What is typed into a dialog of files or of names is handed to it: a word more.
    """

    def __init__(self, qtbot: QtBot, window: MainWindow, patch: pytest.MonkeyPatch) -> None:
        self._qtbot, self._patch, self.window = qtbot, patch, window
        self.actions = 0

    def _done(self) -> None:
        self.actions += 1
        settle(self.window)

    def click(
        self, widget: QWidget, position: QPointF | None = None, keys: Qt.KeyboardModifier = NO_KEY
    ) -> None:
        """Click there, or into the middle."""
        spot = widget.rect().center() if position is None else position.toPoint()
        QTest.mouseClick(widget, LEFT, keys, spot)
        self._done()

    def drag(self, widget: QWidget, begin: QPointF, end: QPointF, keys: Qt.KeyboardModifier = NO_KEY) -> None:
        """Drag with the left button."""
        drag(widget, begin, end, keys)
        self._done()

    def drop(self, path: Path) -> None:
        """Drag a file over the window and let it go."""
        assert drop(self.window, path)
        self._done()

    def menu(self, widget: QWidget, position: QPointF, *entries: str) -> None:
        """Open the menu of what lies there, and click through it."""
        choose(self._qtbot, right_click(self.window, widget, position), *entries)
        self._back()
        self.actions += len(entries)
        self._done()

    def key(self, key: Qt.Key, keys: Qt.KeyboardModifier = NO_KEY) -> None:
        """Press a key, which goes to whatever has the keys."""
        self._qtbot.keyClick(self._focus, key, keys)
        self._done()

    def words(self, text: str, end: bool = True) -> None:
        """Type words, and Enter after them."""
        focus = self._focus
        self._qtbot.keyClicks(focus, text)
        if end:
            self._qtbot.keyClick(focus, Qt.Key.Key_Return)
        self._back()
        self._done()

    def answer(self, text: str) -> None:
        """What is typed into the next dialog of a file or a name."""
        for name in ("getOpenFileName", "getSaveFileName"):
            self._patch.setattr(QFileDialog, name, lambda *_, **__: (text, ""))
        self._patch.setattr(QInputDialog, "getText", lambda *_, **__: (text, True))
        self.actions += 1

    def command(self, name: str) -> None:
        """Type the name of a command into the palette."""
        self.key(Qt.Key.Key_P, CONTROL | SHIFT)
        self.words(name)

    @property
    def _focus(self) -> QWidget:
        popup = QApplication.activePopupWidget()
        if popup is not None:
            return popup.focusWidget() or popup
        modal = QApplication.activeModalWidget()
        return (modal.focusWidget() if modal else None) or modal or QApplication.focusWidget() or self.window

    def _back(self) -> None:
        """The window is active again, as a window manager has it."""
        if QApplication.activeModalWidget() is None and QApplication.activePopupWidget() is None:
            self.window.activateWindow()
            self._qtbot.waitUntil(self.window.isActiveWindow)
