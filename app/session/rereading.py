"""Reading the open trace again in another way, as an edit that can be undone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from PySide6.QtGui import QUndoCommand

from app.model.document import Picked, Session
from engine.reading.options import Reading


class HowRead(NamedTuple):
    """The scale of the trace, as it is spelled, and the options by which its log is read."""

    scale: str
    reading: Reading

    def of(self, session: Session) -> Session:
        """A session with its trace read so, with nothing picked and all of the time in sight."""
        view = replace(session.view, window=None, picked=Picked())
        return replace(session, scale=self.scale, reading=self.reading, view=view)


class ReadingEdit(QUndoCommand):
    """A change of how the trace is read, called `text`; `show` has it read so."""

    def __init__(self, text: str, before: HowRead, after: HowRead, show: Callable[[Rereading], None]) -> None:
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
    """How the trace is to be read, and the edit that asks for it because it was done or undone."""

    how: HowRead
    edit: ReadingEdit
    is_done: bool
