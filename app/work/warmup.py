"""Filling a cold kernel cache: a child process compiles, so that the window never waits for it."""

from __future__ import annotations

from PySide6.QtCore import QObject, QProcess, Signal

from app.work.child import command
from engine.compiler.cache import is_filled


class EngineWarmup(QObject):
    """Compilation of the kernels where that was not done before; `finished` says that they are there.

    Should the child fail, `finished` is sent all the same: the kernels are then compiled
    when they are first used, which works but makes the window stutter.
    """

    finished = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process: QProcess | None = None

    @property
    def needed(self) -> bool:
        """Whether there is anything to compile."""
        return not is_filled()

    def start(self) -> None:
        """Start compiling; `finished` comes in about a minute."""
        process = QProcess(self)
        process.setProcessChannelMode(QProcess.ProcessChannelMode.ForwardedErrorChannel)
        process.finished.connect(self._end)
        process.errorOccurred.connect(self._fail)
        self._process = process
        program, *words = command("app.work.warm")
        process.start(program, words)

    def shutdown(self) -> None:
        """Stop compiling; what is done already is kept."""
        if self._process is not None:
            self._process.blockSignals(True)
            self._process.kill()
            self._process.waitForFinished(3000)
            self._process = None

    def _fail(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self._end()

    def _end(self, *_: object) -> None:
        if self._process is not None:
            self._process.deleteLater()
            self._process = None
            self.finished.emit()
