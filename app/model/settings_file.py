"""The settings file, written as soon as the settings change, so that little is lost with the program."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from app.model.settings import Settings, report_unsaved, save_settings, write_changes
from views.work.executor import Executor
from views.work.threads import NICE_BACKGROUND

WAIT_MS = 500
"""So long after a change the settings are written: others often follow it."""


class SettingsKeeper(QObject):
    """Writer of the settings, in a thread, soon after they have changed."""

    def __init__(self, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._refused = ""  # what could not be written: tried again when it changes, and at the end
        self._executor = Executor(self, threads=1, nice=NICE_BACKGROUND)
        self._timer = QTimer(self, interval=WAIT_MS, singleShot=True)
        self._timer.timeout.connect(self._write)
        settings.watch(self._timer.start)

    def close(self) -> None:
        """Write what is not written yet, and stop."""
        self._settings.unwatch(self._timer.start)
        self._timer.stop()
        self._executor.shutdown()
        save_settings(self._settings)

    def _write(self) -> None:
        before, now = self._settings.kept, self._settings.spelling
        # What could not be written is not tried again until it changes.
        if now in (before, self._refused):
            return
        # Writes follow each other, as each compares with what was written before.
        if self._executor.busy:
            self._timer.start()
            return

        def done(_: object) -> None:
            self._settings.kept = now

        def failed(error: Exception) -> None:
            self._refused = now
            report_unsaved(error)

        self._executor.submit("settings", lambda _: write_changes(before, now), done, failed)
