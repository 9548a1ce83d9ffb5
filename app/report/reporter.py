"""Reports of what the window shows: the folder is asked for, and filled in a thread."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from app.export.files import NOTHING
from app.export.provenance import Provenance
from app.model.documents.document import Session
from app.model.models import Models
from app.report.folder import check_folder
from engine.errors import InputError
from engine.simulation.control import Cancelled, Control
from views.data.change_look import ChangeLook
from views.data.results import place_of_baseline
from views.figures.request import FigureRequest


class Reporter:
    """Writer of reports; a message reports success or the error.

    `request` returns the content of the window, None before a run is finished, `session` the session to
    restore it.
    """

    def __init__(
        self,
        models: Models,
        request: Callable[[], FigureRequest | None],
        session: Callable[[], Session | None],
        window: QWidget,
    ) -> None:
        self._models, self._request, self._session, self._window = models, request, session, window

    def ask(self) -> None:
        """Let the user name a folder, then write the report into it."""
        request = self._request()
        if request is None:
            self._models.messages.show_message(NOTHING)
            return
        name = f"{request.trace.name}-report"
        text, _ = QFileDialog.getSaveFileName(
            self._window,
            "Write a report: name a new folder",
            name,
            "Folder (*)",
            # An existing folder is refused later, with the reason: a question of Qt would only be about a
            # file.
            options=QFileDialog.Option.DontConfirmOverwrite,
        )
        if text:
            self.write(Path(text))

    def write(self, folder: Path) -> None:
        """Write the report into a folder, which has to be new or empty."""
        from app.report.make import ReportInput, make_report  # which brings all that is computed with it

        request, session, messages = self._request(), self._session(), self._models.messages
        if request is None or session is None:
            messages.show_message(NOTHING)
            return
        runs = self._models.workbench.finished()
        evaluations = [run.evaluation for run in runs]
        baseline = place_of_baseline([run.result for run in runs], request.options.baseline)
        about = Provenance(
            request.results,
            self._models.workbench.only,
            None,
            request.window,
            self._models.workbench.share,
        )
        current = self._models.workbench.open_study
        hidden = {current.study.name(run): current.live[run.id].hidden for run in current.study.runs}
        left_out = {name: why for name, why in hidden.items() if why}
        change = request.own.find(ChangeLook)
        report = ReportInput(request, about, evaluations, session, baseline, change=change, hidden=left_out)

        def work(control: Control) -> Path:
            def go_on(_: str) -> None:
                if control.cancelled:
                    raise Cancelled

            check_folder(folder, False)
            make_report(report, folder, say=go_on)
            return folder

        def failed(error: Exception) -> None:
            if isinstance(error, InputError):
                messages.show_message(str(error))
            elif isinstance(error, OSError):
                messages.show_message(f"{folder}: cannot write this report: {error.strerror or error}")
            else:
                details = "".join(traceback.format_exception(error))
                messages.show_message(f"{folder}: the report failed: {error}", details)

        messages.say(f"Writing a report into {folder}…")
        self._models.workbench.executor.submit(
            ("report", folder), work, lambda _: messages.say(f"Wrote {folder / 'index.html'}"), failed
        )
