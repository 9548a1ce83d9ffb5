"""Exporting figures and tables of the runs that the window shows."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog, QWidget

from app.export.provenance import Provenance, caption_of
from app.export.tables import table_spec
from app.model.models import Models
from app.panels.dialogs import show_dialog
from engine.errors import InputError
from engine.input import refuse_inputs
from engine.simulation.control import Control
from views.catalog import FIGURES as FIGURES_OF_VIEWS
from views.catalog import figure_spec
from views.figures.request import FigureRequest

if TYPE_CHECKING:
    from app.export.drawing import Sketch
    from views.figures.printing import PrintOptions

FIGURES = "PDF (*.pdf);;SVG (*.svg);;PNG (*.png)"
NOTHING = "There is nothing to export before a run is done."


class Exporter:
    """Exporter of the content of the window; `request` returns that content, None before a run is finished.

    Files are written in a thread; a message reports success or the error.
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
        # The caption is asked for now, and written in the thread.
        caption = caption_of(spec, request, self._provenance(request))

        def draw(_: Control) -> list[Path]:
            from app.export.drawing import one_drawing
            from views.figures.printing import printed
            from views.figures.save import save_printed

            note = caption()
            # matplotlib has global settings, so that figures are drawn in turn.
            with one_drawing:
                save_printed(printed(spec.drawing(request), spec.print, note.count("\n") + 1), path, note)
            return [path]

        self._in_thread(path, draw)

    def ask(self) -> None:
        """Show the dialog that prints figures."""
        from app.panels.export_dialog import ExportDialog

        models = self._models
        specs = [
            spec for spec in FIGURES_OF_VIEWS if (request := self._request()) and not spec.lacks(request)
        ]
        if not specs:
            models.messages.show_message(NOTHING)
            return
        show_dialog(
            ExportDialog(specs, self._sketch, models.workbench.executor, models.messages.say, self._window)
        )

    def _sketch(self, kind: str, how: PrintOptions) -> Sketch | None:
        """A figure of what the window shows now."""
        from app.export.drawing import Sketch

        request = self._request()
        return None if request is None else Sketch(kind, request, self._provenance(request), how)

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

        # An InputError is already a sentence for users; of a file error the system's reason is told; anything
        # else is a bug and has its stack in the details.
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
            # The files that the study was read from may have been chosen by mistake: they are never
            # overwritten.
            refuse_inputs(path)
            return work(control)

        self._models.workbench.executor.submit(("export", path), write, done, failed)

    def _there(self, lacks: Callable[[FigureRequest], str]) -> FigureRequest | None:
        """The request for a figure; if there is none, a message says what is missing."""
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
