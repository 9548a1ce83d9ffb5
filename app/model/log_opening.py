"""The reading of a log or a session in a thread, from its beginning to the study that comes of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Signal

from app.model.messages import describe_failure
from app.model.reading import Opened, Read, TraceMissingError, load_engine
from app.model.work_keys import LOADING, LOOKING, OPENING
from engine.logs.tables.columns import ColumnsError
from engine.reading.options import OptionError
from views.work.executor import Executor, Task

T = TypeVar("T")


class LogOpening(QObject):
    """Reads a study from a file in a thread, and gives it to `show`; what is open stays if that fails.

    `looked`: a file is looked at, before it is known how to open it. `began` (path).
    `missing` (error with the trace), `choice_wanted` or `failed` say why nothing came.
    `stopped`: what was open stays.
    """

    looked = Signal()
    began = Signal(str)
    missing = Signal(object)
    stopped = Signal()  # the reading failed or was cancelled
    choice_wanted = Signal(object, object)  # the path of a log with columns or clusters to choose; why
    failed = Signal(str, str)  # what a person can do; details

    def __init__(
        self, executor: Executor, files: Executor, show: Callable[[Opened], None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._executor, self._files, self._show = executor, files, show
        self.name = ""  # of the file that is read, or was read last

    def look(self, name: str, work: Callable[[], T], done: Callable[[T], None]) -> None:
        """Look at files before one of this name is opened, in a thread; `done` gets the result of `work`.

        Nothing comes of it where it is cancelled, or something else is opened meanwhile.
        """
        self.name = name
        failed = partial(self._report, what=f"{name}: cannot be opened")
        self._files.submit(LOOKING, lambda _: work(), done, failed)
        self.looked.emit()

    def start(
        self, path: Path, read: Read, finish: Callable[[Opened], Opened] = lambda opened: opened
    ) -> None:
        """Have a study read; `finish` completes what was read, in the thread of the window."""
        self._files.cancel(LOOKING)
        self.name = path.name
        self.began.emit(str(path))

        def failed(error: Exception) -> None:
            self.stopped.emit()
            if isinstance(error, TraceMissingError):
                self.missing.emit(error)
            elif isinstance(error, ColumnsError) or (isinstance(error, OptionError) and error.choices):
                self.choice_wanted.emit(path, error)
            else:
                self._report(error, f"{path}: cannot be opened")

        self._executor.submit(OPENING, read, lambda opened: self._show(finish(opened)), failed)
        # The engine is loaded meanwhile, so that the first simulation need not wait for it.
        self._executor.submit(
            LOADING, load_engine, lambda _: None, partial(self._report, what="loading the engine failed")
        )

    @property
    def waits(self) -> bool:
        """True if a file is to be read as soon as the kernels are ready."""
        return self._executor.holds(OPENING) and self._executor.task(OPENING) is not None

    @property
    def task(self) -> Task[Any] | None:
        """The task that reads a file, or looks at what it is, while it does."""
        return self._executor.task(OPENING) or self._files.task(LOOKING)

    def cancel(self) -> None:
        """Stop reading; what was open stays open."""
        self._files.cancel(LOOKING)
        self._executor.cancel(OPENING)
        self._executor.cancel(LOADING)
        self.stopped.emit()

    def _report(self, error: Exception, what: str) -> None:
        self.failed.emit(*describe_failure(error, what))
