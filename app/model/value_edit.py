"""An edit from one value to another, which can be undone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtGui import QUndoCommand

T = TypeVar("T")


class ValueEdit(QUndoCommand, Generic[T]):
    """A change from one value to another, which is applied when it is pushed; `show` restores a value."""

    def __init__(self, text: str, show: Callable[[T], object], before: T, now: T) -> None:
        super().__init__(text.replace("&", "&&"))  # the text of the menu entry
        self._show, self._before, self._now = show, before, now
        self._is_new = True

    def redo(self) -> None:
        """Do the change again."""
        if not self._is_new:
            self._show(self._now)
        self._is_new = False

    def undo(self) -> None:
        """Take the change back."""
        self._show(self._before)
