"""The trail: the way back and forward through what was seen and selected, as a browser has it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QTimer

from views.state.clock import Clock
from views.state.history import LONGEST
from views.state.places import OpenedViews
from views.state.selection import SelectionModel
from views.work.widget_handlers import while_alive

Kept = Clock | SelectionModel | OpenedViews
"""A model that keeps what it was before."""

Step = list[Kept]
"""The models that were changed in a turn of the event loop, in order."""


class Trail(QObject):
    """The order of changes of clock, selection and page; each of these has its own history.

    A selection and a zoom to it in the same turn of the event loop are a single step.
    """

    def __init__(
        self, clock: Clock, selection: SelectionModel, places: OpenedViews, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._clock, self._selection, self._places = clock, selection, places
        self._past: list[Step] = []
        self._future: list[Step] = []
        self._turn = QTimer(self, singleShot=True, interval=0)
        for model in (clock, selection, places):
            model.stepped.connect(while_alive(self, partial(self._note, model)))

    def back(self) -> None:
        """See and select what was before the last step."""
        self._go(self._past, self._future, lambda model: model.back())

    def forward(self) -> None:
        """Undo the last `back`, or what the clock alone took back."""
        before = self._seen()
        self._go(self._future, self._past, lambda model: model.forward())
        if self._seen() == before:
            self._clock.forward()

    def _note(self, model: Kept) -> None:
        self._future.clear()
        # A new step leaves nothing to go forward to, in any of the models.
        for other in (self._clock, self._selection, self._places):
            other.forget_ahead()
        # In the same turn of the event loop a change of another model belongs to the last step.
        if self._turn.isActive() and self._past and model not in self._past[-1]:
            self._past[-1].append(model)
        else:
            self._past = [*self._past[-(LONGEST - 1) :], [model]]
        self._turn.start()

    def _go(self, steps: list[Step], others: list[Step], move: Callable[[Kept], object]) -> None:
        """Move until something is another: Backspace may have taken steps of the clock back already."""
        # A change after this begins a step of its own.
        self._turn.stop()
        before = self._seen()
        while steps and self._seen() == before:
            step = steps.pop()
            # Backwards in a step: a zoom to a selection is taken back before the selection.
            for model in reversed(step):
                move(model)
            others.append(step[::-1])

    def _seen(self) -> tuple[object, ...]:
        clock = self._clock
        return clock.window, clock.rows, self._selection.value, self._places.value
