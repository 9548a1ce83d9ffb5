"""An idle queue: work for the GUI thread in small pieces, between which the window answers."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer

CHARTS, NORMAL, LOW, LAST = 1, 0, -1, -2
"""Priorities: of the charts of runs, of what else is seen, of what is not, and of what waits till the end."""

Priority = Callable[[], int | None]
"""Returns the priority of a piece, called for each choice; None: not before the next `IdleQueue.wake`."""


def charts() -> int:
    """The priority of the charts of runs."""
    return CHARTS


def _normal() -> int:
    return NORMAL


@dataclass(frozen=True)
class _Piece:
    work: Callable[[], object]
    priority: Priority


class IdleQueue(QObject):
    """A queue of pieces of work, of which a single piece runs in each turn of the event loop, so that the GUI
    paints in between.

    Of several pieces with the same key only the newest is done, in the place of the oldest. The highest
    priority goes first, then the oldest. An exception of a piece is raised in the event loop; the other
    pieces still run.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pieces: dict[Hashable, _Piece] = {}
        self._let_go = False  # whether others had their turn since the last piece was painted
        self._timer = QTimer(self, interval=0, singleShot=True)
        self._timer.timeout.connect(self._next)

    @property
    def busy(self) -> bool:
        """True if any piece is ready to run."""
        return self._chosen() is not None

    @property
    def empty(self) -> bool:
        """True if no piece is left, including pieces for later."""
        return not self._pieces

    def add(self, key: Hashable, work: Callable[[], object], priority: Priority = _normal) -> None:
        """Do `work` soon."""
        self._pieces[key] = _Piece(work, priority)
        self._timer.start()

    def discard(self, key: Hashable) -> None:
        """Do not do the work of this key, if there is any."""
        self._pieces.pop(key, None)

    def clear(self) -> None:
        """Forget all pieces: whom they are for is closed."""
        self._pieces.clear()

    def wake(self) -> None:
        """Look again whether pieces that wait may be done now."""
        if self._pieces:
            self._timer.start()

    def _next(self) -> None:
        self._let_go = not self._let_go
        if self._let_go:
            self._timer.start()  # anew: other timers that are due by now go first
            return
        chosen = self._chosen()
        if chosen is None:
            return
        # The piece leaves the queue before it runs, so a piece that adds its own key again is done in a later
        # turn.
        try:
            self._pieces.pop(chosen).work()
        finally:
            self.wake()

    def _chosen(self) -> Hashable:
        """The key of the piece to be done now, None where there is none."""
        chosen, highest = None, None
        for key, piece in self._pieces.items():
            priority = piece.priority()
            if priority is not None and (highest is None or priority > highest):
                chosen, highest = key, priority
            if highest == CHARTS:
                break  # nothing goes before the oldest of these
        return chosen
