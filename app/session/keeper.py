"""Keeps the session of one window: its file, its unsaved changes, and its autosaved copy."""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app.model.reading import Opened
from app.session.archive import write_session
from app.session.autosave import Slot, last_path, new_slot
from app.session.capture import capture, name_picked, placed
from app.session.document import Picked, Session, Source
from views.work.executor import Executor
from views.work.threads import NICE_BACKGROUND

if TYPE_CHECKING:
    from app.shell.window import MainWindow
    from views.state.selection import Selection

LOOK_MS = 2000
"""How often the window is looked at for changes: no more than that is lost with the program."""


class SessionKeeper(QObject):
    """Looks at the window every other second and autosaves what has changed.

    So nothing in the window has to tell of its changes. Files are written in a thread, whole or
    not at all. `changed`: the file or whether it is saved is another; `saved` and `failed`
    (path, reason) end a `save`.
    """

    changed = Signal()
    saved = Signal(object)
    failed = Signal(object, str)

    def __init__(self, window: MainWindow, autosaves: bool) -> None:
        super().__init__(window)
        self.file: Path | None = None
        self.dirty = False
        self._window, self._autosaves = window, autosaves
        self._executor = Executor(self, threads=1, nice=NICE_BACKGROUND)  # what is written later is newer
        self._source: Source | None = None
        self._in_file: Session | None = None  # the work that the file holds
        self._autosaved: Session | None = None
        self._slot: Slot | None = None
        self._named: tuple[Selection, Picked] | None = None
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self.look)
        window.workbench.study_changed.connect(self._follow)

    @property
    def busy(self) -> bool:
        """Whether a file is being written."""
        return self._executor.busy

    def opened(self, opened: Opened, file: Path | None, slot: Slot | None) -> None:
        """Another study is shown: of a session `file`, of an autosave in `slot`, or of a trace."""
        before, self._slot = self._slot, slot or self._slot
        if before is not None and slot is not None:
            before.remove()
        self._source, self.file, self._autosaved, self._named = opened.source, file, None, None
        now = self.session()
        as_in_file = slot is None and not opened.found and not opened.doubts
        self._in_file = now.work if now is not None and as_in_file else None
        self._timer.start()
        self._follow()

    def session(self) -> Session | None:
        """The window as a session; None where it shows no study."""
        study = self._window.workbench.study
        if study is None or self._source is None:
            return None
        selection = self._window.selection.value
        if self._named is None or self._named[0] is not selection:
            self._named = selection, name_picked(selection, study.trace)
        return capture(self._window, self._source, study, self._named[1])

    def look(self) -> None:
        """Autosave the window if it has changed."""
        session = self.session()
        if session is None:
            return
        self._follow()
        session = replace(session, file=str(self.file) if self.file else "")
        if self._autosaves and session != self._autosaved:
            self._autosaved = session
            self._slot = self._slot or new_slot()
            if self._slot is not None:
                write = partial(write_session, self._slot.path, session)
                self._executor.submit("autosave", lambda _: write(), lambda _: None, self._warn)

    def save(self, file: Path) -> None:
        """Write the session to a file, which is then its own."""
        session = self.session()
        if session is None:
            return

        def done(_: object) -> None:
            self.file, self._in_file = file, session.work
            self._follow()
            self.changed.emit()
            self.saved.emit(file)

        def failed(error: Exception) -> None:
            self.failed.emit(file, getattr(error, "strerror", None) or str(error))

        self._executor.submit("save", lambda _: write_session(file, placed(session, file)), done, failed)

    def save_now(self, file: Path) -> None:
        """The same before the window closes. Raises OSError."""
        session = self.session()
        if session is not None:
            write_session(file, placed(session, file))

    def close(self) -> None:
        """The window goes in peace: nothing is left to be brought back.

        What it showed, where it was in no file, is kept for the start page all the same.
        """
        self._timer.stop()
        self._executor.shutdown()
        session = self.session()
        if self._autosaves and self.file is None and session is not None:
            try:
                last_path().parent.mkdir(parents=True, exist_ok=True)
                write_session(last_path(), session)
            except OSError as error:
                self._warn(error)
        if self._slot is not None:
            self._slot.remove()
            self._slot = None

    def _follow(self) -> None:
        """Whether the file lacks anything; without a file there is nothing to be unsaved."""
        session = self.session() if self.file is not None else None
        dirty = session is not None and session.work != self._in_file
        if dirty != self.dirty:
            self.dirty = dirty
            self.changed.emit()

    def _warn(self, error: Exception) -> None:
        logging.getLogger(__name__).warning("could not autosave the session: %s", error)
