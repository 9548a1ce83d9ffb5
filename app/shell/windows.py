"""The windows of the program, which share its settings."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

from app.model.settings import Settings
from app.model.settings_file import SettingsKeeper
from app.session.autosave import AutosaveSlot, leftovers
from app.shell.notices import offer_recovery
from app.shell.placing import fit_screen
from app.shell.theming import change_theme
from app.shell.window import MainWindow
from views.theme.theme import ThemeName
from views.work.executor import Executor

_ACTIONS = 50
"""So many actions of a closed window are deleted in a turn."""


class Windows(QObject):
    """Registry of open windows; it creates windows, and releases closed windows."""

    def __init__(self, settings: Settings, theme: ThemeName | None = None) -> None:
        super().__init__()
        self._settings, self._theme = settings, theme
        self.open: list[MainWindow] = []
        self._left: list[AutosaveSlot] = []  # of a program that was killed
        self._wanted: list[Callable[[MainWindow], object]] = []  # uses of windows that are still to be shown
        self._coming: MainWindow | None = None  # the window that is being made
        self._closed: list[list[QObject]] = []  # what is still to be deleted of closed windows
        # A window a turn: to delete a whole window takes tens of ms, and other windows answer in between.
        self._deleting = QTimer(self, interval=0)
        self._deleting.timeout.connect(self._delete_next)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._follow_system)

    def make(self) -> MainWindow:
        """Create a window, which still has to be shown."""
        return self._join(self._begin(at_once=True))

    def make_soon(self, use: Callable[[MainWindow], object]) -> None:
        """Make another window in turns of the event loop, then show it, and let `use` have it.

        Made at once it would hold all windows for a tenth of a second, and more while runs are simulated.
        """
        self._wanted.append(use)
        if self._coming is None:
            self._make_next()

    def _make_next(self) -> None:
        """Begin the next window that is wanted; each is whole before another begins."""
        if self._wanted:
            self._coming = self._begin(at_once=False)
            self._coming.parts.whole.connect(self._show_next)
            self._coming.parts.broken.connect(self._give_up)
            self._coming.parts.make_in_turns()

    def _show_next(self) -> None:
        """Show the window that is whole by now. The next one is made even if this one fails."""
        assert self._coming is not None
        window, use, self._coming = self._coming, self._wanted.pop(0), None
        try:
            self._join(window).show()
            use(window)
        finally:
            self._make_next()

    def _give_up(self) -> None:
        """Leave out the window of which a part could not be made; what was wanted in it is lost."""
        assert self._coming is not None
        _delete_unfinished(self._coming)
        self._coming = None
        del self._wanted[0]
        self._make_next()

    def _begin(self, at_once: bool) -> MainWindow:
        """A window like the others, of which there is only its name unless `at_once`."""
        window = MainWindow(self._settings, theme=self._theme, at_once=at_once)
        self._theme = None  # new windows look like existing windows
        return window

    def _join(self, window: MainWindow) -> MainWindow:
        """Place a whole window, and count it among those that are open."""
        if self.open and window.theme_name != self.open[0].theme_name:  # another was chosen meanwhile
            window.dress(self.open[0].theme_name, self.open[0].theme)
        window.restore()
        if self.open:
            window.move(self.open[-1].pos().x() + 30, self.open[-1].pos().y() + 30)
            fit_screen(window)
        window.another_wanted.connect(lambda path: self.make_soon(partial(_open, path)))
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
        if self._coming is not None:  # only a whole window can be closed
            self._coming.parts.whole.disconnect(self._show_next)
            self._coming.parts.make_all()
            self._join(self._coming)
            self._coming, self._wanted = None, []
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
        """Open each session that was left in a window of its own; in this one, too, if it is empty."""
        sessions = list(self._left)
        if not (window.workbench.is_open or window.workbench.busy):
            window.opener.open_autosave(sessions.pop(0))
        for session in sessions:
            self.make_soon(partial(_open_session, session))

    def _drop(self, window: MainWindow) -> None:
        if window in self.open:
            self.open.remove(window)
            window.idle_queue.clear()
            self._closed += _in_pieces(window)
            self._deleting.start()
        if not self.open and self._coming is not None:
            self._coming.parts.make_all()  # the program would end with its last window

    def _delete_next(self) -> None:
        for part in self._closed.pop(0) if self._closed else ():
            if isValid(part):  # or the end of the program deleted it
                part.deleteLater()
        if not self._closed:
            self._deleting.stop()


def _in_pieces(window: MainWindow) -> list[list[QObject]]:
    """A closed window and the parts that are deleted before it, each in a turn of its own.

    To delete an action Qt looks through the shortcuts of all windows.
    """
    pieces: list[list[QObject]] = [[view] for view in window.page.views.made.values()]
    pieces.append([window.page])
    actions = window.findChildren(QAction, options=Qt.FindChildOption.FindDirectChildrenOnly)
    pieces += [list[QObject](actions[first : first + _ACTIONS]) for first in range(0, len(actions), _ACTIONS)]
    return [*pieces, [window]]


def _delete_unfinished(window: MainWindow) -> None:
    """Delete a window of which not all parts could be made, after what those that were made have begun."""
    for keeper in window.findChildren(SettingsKeeper):
        keeper.close()
    for executor in window.findChildren(Executor):
        executor.shutdown()
    window.idle_queue.clear()
    window.deleteLater()


def _open(path: Path | None, window: MainWindow) -> None:
    """Open a file in a window; nothing for the path None."""
    if path is not None:
        window.open_path(path)


def _open_session(session: AutosaveSlot, window: MainWindow) -> None:
    """Open what a killed program left in a window."""
    window.opener.open_autosave(session)
