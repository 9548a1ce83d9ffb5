"""The finished runs of a study side by side: judged, then measured, both in threads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.model.chart_data import ChartData, ComparedRun, ComparedRuns, compare_runs
from app.model.live_run import LiveRun
from app.model.messages import describe_failure
from app.model.work_keys import JUDGING, MEASURING
from engine.schedule.schedule import Schedule
from engine.simulation.control import Control
from engine.study import Study
from views.data.results import Result
from views.work.executor import Executor

if TYPE_CHECKING:
    from engine.filter import Expression
    from engine.schedule.accuracy import TwinAccuracy
    from engine.slurm.scheduler.phases import PhaseSpread

SiteAccuracy = Callable[[Schedule, "PhaseSpread | None", Control], "TwinAccuracy | None"]
"""Gives the accuracy of the site that a schedule is of, or a change of. Raises Cancelled."""


class StudyComparison(QObject):
    """Compares the runs of a study, and keeps the explored run as it was before: the `ghost`.

    `judged` is sent when the finished runs were compared again. Metrics take longer; `measured` is sent when
    they are ready. `unjudgeable` and `failed` (advice, details) report errors of either. `live` are the runs
    by their ids: each gets its comparison, unless it was replaced meanwhile.
    """

    judged = Signal()
    measured = Signal()
    unjudgeable = Signal(str, str)
    failed = Signal(str, str)
    code_failed = Signal(str)  # what a metric of the user's own did wrong: it has no value

    def __init__(
        self, executor: Executor, live: Mapping[int, LiveRun], accurate: SiteAccuracy, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._executor, self._live, self._accurate = executor, live, accurate
        self.metrics: list[Result] = []  # of the runs that were measured last, in their order
        self.unjudged = ""  # why the runs could not be judged, if that failed
        self.ghost: ComparedRun | None = None
        self._last = ComparedRuns()
        self._said: set[str] = set()  # faults of own metrics that were said
        self.unmeasured = False  # whether runs were judged whose metrics were not requested so far

    def close(self) -> None:
        """Stop: another study is opened."""
        self._executor.cancel(JUDGING)
        self._executor.cancel(MEASURING)
        self.deleteLater()

    def keep_ghost(self, run_id: int | None) -> None:
        """Begin exploring a run: changes are relative to its current state; None: no changes are shown."""
        # The old ghost goes from the results of all runs, otherwise tables would show changes against two.
        for live in self._live.values():
            if live.compared is not None and live.compared.result.ghost is not None:
                live.compared = replace(live.compared, result=live.compared.result.alone)
        live_run = self._live.get(run_id) if run_id is not None else None
        self.ghost = live_run.compared if live_run is not None else None

    def drop_ghost_of(self, run_id: int) -> None:
        """Drop the ghost of a run that was edited or removed."""
        if self.ghost is not None and self.ghost.result.run_id == run_id:
            self.ghost = None

    def judge(
        self,
        study: Study,
        chart_data: dict[int, ChartData],
        share: str,
        only: Expression | None,
        spreads: Mapping[int, PhaseSpread],
        doubtful: bool,
        awaited: bool,
    ) -> None:
        """Compare all finished runs on the jobs that all of them ran; unchanged comparisons are reused.

        `spreads` are those of the runs of sites that were repeated; what-ifs of a site whose model misleads
        are compared if they are asked for (`doubtful`). None has a verdict while the first site is `awaited`.
        """
        # Which runs are meant is noted now: those that are edited while the thread works must not get this
        # result.
        meant = dict(self._live)
        results = {run_id: live.compared for run_id, live in meant.items() if live.compared is not None}
        before = replace(self._last, runs=results)
        ghost = self.ghost.result if self.ghost is not None else None
        accurate = self._accurate

        def work(control: Control) -> ComparedRuns:
            return compare_runs(
                study,
                chart_data,
                before,
                share,
                only,
                ghost,
                control,
                spreads=spreads,
                accurate=lambda schedule, spread: accurate(schedule, spread, control),
                doubtful=doubtful,
                awaited=awaited,
            )

        def failed(error: Exception) -> None:
            take_over(ComparedRuns(), str(error))
            self.unjudgeable.emit(*describe_failure(error, "judging failed"))

        def take_over(compared: ComparedRuns, why_not: str = "") -> None:
            """Drop earlier results if nothing could be compared, because they used another share."""
            self.unjudged = why_not
            for run_id, live in self._live.items():
                same = live is meant.get(run_id)
                live.compared = compared.runs.get(run_id) if same else None
                live.hidden = compared.hidden.get(run_id, "") if same else ""
            self._last = compared
            self.unmeasured = True
            self.judged.emit()

        # Before runs that wait for a thread: what is done is seen in full first.
        self._executor.submit(
            JUDGING, work, take_over, failed, after_running=True, priority=1, before_painting=True
        )

    def measure(self, runs: Sequence[ComparedRun]) -> None:
        """Work out the metrics of these runs, and of the ghost."""
        self.unmeasured = False
        judged = [*runs, *([self.ghost] if self.ghost is not None else [])]

        def measure(control: Control) -> None:
            # Metrics are computed run after run, so that a cancelled work ends soon.
            for compared in judged:
                if not control.cancelled:
                    compared.result.measure()  # which keeps them
                    _ = compared.result.ranges  # computed here, because the GUI thread reads them

        def done(_: None) -> None:
            self.metrics = [run.result for run in runs]
            self.measured.emit()
            for fault in dict.fromkeys(fault for compared in judged for fault in compared.own_faults):
                if fault not in self._said:  # once, not at each step of a slider
                    self._said.add(fault)
                    self.code_failed.emit(fault)

        def failed(error: Exception) -> None:
            self.failed.emit(*describe_failure(error, "measuring failed"))

        self._executor.submit(MEASURING, measure, done, failed)
