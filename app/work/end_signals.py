"""The signals that end a process, heard by a program whose loop runs no Python."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable

from PySide6.QtCore import QObject, QSocketNotifier

from engine.system import end_signals


class EndSignals(QObject):
    """Listener that calls `end` in the GUI thread on a signal to end; a second signal ends the process at
    once.

    Signals that were ignored at start, as under `nohup`, stay ignored. `close` restores the signal handlers.
    """

    def __init__(self, end: Callable[[], object]) -> None:
        super().__init__()
        self._end = end
        self._read, self._write = socket.socketpair()
        self._write.setblocking(False)
        self._before = signal.set_wakeup_fd(self._write.fileno(), warn_on_full_buffer=False)
        self._handlers = {}
        for number in end_signals():
            if signal.getsignal(number) != signal.SIG_IGN:
                self._handlers[number] = signal.signal(number, lambda *_: None)
        self._notifier = QSocketNotifier(self._read.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._hear)

    def close(self) -> None:
        """Give the signals back to what handled them before."""
        self._notifier.setEnabled(False)
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._before)
        self._read.close()
        self._write.close()

    def _hear(self) -> None:
        numbers = self._read.recv(64)
        if any(number in self._handlers for number in numbers):
            # The system handles the next signal: it ends the process even if `end` takes long.
            for number in self._handlers:
                signal.signal(number, signal.SIG_DFL)
            self._end()
