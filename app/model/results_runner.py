"""The common base of searches, studies and sweeps of the open trace: a single run of work, with progressive
results.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal, SignalInstance

from app.model.workbench import Workbench
from engine.errors import InputError
from engine.simulation.control import Control
from views.work.executor import Task

_LOOK_MS = 100  # between two looks at what has come

SEARCH, STUDY, SWEEP, NOW, TWIN = "search", "study", "sweep", "now", "twin"
CHANGE = "comparison of rules"
"""Their keys in the workbench's executor."""

WORDS = {
    SWEEP: "Sweeping",
    STUDY: "Running a study",
    SEARCH: "Searching",
    NOW: "Planning the queue",
    TWIN: "Simulating the site",
    CHANGE: "Comparing rules",
}
"""The text of the status line while work is running."""

R = TypeVar("R")
T = TypeVar("T")
Shown = TypeVar("Shown", contravariant=True)


class ResultsPage(Protocol[Shown]):
    """A page that shows results as they come."""

    @property
    def cancel_wanted(self) -> SignalInstance:
        """Sent when the user wants the work to stop."""

    def show_results(self, results: Shown, /) -> None:
        """Show what has come so far."""

    def show_progress(self, share: float, remaining: float | None) -> None:
        """Show how much is done, 0 to 1, and how many seconds are left."""

    def end(self, why: str = "") -> None:
        """Mark the work as ended; `why` is the reason if it did not finish."""

    def clear(self) -> None:
        """Show nothing, since nothing is known of the trace that is open now."""


class ResultsRunner(QObject, Generic[R]):
    """Runs work on the open trace in a thread, and delivers its results progressively: all so far at each
    update.

    `shown` (results): work began, has new results, or is finished. `progressed` (share, seconds left or
    None). `ended` (reason, if it did not finish). `forgotten`: another trace was opened. Running work is
    stopped before the next begins.
    """

    shown = Signal(object)
    progressed = Signal(float, object)
    ended = Signal(str)
    forgotten = Signal()

    key = ""
    cancelled = ""  # the message after a cancellation

    def __init__(self, workbench: Workbench, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self.results: R | None = None
        self._why = ""  # why the work that was run last did not finish; empty if it did
        self._timer = QTimer(self, interval=_LOOK_MS)
        self._timer.timeout.connect(self._look)
        workbench.leaving.connect(self.start_over)

    @property
    def running(self) -> bool:
        """True if work is running."""
        return self._task is not None

    def show_on(self, page: ResultsPage[R]) -> None:
        """Show all results on a page, which can cancel the work; also those that are there already."""
        if self.results is not None:
            # A page is made when it is first looked at, possibly after the work has ended: it is brought up
            # to date before it follows the signals.
            page.show_results(self.results)
        if self._why:
            page.end(self._why)
        page.cancel_wanted.connect(self.cancel)
        self.shown.connect(page.show_results)
        self.progressed.connect(page.show_progress)
        self.ended.connect(page.end)
        self.forgotten.connect(page.clear)

    def cancel(self) -> None:
        """Stop; what has come stays to be seen."""
        self._workbench.executor.cancel(self.key)
        self._end(self.cancelled)

    def start_over(self) -> None:
        """Show nothing of another trace."""
        self._timer.stop()
        self._workbench.executor.cancel(self.key)
        self.results, self._why = None, ""
        self.forgotten.emit()

    @property
    def _task(self) -> Task[Any] | None:
        return self._workbench.executor.task(self.key)

    def _run(self, work: Callable[[Control], T], done: Callable[[T], None] | None = None) -> None:
        """Do the work in a thread; `done` is given what it returns."""

        def finish(value: T) -> None:
            if done is not None:
                done(value)
            self._end()

        self._workbench.executor.submit(self.key, work, finish, self._failed)
        if (task := self._task) is not None:
            # The old share of an earlier run must not be seen until the first look.
            task.share = 0.0  # until the first look
        self._timer.start()
        self._why = ""
        if self.results is not None:
            self.shown.emit(self.results)
        self.progressed.emit(0.0, None)

    def _gather(self) -> R | None:
        """The results with what has come since the last look; None where nothing has."""
        raise NotImplementedError

    def _progress(self, task: Task[Any]) -> tuple[float, float | None]:
        """The progress, 0 to 1, and the remaining seconds."""
        return task.control.progress, task.remaining

    def _look(self) -> None:
        task, results = self._task, self._gather()
        if task is not None:
            task.share, remaining = self._progress(task)
            self.progressed.emit(task.share, remaining)
        if results is not None:
            self._show(results)

    def _show(self, results: R) -> None:
        self.results, self._why = results, ""
        self.shown.emit(results)

    def _end(self, why: str = "") -> None:
        self._timer.stop()
        # The last results may have come since the timer looked.
        self._look()
        self._why = why
        self.ended.emit(why)

    def _failed(self, error: Exception) -> None:
        self._end(str(error) if isinstance(error, InputError) else f"The {self.key} failed: {error}")
