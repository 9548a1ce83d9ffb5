"""The windows of the program, which share its settings."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

from app.model.settings import Settings
from app.session.autosave import AutosaveSlot, leftovers
from app.shell.notices import offer_recovery
from app.shell.placing import fit_screen
from app.shell.theming import change_theme
from app.shell.window import MainWindow
from views.theme.theme import ThemeName


class Windows(QObject):
    """Registry of open windows; it creates windows, and releases closed windows."""

    def __init__(self, settings: Settings, theme: ThemeName | None = None) -> None:
        super().__init__()
        self._settings, self._theme = settings, theme
        self.open: list[MainWindow] = []
        self._left: list[AutosaveSlot] = []  # of a program that was killed
        self._closed: list[MainWindow] = []  # which are still to be deleted
        # One a turn: to delete a window takes tens of ms, and other windows answer in between.
        self._deleting = QTimer(self, interval=0)
        self._deleting.timeout.connect(self._delete_next)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._follow_system)

    def make(self) -> MainWindow:
        """Create a window, which still has to be shown."""
        window = MainWindow(self._settings, theme=self._theme)
        self._theme = None  # new windows look like existing windows
        window.restore()
        if self.open:
            window.move(self.open[-1].pos().x() + 30, self.open[-1].pos().y() + 30)
            fit_screen(window)
        window.another_wanted.connect(self._show_another)
        window.closed.connect(lambda: self._drop(window))
        self.open.append(window)
        return window

    def offer_leftovers(self, window: MainWindow) -> None:
        """Ask in a window what to do with the sessions of a program that was killed."""
        self._left = leftovers()
        if self._left:
            offer_recovery(window.messages, self._left, lambda: self._restore(window))

    def end(self) -> None:
        """End the program on a signal, without asking questions.

        Quitting closes all windows, and a question would block it. Unsaved content is added to the closed
        sessions.
        """
        for window in self.open:
            window.asks = False
        QApplication.quit()

    def close_all(self) -> None:
        """Close what is still open, without a question; what was not restored stays for the next start."""
        for window in list(self.open):
            window.asks = False
            window.close()
        while self._closed:
            self._delete_next()
        for slot in self._left:
            slot.release()

    def _follow_system(self, scheme: Qt.ColorScheme) -> None:
        """The desktop turned light or dark: windows that look like it turn too."""
        followers = [window for window in self.open if window.theme_name == "system"]
        app = QApplication.instance()
        if followers and isinstance(app, QApplication):
            change_theme(app, followers, "system", scheme)

    def _restore(self, window: MainWindow) -> None:
        for slot in self._left:
            if window.workbench.is_open or window.workbench.busy:
                window = self._show_another(None)
            window.opener.open_autosave(slot)

    def _show_another(self, path: Path | None) -> MainWindow:
        window = self.make()
        window.show()
        if path is not None:
            window.open_path(path)
        return window

    def _drop(self, window: MainWindow) -> None:
        if window in self.open:
            self.open.remove(window)
            self._closed.append(window)
            self._deleting.start()

    def _delete_next(self) -> None:
        if self._closed and isValid(window := self._closed.pop(0)):  # or the end of the program deleted it
            window.deleteLater()
        if not self._closed:
            self._deleting.stop()
