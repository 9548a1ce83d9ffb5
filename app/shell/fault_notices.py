"""The messages of windows about faults: faults that have just happened, and reports of earlier processes."""

from __future__ import annotations

import errno
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication

from app.model.messages import Answers
from app.panels.message_bar import MessageBar
from app.shell.windows import Windows
from app.work.faults import unseen_reports

_MOST_READ = 200_000


class FaultNotices(QObject):
    """Shows faults in the first window, and saves the work of all; `report` may be called in any thread."""

    _happened = Signal(str, str)

    def __init__(self, windows: Windows) -> None:
        super().__init__()
        self._windows = windows
        self._happened.connect(self._show)

    def report(self, error: BaseException, path: Path | None) -> None:
        """Show an exception that nobody expected, with its report."""
        text = fault_text(error)
        details = ""
        if path is not None:
            text += f" The error report is in  {path}."
            details = path.read_text("utf-8", errors="replace")[:_MOST_READ]
        self._happened.emit(text, details)

    def _show(self, text: str, details: str) -> None:
        for window in self._windows.open:
            window.keeper.autosave()
        if self._windows.open:
            messages = self._windows.open[0].messages
            messages.show_message(text, details, copy_answer(details), stays=True)


def fault_text(error: BaseException) -> str:
    """The fault in words for the user, and what to do."""
    if isinstance(error, MemoryError):
        return (
            "There is not enough memory for this. Your work was saved: remove runs that you no longer need, "
            "or close other programs."
        )
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "The disk is full, and something could not be written. Make room, then save the session."
    return "Something went wrong in Batchscope. Your work was saved; nothing was sent."


def offer_reports(messages: MessageBar) -> None:
    """Offer what earlier processes reported, to be looked at and copied; once."""
    reports = unseen_reports()
    if not reports:
        return
    newest = reports[0]
    what = "The program crashed" if newest.crashed else "There was a fault in the program"
    text = f"{what} when it last ran. The report is on this computer only, and was not sent."
    if len(reports) > 1:
        text += f" There are {len(reports)}; this is the last."
    messages.show_message(text, newest.text, copy_answer(newest.text), stays=True)
    for report in reports:
        report.put_away()


def copy_answer(text: str) -> Answers:
    """A button that puts a report on the clipboard."""
    return {"Copy report": lambda: QGuiApplication.clipboard().setText(text)} if text else {}
