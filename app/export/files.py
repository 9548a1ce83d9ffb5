"""Exporting figures and tables of the runs that the window shows."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from threading import Lock

from PySide6.QtWidgets import QFileDialog, QWidget

from app.export.provenance import Provenance, caption_of
from app.export.tables import table_spec
from app.model.models import Models
from engine.errors import InputError
from engine.input import refuse_inputs
from engine.simulation.control import Control
from views.catalog import figure_spec
from views.figures.request import FigureRequest

FIGURES = "PDF (*.pdf);;SVG (*.svg);;PNG (*.png)"
NOTHING = "There is nothing to export before a run is done."
_one_drawing = Lock()  # matplotlib's settings are shared by all threads


class Exporter:
    """Exporter of what the window shows; `request` says what that is, None before a run is done.

    Files are written in a thread; a message tells when they are there, or why not.
    """

    def __init__(self, models: Models, request: Callable[[], FigureRequest | None], window: QWidget) -> None:
        self._models, self._request, self._window = models, request, window

    def export_chart(self, kind: str) -> None:
        """Let the user name a file, then draw a figure into it, of a kind in `views.catalog.FIGURES`."""
        request = self._there(figure_spec(kind).lacks)
        if request is not None:
            path = self._ask(f"Export {kind}", f"{request.trace.name}-{kind}.pdf", FIGURES)
            if path is not None:
                self.write_chart(kind, path)

    def write_chart(self, kind: str, path: Path) -> None:
        """Draw the figure into the file."""
        spec, request = figure_spec(kind), self._request()
        if request is None or spec.lacks(request):
            return
        caption = caption_of(spec, request, self._provenance(request))

        def draw(_: Control) -> list[Path]:
            from views.figures import save

            with _one_drawing:
                save(spec.draw(request), path, caption())
            return [path]

        self._in_thread(path, draw)

    def export_table(self, kind: str) -> None:
        """Let the user name a file, then write a table into it, of a kind in `app.export.tables.TABLES`."""
        spec = table_spec(kind)
        request = self._there(spec.lacks)
        if request is not None:
            path = self._ask(f"Export {kind}", f"{request.trace.name}-{kind}.csv", spec.formats)
            if path is not None:
                self.write_table(kind, path)

    def write_table(self, kind: str, path: Path) -> None:
        """Write the table into the file."""
        request = self._request()
        if request is not None:
            about = self._provenance(request)
            self._in_thread(path, lambda _: table_spec(kind).write(request, about, path))

    def _in_thread(self, path: Path, work: Callable[[Control], list[Path]]) -> None:
        messages = self._models.messages

        def failed(error: Exception) -> None:
            if isinstance(error, InputError):
                messages.show_message(str(error))
            elif isinstance(error, OSError):
                messages.show_message(f"{path}: cannot write this file: {error.strerror or error}")
            else:
                details = "".join(traceback.format_exception(error))
                messages.show_message(f"{path}: the export failed: {error}", details)

        def done(written: list[Path]) -> None:
            messages.say(f"Wrote {', '.join(map(str, written))}")

        def write(control: Control) -> list[Path]:
            refuse_inputs(path)
            return work(control)

        self._models.workbench.executor.submit(("export", path), write, done, failed)

    def _there(self, lacks: Callable[[FigureRequest], str]) -> FigureRequest | None:
        """The request for a figure; where there is none, a message says what is missing."""
        request = self._request()
        why = NOTHING if request is None else lacks(request)
        if why:
            self._models.messages.show_message(why)
            return None
        return request

    def _provenance(self, request: FigureRequest) -> Provenance:
        models = self._models
        instant, share = models.selection.value.instant, models.workbench.share
        dimmed = models.filter.value.dimmed
        return Provenance(
            request.results, models.workbench.only, dimmed, request.window, share, instant, request.selected
        )

    def _ask(self, title: str, name: str, filters: str) -> Path | None:
        text, _ = QFileDialog.getSaveFileName(self._window, title, name, filters)
        return Path(text) if text else None
