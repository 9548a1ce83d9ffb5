"""The parts of a window, made in turns of the event loop, in which other windows answer."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QObject, Signal

from views.work.idle_queue import IdleQueue, charts

_KEY = "next part of the window"


class WindowParts(QObject):
    """What is left to be made of a window: steps, of which `make_in_turns` makes one a turn, in the queue of
    that window and before all else in it, and `make_all` the rest at once. `whole` is sent after the last.
    A step that raises an exception is the last, too: then `broken` is sent, and the exception goes on.
    """

    whole = Signal()
    broken = Signal()

    def __init__(self, steps: Iterator[None], queue: IdleQueue, parent: QObject) -> None:
        super().__init__(parent)
        self._steps, self._queue = steps, queue

    def make_in_turns(self) -> None:
        """Make one step now, and the others in later turns."""
        try:
            next(self._steps)
        except StopIteration:
            self.whole.emit()
        except Exception:
            self.broken.emit()
            raise
        else:
            self._queue.add(_KEY, self.make_in_turns, charts)

    def make_all(self) -> None:
        """Make what is left; nothing if the window is whole."""
        self._queue.discard(_KEY)
        for _ in self._steps:
            pass
        self.whole.emit()
