"""A log of the archive on its way to this computer, fetched in a thread."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.model.reading import progress_of
from engine.fetch.download import acknowledgement, fetch_log, has_part
from engine.fetch.logs import BASE, ArchiveLog
from engine.simulation.control import Control
from views.work.executor import Executor

_FETCH = "fetch"


class Fetching(QObject):
    """Downloads a log into a folder, a single log at a time; a partial download is continued.

    In the threads of `executor`, which outlives it: a server that is silent keeps a thread for half a minute.
    `fetched` (path, acknowledgement) is sent when the log is complete; `failed` (error) if not.
    """

    fetched = Signal(object, str)
    failed = Signal(object)

    def __init__(self, executor: Executor, parent: QObject | None = None, base: str = BASE) -> None:
        super().__init__(parent)
        self.base, self._executor = base, executor

    @property
    def progress(self) -> float | None:
        """The downloaded share of the log, 0 to 1; None if nothing is being downloaded."""
        task = self._executor.task(_FETCH)
        return None if task is None else task.control.progress

    @property
    def busy(self) -> bool:
        """True if a log is being downloaded."""
        return self._executor.task(_FETCH) is not None

    def begun(self, log: ArchiveLog, folder: Path) -> bool:
        """True if a part of the log has been downloaded."""
        return has_part(folder / log.file)

    def fetch(self, log: ArchiveLog, folder: Path, limit: int) -> None:
        """Have the log in the folder; a file of more than `limit` bytes is refused."""
        work = partial(self._fetch, log, folder / log.file, limit)
        self._executor.submit(_FETCH, work, lambda done: self.fetched.emit(*done), self.failed.emit)

    def cancel(self) -> None:
        """Stop; the downloaded part is kept for the next time."""
        self._executor.cancel(_FETCH)

    def _fetch(self, log: ArchiveLog, path: Path, limit: int, control: Control) -> tuple[Path, str]:
        fetch_log(log, path, self.base, limit, progress_of(control))
        return path, acknowledgement(path)
