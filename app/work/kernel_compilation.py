"""Filling a cold kernel cache: a child process compiles, so that the window never waits for it."""

from __future__ import annotations

from PySide6.QtCore import QObject, QProcess, QTimer, Signal

from app.work.child import SHOWS_RECORDED, SIMULATES_EASY, command
from engine.compiler.cache import filled_or_filling, is_filled

KERNELS = 1181
"""Files that all kernels make, about."""

_LOOK_MS = 500
_NEVER_FULL = 0.99


class KernelCompilation(QObject):
    """Compilation of the kernels if they are not compiled yet; `finished` is sent when they are ready.

    `progressed` carries their compiled share, from 0 to 1; `simulates_easy` is sent when the kernels for
    reading a log and simulating it under `easy` on a pool are ready, `shows_recorded` when those for showing
    a recorded schedule are.

    If the child process fails, `finished` is sent all the same: each kernel is then compiled when it is first
    used, see `KernelChildren`, and only what needs it waits.
    """

    finished = Signal()
    progressed = Signal(float)
    simulates_easy = Signal()
    shows_recorded = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process: QProcess | None = None
        self._looks = QTimer(self, interval=_LOOK_MS)
        self._looks.timeout.connect(self._look)

    @property
    def needed(self) -> bool:
        """True if there is anything to compile."""
        return not is_filled()

    def start(self) -> None:
        """Start compiling; `finished` is sent after about a minute."""
        process = QProcess(self)
        process.setProcessChannelMode(QProcess.ProcessChannelMode.ForwardedErrorChannel)
        process.readyReadStandardOutput.connect(self._hear)
        process.finished.connect(self._end)
        process.errorOccurred.connect(self._fail)
        self._process = process
        program, *words = command("app.work.compile_kernels")
        process.start(program, words)
        self._looks.start()
        self._look()

    def shutdown(self) -> None:
        """Stop compiling; finished kernels are kept."""
        self._looks.stop()
        if self._process is not None:
            # The end that this kill causes must not be taken for a finished compilation.
            self._process.blockSignals(True)
            self._process.kill()
            self._process.waitForFinished(3000)
            self._process = None

    def _hear(self) -> None:
        text = self._process.readAllStandardOutput().data() if self._process is not None else b""
        # Both words may come in the same piece, or each by itself.
        if SIMULATES_EASY.encode() in text:
            self.simulates_easy.emit()
        if SHOWS_RECORDED.encode() in text:
            self.shows_recorded.emit()

    def _look(self) -> None:
        there = sum(1 for _ in filled_or_filling().glob("*.kernel"))
        self.progressed.emit(min(there / KERNELS, _NEVER_FULL))

    def _fail(self, error: QProcess.ProcessError) -> None:
        # Other errors are followed by `finished`; a process that did not start sends none.
        if error == QProcess.ProcessError.FailedToStart:
            self._end()

    def _end(self, *_: object) -> None:
        self._looks.stop()
        if self._process is not None:
            self._process.deleteLater()
            self._process = None
            self.finished.emit()
