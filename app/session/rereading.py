"""Reading the open trace again in another way, as an edit that can be undone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from PySide6.QtGui import QUndoCommand

from app.model.documents.document import Picked, Session
from engine.reading.options import Reading


def read_so(session: Session, reading: Reading) -> Session:
    """A session with its log read by these options, with nothing picked and all of the time in sight."""
    view = replace(session.view, window=None, picked=Picked())
    return replace(session, reading=reading, view=view)


class ReadingEdit(QUndoCommand):
    """A change of how the trace is read, called `text`; `show` has it read so."""

    def __init__(self, text: str, before: Reading, after: Reading, show: Callable[[Rereading], None]) -> None:
        super().__init__(text)
        self._before, self._after, self._show = before, after, show

    def redo(self) -> None:
        """Read it the new way, or do so again."""
        self._show(Rereading(self._after, self, is_done=True))

    def undo(self) -> None:
        """Read it as before."""
        self._show(Rereading(self._before, self, is_done=False))


@dataclass(frozen=True)
class Rereading:
    """The options by which the log is to be read, and the edit that asks for it as it was done or undone."""

    reading: Reading
    edit: ReadingEdit
    is_done: bool
