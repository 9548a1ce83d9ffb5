"""The open trace, with its runs and all their results."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.model.accuracies import Accuracies
from app.model.chart_data import ChartData, ComparedRun
from app.model.comparison import StudyComparison
from app.model.live_run import LiveRun, Phase
from app.model.reading import Opened
from app.model.run_edits import RecentSchedules, RunSlot
from engine.machine.cluster import Cluster
from engine.reading.options import Reading
from engine.schedule.schedule import Schedule
from engine.simulation.control import Control
from engine.study import Run, Study
from engine.trace.trace import Trace
from views.work.executor import Executor

if TYPE_CHECKING:
    from engine.filter import Expression
    from engine.reading.log import Log
    from engine.schedule.accuracy import TwinAccuracy
    from engine.slurm.scheduler.phases import PhaseSpread
    from engine.trace import Note


def no_study() -> Study:
    """The study before any trace is opened: without a name, a job or a run."""
    return Study(Trace.empty(), Cluster.pool(1))


class OpenStudy:
    """A trace with its runs, created when the trace is opened and dropped as a whole when another is opened.

    `live` holds the live runs of the `study` by their ids. `notes` are the quality notes of the trace and of
    its own schedule, `scale` and `reading` are the options by which its log was read. Before any trace is
    opened it contains a study without jobs. What-ifs of a site whose model misleads are shown if they are
    asked for (`doubtful`).
    """

    def __init__(
        self, opened: Opened | None, executor: Executor, accuracies: Accuracies, parent: QObject
    ) -> None:
        self._executor, self._accuracies = executor, accuracies
        self.study = opened.study if opened is not None else no_study()
        self.notes: tuple[Note, ...] = opened.notes if opened is not None else ()
        self.share = opened.share if opened is not None else "fair"
        self.reading = opened.reading if opened is not None else Reading()
        self.source = opened.path if opened is not None else None
        self.live = {run.id: LiveRun(run.id, executor) for run in self.study.runs}
        self.comparison = StudyComparison(executor, self.live, self._accuracy, parent)
        self.doubtful = False
        self._recent = RecentSchedules()

    def _accuracy(
        self, schedule: Schedule, spread: PhaseSpread | None, control: Control
    ) -> TwinAccuracy | None:
        """The accuracy of a site on the log; for use in threads. Raises Cancelled."""
        return self._accuracies.of(schedule, spread, self.source, self.reading, control)

    def close(self) -> None:
        """Stop all that its runs wait for."""
        for live in self.live.values():
            live.stop()
        self.comparison.close()

    @property
    def log(self) -> Log:
        """The trace as a log, which another machine can be read for."""
        from engine.reading.log import Log  # it loads the compiler

        study = self.study
        return Log(study.trace, study.cluster, study.is_elsewhere, self.source, self.reading)

    @property
    def finished(self) -> list[ComparedRun]:
        """The runs that are done and compared, in the order of the study."""
        lives = [self.live[run.id] for run in self.study.runs]
        return [live.compared for live in lives if live.compared is not None]

    @property
    def drawn(self) -> dict[int, ChartData]:
        """The chart data of the simulated runs, in the order of the study."""
        lives = [self.live[run.id] for run in self.study.runs]
        return {live.run_id: live.chart_data for live in lives if live.chart_data is not None}

    @property
    def shown(self) -> dict[int, ChartData]:
        """The chart data of the simulated runs without what-ifs that are not shown, in the same order."""
        return {run_id: data for run_id, data in self.drawn.items() if not self.live[run_id].hidden}

    @property
    def spreads(self) -> dict[int, PhaseSpread]:
        """The spreads of the runs of sites that were repeated."""
        return {run_id: live.spread for run_id, live in self.live.items() if live.spread is not None}

    @property
    def last_end(self) -> int:
        """The last end of a job in any run, s; it never decreases while a run is explored."""
        ghost = self.comparison.ghost
        known = [*self.drawn.values(), *([ghost.chart_data] if ghost is not None else [])]
        return max((data.schedule.last_end for data in known), default=0)

    def judge(self, only: Expression | None) -> None:
        """Start the comparison of the simulated runs: of the jobs that match `only` in one run or more."""
        # The first site tells how far what-ifs are believed: while it is simulated no verdict would hold.
        site = next((self.live[run.id] for run in self.study.runs if run.policy.site is not None), None)
        under_way = Phase.HELD, Phase.QUEUED, Phase.RUNNING
        awaited = site is not None and site.chart_data is None and site.phase in under_way
        self.comparison.judge(self.study, self.drawn, self.share, only, self.spreads, self.doubtful, awaited)

    def finish(self, run: Run, chart_data: ChartData) -> None:
        """Give a run the schedule that was simulated, and the policy that this is of."""
        live, now = self.live.get(run.id), self.study.run(run.id)
        # The run may have been removed or edited while it was simulated: its late schedule is then nobody's.
        if live is not None and now is not None:
            live.chart_data, live.preview, live.spread = chart_data, None, None
            live.take_error(None)
            # The title is the present title: it may have been changed during the simulation.
            self.study = self.study.change(replace(run, schedule=chart_data.schedule, title=now.title))

    def swap(self, slot: RunSlot, recall: bool, fair_starts: bool) -> RunSlot:
        """Replace a run of the study, or add or remove a run, and return the previous run.

        With `recall` the run gets its earlier schedule, if that is still cached, with fair starts if those
        are wanted.
        """
        study, now, run = self.study, self.study.run(slot.run_id), slot.run
        index = study.runs.index(now) if now is not None else slot.index
        before = self.live.pop(slot.run_id, None)
        # A schedule that leaves the study is kept for undo, under the run it was made for.
        if before is not None:
            before.stop()
            if now is not None and before.chart_data is not None:
                self._recent.keep(now, before.chart_data)
        self.comparison.drop_ghost_of(slot.run_id)
        runs = [added for added in study.runs if added is not now]
        # A new object: late results of the old run are compared with it, and dropped.
        if run is not None:
            chart_data = self._recent.take(run, fair_starts) if recall else None
            self.live[run.id] = LiveRun(run.id, self._executor, chart_data)
            if chart_data is not None:
                run = replace(run, schedule=chart_data.schedule)
            runs.insert(slot.index, run)
        self.study = replace(study, runs=tuple(runs))
        # What is returned undoes this swap, so it holds the place of before and no schedule, which the cache
        # has.
        return RunSlot(slot.run_id, index, replace(now, schedule=None) if now is not None else None)
