"""A log of the archive on its way to this computer, fetched in a thread."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.model.reading import progress_of
from engine.errors import InputError
from engine.fetch import logs
from engine.fetch.download import acknowledgement, fetch_log, has_part
from engine.fetch.logs import BASE, ArchiveLog
from engine.simulation.control import Control
from views.work.executor import Executor

_FETCH, _LOOK = "fetch", "look at the folder of logs"


@dataclass(frozen=True)
class LogFolder:
    """A folder as it was when it was looked at: the names of the logs that are whole, and in part, in it."""

    path: Path
    whole: frozenset[str] = frozenset()
    begun: frozenset[str] = frozenset()


class Fetching(QObject):
    """Downloads a log into a folder, a single log at a time; a partial download is continued.

    In the threads of `executor`, which outlives it: a server that is silent keeps a thread for half a minute.
    `fetched` (path, acknowledgement) is sent when the log is complete; `failed` (error) if not. `looked`
    (LogFolder) is sent when a folder has been looked at.
    """

    fetched = Signal(object, str)
    failed = Signal(object)
    looked = Signal(object)

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

    @property
    def looking(self) -> bool:
        """True while a folder is being looked at."""
        return self._executor.task(_LOOK) is not None

    def look(self, folder: Path) -> None:
        """Find out which logs are in a folder, in a thread: its storage may not answer."""
        nothing = LogFolder(folder)  # a folder that cannot be read: to fetch into it says why
        self._executor.submit(
            _LOOK,
            lambda _: look_into(folder),
            self.looked.emit,
            lambda _: self.looked.emit(nothing),
            before_painting=True,
        )

    def fetch(self, log: ArchiveLog, folder: Path, limit: int) -> None:
        """Have the log in the folder; a file of more than `limit` bytes is refused."""
        work = partial(self._fetch, log, folder / log.file, limit)
        self._executor.submit(_FETCH, work, lambda done: self.fetched.emit(*done), self.failed.emit)

    def cancel(self) -> None:
        """Stop, also looking at a folder; the downloaded part is kept for the next time."""
        self._executor.cancel(_FETCH)
        self._executor.cancel(_LOOK)

    def _fetch(self, log: ArchiveLog, path: Path, limit: int, control: Control) -> tuple[Path, str]:
        if not path.parent.is_dir():
            raise InputError(f"There is no folder {path.parent}.")
        fetch_log(log, path, self.base, limit, progress_of(control))
        return path, acknowledgement(path)


def look_into(folder: Path) -> LogFolder:
    """The logs of the archive that are in a folder, whole or in part."""
    whole = frozenset(log.name for log in logs.LOGS if (folder / log.file).is_file())
    begun = (log.name for log in logs.LOGS if log.name not in whole and has_part(folder / log.file))
    return LogFolder(folder, whole, frozenset(begun))
