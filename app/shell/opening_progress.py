"""The progress of reading a trace, on the start page and in the status line."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from app.model.workbench import Workbench
from app.shell.start_page import StartPage
from app.shell.status import StatusLine
from engine.shown_text import shown_name
from views.work.widget_handlers import while_alive

_LOOK_MS = 100


class OpeningProgress(QObject):
    """Poller of the progress of reading, from `opening` on until nothing is read any more."""

    def __init__(self, workbench: Workbench, page: StartPage, status: StatusLine, parent: QObject) -> None:
        super().__init__(parent)
        self._workbench, self._page, self._status = workbench, page, status
        self._looks = QTimer(self, interval=_LOOK_MS)
        self._looks.timeout.connect(self._show)
        workbench.log_opening.began.connect(while_alive(self, lambda _: self._looks.start()))
        workbench.log_opening.looked.connect(while_alive(self, self._looks.start))

    def _show(self) -> None:
        task, waits = self._workbench.log_opening.task, self._workbench.log_opening.waits
        if waits:
            self._page.show_busy("Preparing the engine for this computer, once…", self._status.preparing)
        elif task is None:
            self._looks.stop()
            self._page.hide_busy()
            self._status.show_opening(None)
        else:
            self._page.show_busy(
                f"Reading {shown_name(self._workbench.log_opening.name)}…", task.control.progress
            )
            self._status.show_opening(task.control.progress)
