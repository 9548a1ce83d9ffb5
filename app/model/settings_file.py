"""Writes the settings as soon as they change: no more than a moment's are lost with the program."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from app.model.settings import Settings, save_settings, tell_unsaved, write_changes
from views.work.executor import Executor
from views.work.threads import NICE_BACKGROUND

LOOK_MS = 500
"""How often they are looked at."""


class SettingsKeeper(QObject):
    """Looks at the settings twice a second, so that nobody has to tell of a change; writes in a thread."""

    def __init__(self, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._refused = ""  # what could not be written: tried again when it changes, and at the end
        self._executor = Executor(self, threads=1, nice=NICE_BACKGROUND)
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self._look)
        self._timer.start()

    def close(self) -> None:
        """Write what is not written yet, and look no more."""
        self._timer.stop()
        self._executor.shutdown()
        save_settings(self._settings)

    def _look(self) -> None:
        before, now = self._settings.kept, self._settings.spelling
        if now in (before, self._refused) or self._executor.busy:
            return

        def done(_: object) -> None:
            self._settings.kept = now

        def failed(error: Exception) -> None:
            self._refused = now
            tell_unsaved(error)

        self._executor.submit("settings", lambda _: write_changes(before, now), done, failed)
