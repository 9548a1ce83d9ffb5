"""The session of a window: its file, its unsaved changes, and its autosaved copy."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from app.model.documents.document import Picked, Session, Source, Stamp, stamp_of
from app.model.layout import LayoutState
from app.model.models import Models
from app.model.picked_objects import name_picked
from app.model.reading import Opened
from app.session.archive import write_session
from app.session.autosave import AutosaveSlot, is_full, new_slot
from app.session.capture import beside_file, capture
from app.session.closed_sessions import keep_closed
from views.widgets.awaited_work import waited
from views.work.executor import Executor
from views.work.idle_queue import LAST
from views.work.threads import NICE_BACKGROUND

if TYPE_CHECKING:
    from views.state.selection import Selection

WAIT_MS = 2000
"""So long after a change the session is autosaved: others often follow it."""


class SessionKeeper(QObject):
    """Keeper of a window's session: its file, unsaved changes, and a copy autosaved soon after each change.

    It follows the signals of the models; `follow` connects it to the docks, and `layout` returns their
    layout. Files are written in a thread, whole or not at all. `changed`: the file or its saved state
    changed; `saved` and `failed` (path, reason) end a `save`. `disk_full`: there was no room for the
    autosaved copy, and whether it was written all the same; sent once, until there is room again.
    """

    changed = Signal()
    saved = Signal(object)
    failed = Signal(object, str)
    disk_full = Signal(bool)

    def __init__(
        self,
        models: Models,
        layout: Callable[[], LayoutState],
        autosaves: bool,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.file: Path | None = None
        self.dirty = False
        self._models, self._layout, self._autosaves = models, layout, autosaves
        self._executor = Executor(self, threads=1, nice=NICE_BACKGROUND)  # what is written later is newer
        self._source: Source | None = None
        self._stamp: Stamp | None = None
        self._in_file: Session | None = None  # the work that the file holds
        self._autosaved: Session | None = None
        self._warned_full = False
        self._slot: AutosaveSlot | None = None
        self._named: tuple[Selection, Picked] | None = None
        self._timer = QTimer(self, interval=WAIT_MS, singleShot=True)
        self._timer.timeout.connect(self.autosave)
        models.workbench.study_changed.connect(self._follow_work)
        models.workbench.judged.connect(self._follow_judged)  # another policy, or by another share
        models.workbench.fair_starts_changed.connect(self._follow_work)
        models.measured.changed.connect(self._follow_work)
        models.view.follow(self, "marks", self._follow_work)
        for changed in (models.clock.changed, models.selection.changed, models.filter.changed):
            changed.connect(self.follow)
        models.view.changed.connect(self.follow)

    @property
    def busy(self) -> bool:
        """True if a file is being written."""
        return self._executor.busy

    def title_of(self, trace: str) -> str:
        """The window's title for a trace of this name, with a mark for unsaved changes."""
        mark = "[*]" if self.file or self.dirty else ""
        name = f"{self.file.stem}{mark} ({trace})" if self.file else f"{trace}{mark}"
        return f"{name} – Batchscope"

    def is_of(self, real: Path) -> bool:
        """True if the open trace was read from this file, a path without links."""
        return self._source is not None and Path(self._source.path) == real

    def is_overtaken(self, window: QWidget) -> bool:
        """True if another window or program has written the file since it was read or saved here.

        A thread looks at it, in which `window` waits. Raises Cancelled.
        """
        file = self.file
        if file is None:
            return False
        now = waited(self._executor, lambda: stamp_of(file), f"Looking at {file.name}…", window)
        return now is not None and now != self._stamp

    def leave(self) -> None:
        """Hold no session until the next study is opened, while the models change one after the other."""
        self._source, self._named = None, None

    def opened(self, opened: Opened, file: Path | None, slot: AutosaveSlot | None) -> None:
        """Follow a study that was opened: of a session `file`, of an autosave in `slot`, or of a trace.

        A trace that was read again with other options is an unsaved change of the same session.
        """
        if opened.is_reread:
            self._source = opened.source
            self._follow_work()
            self.changed.emit()
            return
        before, self._slot = self._slot, slot or self._slot
        # The copy of a killed program has been taken over into the slot of this window, and is deleted there.
        if before is not None and slot is not None:
            before.remove()
        self._source, self.file, self._autosaved, self._named = opened.source, file, None, None
        self._stamp = opened.stamp if file is not None else None
        now = self.session()
        # A copy, a trace that has moved and doubts all mean that the file differs from what is shown.
        as_in_file = slot is None and not opened.found and not opened.doubts
        self._in_file = now.work if now is not None and as_in_file else None
        self._follow_work()
        self.changed.emit()

    def session(self) -> Session | None:
        """The window as a session; None where it shows no study."""
        study = self._models.workbench.study
        if self._source is None:
            return None
        selection = self._models.selection.value
        if self._named is None or self._named[0] is not selection:
            self._named = selection, name_picked(selection, study.trace)
        return capture(self._models, self._source, study, self._named[1], self._layout())

    def follow(self) -> None:
        """Autosave soon: the view of the study has changed."""
        if self._source is not None and not self._timer.isActive():
            self._timer.start()

    def autosave(self) -> None:
        """Write the autosaved copy if it would be another."""
        if write := self._autosaving():
            self._executor.submit("autosave", lambda _: write(), self._warn_if_full, self._not_autosaved)

    def autosave_now(self) -> bool:
        """Write the autosaved copy before this returns; whether it has all that there is to keep."""
        if not self._autosaves:
            return False
        # A save in the queue may wait behind a slow save: at the end of the program there is no time for it.
        if self._executor.task("autosave") is not None:
            self._executor.cancel("autosave")
            self._autosaved = None  # the copy that was asked for may never be written
        if write := self._autosaving():
            try:
                write()
            except (OSError, MemoryError) as error:
                self._autosaved = None
                self._warn(error)
        return self._source is None or self._autosaved is not None

    def _autosaving(self) -> Callable[[], bool] | None:
        """A function that writes the copy and returns whether the disk is full; None if no copy is needed."""
        session = self.session()
        if session is None or not self._autosaves:
            return None
        session = replace(session, file=str(self.file) if self.file else "")
        # Many changes lead back to what is written already.
        if session == self._autosaved:
            return None
        self._slot = self._slot or new_slot()
        if self._slot is None:
            return None
        self._autosaved = session
        return self._slot.in_turn(partial(write_session, session=session, private=True))

    def _warn_if_full(self, full: bool, saved: bool = True) -> None:
        if full and not self._warned_full:
            self.disk_full.emit(saved)
        self._warned_full = full

    def _not_autosaved(self, error: Exception) -> None:
        self._autosaved = None  # the next change tries it again
        self._warn(error)
        if is_full(error):
            self._warn_if_full(True, saved=False)

    def save(self, file: Path) -> None:
        """Write the session to a file, which is then its own."""
        session = self.session()
        if session is None:
            return

        def write(_: object) -> Stamp | None:
            write_session(file, beside_file(session, file))
            return stamp_of(file)

        def done(stamp: Stamp | None) -> None:
            # The session that was written, not the present session: changes since are unsaved.
            self.file, self._in_file, self._stamp = file, session.work, stamp
            self._follow_work()
            self.changed.emit()
            self.saved.emit(file)

        def failed(error: Exception) -> None:
            self.failed.emit(file, getattr(error, "strerror", None) or str(error))

        self._executor.submit("save", write, done, failed)

    def save_now(self, file: Path, window: QWidget) -> None:
        """Write the session before the window closes, which waits for it. Raises OSError and Cancelled."""
        session = self.session()
        if session is None:
            return
        written = session

        def write() -> Stamp | None:
            write_session(file, beside_file(written, file))
            return stamp_of(file)

        self._stamp = waited(self._executor, write, f"Saving {file.name}…", window)
        self.file, self._in_file = file, session.work
        self._follow_work()

    def close(self) -> None:
        """End without a copy for recovery, because the user closed the window.

        Unsaved content is still added to the closed sessions.
        """
        self._timer.stop()
        # What is waiting in the thread is of no use any more: the last state is taken once, below.
        self._executor.shutdown()
        left = self.unsaved()
        self._source = None  # what still changes is no work
        self.keep_closed(left)
        if self._slot is not None:
            self._slot.remove()
            self._slot = None

    def unsaved(self) -> Session | None:
        """The session, if no file has it as it is."""
        return self.session() if self.file is None or self.dirty else None

    def keep_closed(self, left: Session | None) -> None:
        """Add a session that the window no longer shows to the closed sessions."""
        if self._autosaves and left is not None:
            try:
                keep_closed(left)
            except OSError as error:
                self._warn(error)

    def _follow_judged(self) -> None:
        """Follow a run that is explored: what lacks in the file by now, does so until the slider rests."""
        working = self._models.workbench.executor
        if self.dirty:
            self._models.context.idle_queue.add(
                self, self._follow_work, lambda: None if working.busy else LAST
            )
        else:
            self._follow_work()

    def _follow_work(self) -> None:
        """Update whether the file lacks changes, or, without a file, whether the study changed since it was
        opened.
        """
        session = self.session()
        dirty = session is not None and session.work != self._in_file
        if dirty != self.dirty:
            self.dirty = dirty
            self.changed.emit()
        self.follow()

    def _warn(self, error: Exception) -> None:
        logging.getLogger(__name__).warning("could not autosave the session: %s", error)
