"""A search on the trace that is open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from app.model.results_runner import SEARCH, ResultsRunner
from app.model.settings import Settings
from app.model.workbench import Workbench
from engine.search.typed_question import TypedQuestion
from engine.simulation.control import Control
from views.data.search_results import SearchResults
from views.widgets.awaited_work import read_spelled
from views.work.executor import Task

if TYPE_CHECKING:
    from engine.search.answer import SearchResult, Trial


class SearchRunner(ResultsRunner[SearchResults]):
    """Runner of searches, on the whole trace and its machine."""

    key = SEARCH
    cancelled = "Cancelled: what was tried is shown, and was not judged."

    def __init__(self, workbench: Workbench, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(workbench, parent)
        self._settings = settings
        self._tried: list[Trial] = []  # filled by the thread that searches
        self._share = 0.0

    def start(self, asked: TypedQuestion) -> None:
        """Start a search; a running search is cancelled. Raises InputError if the question is invalid."""
        log, share = self._workbench.open_study.log, self._workbench.share
        # Reading the question may load a user's own code, so it is done by the threads for files.
        spelled = f"{asked.policy} {asked.baseline}"
        question = read_spelled(self._workbench.files, spelled, lambda _: asked.question())
        # The list is filled by the thread and read by the timer: appending is atomic in Python, and nothing
        # is removed.
        self._share = 0.0
        tried: list[Trial] = []
        self._tried = tried
        address = self._settings.scheduler
        self.results = SearchResults(question)

        def report(done: float) -> None:
            self._share = done

        # Imported here: the search loads Optuna, which takes longer than all else.
        def work(control: Control) -> SearchResult:
            from engine.search.policy_search import search_on

            made = search_on(
                log, asked, share=share, scheduler=address, control=control, report=report, came=tried.append
            )
            return made.answer

        self._run(work, lambda answer: self._show(SearchResults(question, answer.trials, answer)))

    def _progress(self, task: Task[Any]) -> tuple[float, float | None]:
        done = self._share
        return done, task.age * (1 - done) / done if done > 0.02 else None

    def _gather(self) -> SearchResults | None:
        results = self.results
        if results is None or results.answer is not None or len(self._tried) <= len(results.trials):
            return None
        return SearchResults(results.question, tuple(self._tried))
