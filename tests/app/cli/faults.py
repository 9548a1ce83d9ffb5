"""What must not happen in a process with windows: errors, messages of Qt, failures of tasks."""

import sys
import threading
import traceback
from types import TracebackType

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

from app.shell.window import MainWindow

NOISE = "This plugin does not support "
"""How messages of Qt's offscreen platform begin."""


class Faults:
    """Everything that must not happen, in the order in which it did."""

    def __init__(self) -> None:
        self.faults: list[str] = []

    def listen(self) -> None:
        """Note from now on what the process would print: errors that nobody caught, and messages of Qt."""
        sys.excepthook = self._exception
        threading.excepthook = lambda args: self.faults.append(f"in thread {args.thread}: {args.exc_value!r}")
        qInstallMessageHandler(self._message)

    def _exception(
        self, kind: type[BaseException], error: BaseException, where: TracebackType | None
    ) -> None:
        self.faults.append("".join(traceback.format_exception(kind, error, where)))

    def _message(self, kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
        if not text.startswith(NOISE):
            self.faults.append(f"{kind.name}: {text}")

    def watch(self, window: MainWindow) -> None:
        """Failures that the window tells with details are its own, not of what was typed."""
        window.workbench.failed.connect(lambda text, details: details and self.faults.append(text + details))
        window.executor.failed.connect(
            lambda whose, error: self.faults.append("".join([whose, *traceback.format_exception(error)]))
        )
