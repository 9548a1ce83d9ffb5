"""The finished runs of a study side by side: judged, then measured, both in threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.model.chart_data import ChartData, Judged, Verdict, judge
from app.model.messages import spell_failure
from app.model.work_keys import JUDGING, MEASURING
from engine.simulation.control import Control
from engine.study import Study
from views.data.results import Result
from views.work.executor import Executor

if TYPE_CHECKING:
    from engine.filter import Expression


class Comparison(QObject):
    """What came of the runs of a study, and of the one that is explored as it was before: the `ghost`.

    `judged`: the finished runs were compared anew. Metrics take longer than that; `measured`: they are
    there. `unjudgeable`, `failed` (what a person can do, details): either went wrong. `has` says which
    runs are still there, by their ids, as they were when they were asked for.
    """

    judged = Signal()
    measured = Signal()
    unjudgeable = Signal(str, str)
    failed = Signal(str, str)

    def __init__(self, executor: Executor, has: Callable[[int], bool], parent: QObject) -> None:
        super().__init__(parent)
        self._executor, self._has = executor, has
        self.results: dict[int, Judged] = {}
        self.metrics: list[Result] = []  # of the runs that were measured last, in their order
        self.unjudged = ""  # why the runs could not be judged, if that failed
        self.ghost: Judged | None = None
        self._verdict = Verdict()
        self.unmeasured = False  # whether runs were judged that nobody asked to measure so far

    def start_over(self) -> None:
        """Forget all: another study is there."""
        self._executor.cancel(JUDGING)
        self._executor.cancel(MEASURING)
        self.results, self.metrics, self.unjudged = {}, [], ""
        self.ghost, self._verdict = None, Verdict()

    def forget(self, run_id: int) -> None:
        """Forget a run."""
        self.results.pop(run_id, None)
        if self.ghost is not None and self.ghost.result.run_id == run_id:
            self.ghost = None

    def keep_ghost(self, run_id: int | None) -> None:
        """Begin to explore a run: changes are told against what it is now; None: against nothing."""
        for other, one in self.results.items():
            if one.result.ghost is not None:
                self.results[other] = replace(one, result=one.result.alone)
        self.ghost = self.results.get(run_id) if run_id is not None else None

    def judge(
        self, study: Study, chart_data: dict[int, ChartData], share: str, only: Expression | None
    ) -> None:
        """Compare all finished runs, on the jobs that all of them ran; those that are as before are kept."""
        there = {run.id: chart_data[run.id] for run in study.runs if run.id in chart_data}
        before = replace(self._verdict, runs=dict(self.results))
        ghost = self.ghost.result if self.ghost is not None else None
        work = partial(judge, study, there, before, share, only, ghost)

        def failed(error: Exception) -> None:
            self._take_over(Verdict(), str(error))
            self.unjudgeable.emit(*spell_failure(error, "judging failed"))

        # Before runs that wait for a thread: what is done is seen in full first.
        self._executor.submit(JUDGING, work, self._take_over, failed, patient=True, priority=1, at_once=True)

    def _take_over(self, verdict: Verdict, why_not: str = "") -> None:
        """Show what was judged, but for runs that are gone or were given another policy meanwhile.

        Where nothing could be judged nothing is left of what was: it was by another share.
        """
        self.unjudged = why_not
        self.results = {run_id: one for run_id, one in verdict.runs.items() if self._has(run_id)}
        self._verdict = replace(verdict, runs=self.results)
        self.unmeasured = True
        self.judged.emit()

    def measure(self, runs: Sequence[Judged]) -> None:
        """Work out the metrics of these runs, and of the ghost."""
        self.unmeasured = False
        judged = [*runs, *([self.ghost] if self.ghost is not None else [])]

        def measure(control: Control) -> None:
            for one in judged:
                if not control.cancelled:
                    one.result.measure()  # which keeps them

        def done(_: None) -> None:
            self.metrics = [one.result for one in runs]
            self.measured.emit()

        def failed(error: Exception) -> None:
            self.failed.emit(*spell_failure(error, "measuring failed"))

        self._executor.submit(MEASURING, measure, done, failed)
