"""The scaling of the trace that is open, as an edit that can be undone."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QUndoCommand, QUndoStack


class ScaleEdit(QUndoCommand):
    """A change of the scale from one spelling to another; `read` reads the trace again by either.

    That takes time and empties the undo stack, so `put` pushes the edit again: as the last edit, or if it was
    `undone` as the next to redo.
    """

    def __init__(self, before: str, after: str, read: Callable[[ScaleEdit, bool], None]) -> None:
        super().__init__(f"the scaling by {after}" if after else f"the end of the scaling by {before}")
        self.before, self.after = before, after
        self._read = read
        self._done = True

    def redo(self) -> None:
        """Scale again."""
        if not self._done:
            self._read(self, False)

    def undo(self) -> None:
        """Take the scaling back."""
        if not self._done:
            self._read(self, True)

    def put(self, stack: QUndoStack, undone: bool) -> None:
        """Put another edit like this onto the stack of the trace that was read by it."""
        edit = ScaleEdit(self.before, self.after, self._read)
        stack.push(edit)
        if undone:
            stack.undo()
        edit._done = False
