"""Work for the GUI thread, cut into turns: between two of them the window answers."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from PySide6.QtCore import QObject, QTimer


class Turns(QObject):
    """Carries out small pieces of work, one each time the event loop comes round.

    Of several pieces under one key only the newest is done, in the place of the oldest.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: dict[Hashable, Callable[[], object]] = {}
        self._let_go = False  # whether others had their turn since the last piece was painted
        self._timer = QTimer(self, interval=0, singleShot=True)
        self._timer.timeout.connect(self._next)

    @property
    def busy(self) -> bool:
        """Whether any piece waits."""
        return bool(self._waiting)

    def add(self, key: Hashable, work: Callable[[], object]) -> None:
        """Do `work` soon."""
        self._waiting[key] = work
        self._timer.start()

    def _next(self) -> None:
        self._let_go = not self._let_go
        if self._let_go:
            self._timer.start()  # anew: other timers that are due by now go first
            return
        try:
            self._waiting.pop(next(iter(self._waiting)))()
        finally:
            if self._waiting:
                self._timer.start()
