"""The base of pages about a site whose answer is simulated: a button begins and cancels it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from views.text.counts import format_seconds
from views.widgets.page_stack import PageStack
from views.widgets.site_page import SitePage


class SimulatedPage(SitePage):
    """A page that shows an answer once it is simulated. `start_wanted`, `cancel_wanted`: of the simulation.

    A subclass sets `_stack`, whose first page is the lead text and whose second is the answer, and says in
    `_update_text` which actions are possible, and in `_forget` how it shows no answer.
    """

    start_wanted, cancel_wanted = Signal(), Signal()

    _stack: PageStack

    def __init__(self, lead: str, start: str, parent: QWidget | None) -> None:
        super().__init__(lead, parent)
        self._running, self._left = False, ""
        self.go = QPushButton(start, self)
        self.go.clicked.connect(self._go)

    def show_progress(self, share: float, remaining: float | None) -> None:
        """Show the progress of the simulation, 0 to 1, and the seconds left."""
        self._running = True
        self.progress.setValue(round(1000 * share))
        self._left = "" if remaining is None else f"{format_seconds(round(remaining))} left"
        self._update_text()

    def end(self, why: str = "") -> None:
        """Nothing is simulated any more; `why` it did not come to its end."""
        self._running = False
        self.show_error(why)
        self._update_text()

    def clear(self) -> None:
        """Show no answer."""
        self._forget()
        self._running = False
        self.message.setText("")
        self._stack.setCurrentIndex(0)
        self.show_error("")
        self._update_text()

    @property
    def running(self) -> bool:
        """Whether a simulation is under way."""
        return self._running

    def _forget(self) -> None:
        """Forget the answer that is shown."""
        raise NotImplementedError

    def _update_text(self) -> None:
        """Update which actions are possible."""
        raise NotImplementedError

    def _show_answer(self) -> None:
        """Turn from the lead text to the answer."""
        self._stack.setCurrentIndex(1)
        self.show_error("")
        self._update_text()

    def _show_running(self, about: str) -> None:
        """Update the bar of progress, and what the button would do: begin, as in `about`, or stop."""
        self.go.setToolTip(f"Stop; what is shown stays. {self._left}".rstrip() if self._running else about)
        self.progress.setVisible(self._running)

    def _go(self) -> None:
        if self._running:
            self.cancel_wanted.emit()
        else:
            self.start_wanted.emit()
