"""Opening traces and sessions in a window, and what becomes of the one that was open."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from app.model.document import SUFFIX, Picked
from app.model.models import Models
from app.model.reading import Opened, TraceMissingError, opening_policies
from app.session.autosave import AutosaveSlot, last_path
from app.session.capture import show_again
from app.session.commands import may_leave
from app.session.keeper import SessionKeeper
from app.session.restore import read_saved_study, study_of
from engine.trace.scale import parse_scale
from resources import example_path

_FILES = f"Traces and sessions (*.swf *.txt *.gz *.bz2 *.xz *.zst *{SUFFIX});;All files (*)"


class Opener(QObject):
    """Opener of traces and sessions; what is open stays until another file is read.

    `begun`: one is about to be; `remembered`: the recent
    files are others; `shown` (what was opened): the models hold it now.
    """

    begun = Signal()
    remembered = Signal()
    shown = Signal(object)

    def __init__(self, models: Models, keeper: SessionKeeper, window: QWidget) -> None:
        super().__init__(window)
        self._models, self._keeper, self._window = models, keeper, window
        self._file: Path | None = None  # the session that is being opened
        self._slot: AutosaveSlot | None = None  # or the place of one that was autosaved
        models.workbench.opened.connect(self._show)

    def ask(self) -> None:
        """Let the user choose a file."""
        recent = self._models.settings.recent
        folder = str(Path(recent[0]).parent) if recent else ""
        name, _ = QFileDialog.getOpenFileName(self._window, "Open a trace or a session", folder, _FILES)
        if name:
            self.open_path(Path(name))

    def open_example(self) -> None:
        """Show the bundled example."""
        self.open_path(example_path())

    def open_path(self, path: Path) -> None:
        """Read a session, or a trace to be shown under the default policies."""
        if not may_leave(self._models, self._keeper, self._window):
            return
        self.begun.emit()
        if path.suffix == SUFFIX:
            self.open_session(path)
        else:
            self._file = self._slot = None
            self._models.workbench.open(path, opening_policies(self._models.settings.policies))

    def open_last(self) -> None:
        """Read what the last window showed that was closed without a session file."""
        self.open_session(last_path())

    def scale(self, text: str) -> None:
        """Read the trace that is open anew, scaled as `parse_scale` reads it, with the same runs.

        Raises InputError.
        """
        scale = parse_scale(text)
        session = self._keeper.session()
        if session is not None and scale.spelling != session.scale:
            view = replace(session.view, window=None, picked=Picked())
            changed = replace(session, scale=scale.spelling, view=view)
            self._file, self._slot = self._keeper.file, None
            path = Path(session.source.path)
            read = partial(study_of, changed, self._file or path, path)
            self._models.workbench.open_with(path, read)

    def open_session(self, path: Path, trace: Path | None = None) -> None:
        """Read a session file; its trace lies at `trace` where that is known better."""
        self._file, self._slot = path if path != last_path() else None, None
        self._models.workbench.open_with(path, partial(read_saved_study, path, trace))

    def open_autosave(self, slot: AutosaveSlot, trace: Path | None = None) -> None:
        """Read what a program that was killed has left; it stays there where that fails."""
        self._file, self._slot = None, slot
        self._models.workbench.open_with(slot.path, partial(read_saved_study, slot.path, trace))

    def find_trace(self, error: TraceMissingError) -> None:
        """Let the reader say where the trace of a session is, and open it."""
        name, slot = Path(error.wanted).name, self._slot
        title = f"Where is {name}?"
        found, _ = QFileDialog.getOpenFileName(self._window, title, str(error.file.parent))
        if found and slot is not None:
            self.open_autosave(slot, Path(found))
        elif found:
            self.open_session(error.file, Path(found))

    def remember(self, path: Path) -> None:
        """Put a file first among the recent ones."""
        if path != example_path():
            self._models.settings.remember(path)
            self.remembered.emit()

    def _show(self, opened: Opened) -> None:
        models, session = self._models, opened.session
        models.selection.reset()
        models.filter.reset()
        trace = opened.study.trace
        models.clock.reset(float(trace.submit[0]), float((trace.submit + trace.runtime).max()))
        file, slot = self._file, self._slot
        if slot is not None and session is not None and session.file:
            file = Path(session.file)
        self.remember(file or opened.path)
        self.shown.emit(opened)
        show_again(models, opened)
        self._keeper.opened(opened, file, slot)
        for doubt in opened.doubts:
            models.messages.show_message(doubt)
