"""The messages of windows about faults: faults that have just happened, and reports of earlier processes."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication

from app.model.messages import Answers
from app.panels.message_bar import MessageBar
from app.shell.fault_words import fault_text
from app.shell.windows import Windows
from app.work.faults import unseen_reports

_MOST_READ = 200_000


class FaultNotices(QObject):
    """Shows faults in the first window, and saves the work of all; `report` may be called in any thread."""

    _happened = Signal(object, object)

    def __init__(self, windows: Windows) -> None:
        super().__init__()
        self._windows = windows
        self._happened.connect(self._show)

    def report(self, error: BaseException, path: Path | None) -> None:
        """Show an exception that nobody expected, with its report."""
        self._happened.emit(error, path)

    def _show(self, error: BaseException, path: Path | None) -> None:
        kept = [window.keeper.autosave_now() for window in self._windows.open]  # of each, whatever others can
        saved = all(kept)
        text, details = fault_text(error, saved), ""
        if path is not None:
            text += f" The error report is in {path}."
            with suppress(OSError):
                details = path.read_text("utf-8", errors="replace")[:_MOST_READ]
        if self._windows.open:
            messages = self._windows.open[0].messages
            messages.show_message(text, details, copy_answer(details), stays=True)


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
