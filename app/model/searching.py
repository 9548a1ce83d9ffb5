"""A search on the trace that is open: carried out in a thread, told policy by policy as they are tried."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app.model.settings import Settings
from app.model.workbench import Workbench
from engine.errors import InputError
from engine.search.asked import Asked
from engine.simulation.control import Control
from views.data.search_results import SearchResults

if TYPE_CHECKING:
    from engine.search.answer import Answer, Trial

SEARCH = "search"
"""Under this key the workbench's executor knows the search."""

_LOOK_MS = 150  # between two looks at what was tried


class Searching(QObject):
    """Runner of one search at a time, on the whole trace and its machine.

    `shown` (SearchResults): one has begun, or more was tried, or it has its answer. `progressed` (share,
    seconds left or None). `ended` (why, where it did not come to its end). `forgotten`: by another trace.
    """

    shown = Signal(object)
    progressed = Signal(float, object)
    ended = Signal(str)
    forgotten = Signal()

    def __init__(self, workbench: Workbench, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workbench, self._settings = workbench, settings
        self.results: SearchResults | None = None
        self._tried: list[Trial] = []  # filled by the thread that searches
        self._share = 0.0
        self._timer = QTimer(self, interval=_LOOK_MS)
        self._timer.timeout.connect(self._look)
        workbench.opened.connect(lambda _: self.forget())

    @property
    def running(self) -> bool:
        """Whether a search is under way."""
        return self._workbench.executor.task(SEARCH) is not None

    def start(self, asked: Asked) -> None:
        """Search; one that runs is cancelled. Raises InputError where the question cannot be read."""
        study, share = self._workbench.study, self._workbench.share
        question = asked.question()
        self._share = 0.0
        tried: list[Trial] = []
        self._tried = tried
        address = self._settings.scheduler
        self.results = SearchResults(question)

        def tell(done: float) -> None:
            self._share = done

        def work(control: Control) -> Answer:
            from engine.policy.share import parse_share
            from engine.search.search import search
            from engine.sweep.runners import runner_at

            with runner_at(address) as runner:
                return search(
                    study.trace,
                    study.cluster,
                    question,
                    share=parse_share(share),
                    trials=asked.trials,
                    seed=asked.seed,
                    control=control,
                    tell=tell,
                    came=tried.append,
                    runner=runner,
                )

        self._workbench.executor.submit(SEARCH, work, self._answer, self._failed)
        self._timer.start()
        self.shown.emit(self.results)
        self.progressed.emit(0.0, None)

    def cancel(self) -> None:
        """Stop; what was tried stays to be seen, but nothing is judged."""
        self._workbench.executor.cancel(SEARCH)
        self._end("Cancelled: what was tried is shown, and was not judged.")

    def forget(self) -> None:
        """Show no search any more."""
        self._timer.stop()
        self._workbench.executor.cancel(SEARCH)
        self.results = None
        self.forgotten.emit()

    def _look(self) -> None:
        """Tell what was tried since the last look: all at once, however fast it goes."""
        task, results = self._workbench.executor.task(SEARCH), self.results
        if task is not None:
            done = self._share
            self.progressed.emit(done, task.age * (1 - done) / done if done > 0.02 else None)
        if results is not None and len(self._tried) > len(results.trials):
            self._show(SearchResults(results.question, tuple(self._tried)))

    def _answer(self, answer: Answer) -> None:
        if self.results is not None:
            self._show(SearchResults(self.results.question, answer.trials, answer))
        self._timer.stop()
        self.ended.emit("")

    def _show(self, results: SearchResults) -> None:
        self.results = results
        self.shown.emit(results)

    def _end(self, why: str) -> None:
        self._timer.stop()
        self._look()
        self.ended.emit(why)

    def _failed(self, error: Exception) -> None:
        self._end(str(error) if isinstance(error, InputError) else f"The search failed: {error}")
