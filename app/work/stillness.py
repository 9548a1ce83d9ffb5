"""Tells when all that is to be seen is drawn."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from views.work.idle_queue import Turns
from views.work.renderer import Renderer


class Stillness(QObject):
    """`came` is sent once after `expect`, as soon as no turn waits and no picture is made."""

    came = Signal()

    def __init__(self, turns: Turns, renderer: Renderer, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._turns, self._renderer = turns, renderer
        self._expected = False
        self._painted = False  # what the last turn has changed: charts ask for pictures as they are painted
        self._look = QTimer(self, singleShot=True, interval=0)  # widgets are painted before it comes round
        self._look.timeout.connect(self._look_around)
        renderer.idle.connect(self._go_on)

    def expect(self) -> None:
        """Something has changed that is drawn now."""
        self._expected, self._painted = True, False
        self._look.start()

    def _go_on(self) -> None:
        if self._expected:
            self._look.start()

    def _look_around(self) -> None:
        if self._turns.busy or not self._painted:
            self._painted = not self._turns.busy
            self._look.start()
        elif not self._renderer.busy:
            self._expected = False
            self.came.emit()
