"""What the window works on: the study, its runs on their way, and what came of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QThread, Signal

from app.model.chart_data import ChartData, Judged, draw
from app.model.comparison import Comparison
from app.model.document import LONGEST_TITLE
from app.model.messages import spell_failure
from app.model.preview import Preview, preview_of
from app.model.reading import Opened, Read, TraceMissingError, load_engine, read_study
from app.model.run_edits import KeptSchedules, RunEdits, RunSlot
from app.model.work_keys import LOADING, OPENING, ReadyKernels, lacks_kernels, run_key
from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.policy.policy import Policy
from engine.reading.options import Reading
from engine.schedule.schedule import Schedule
from engine.simulation.control import Control
from engine.study import LineUp, Run, Study
from engine.trace.table_columns import ColumnsError
from engine.words import clip
from views.data.results import Result
from views.work.executor import Executor, Task
from views.work.threads import NICE_BACKGROUND

if TYPE_CHECKING:
    from engine.filter import Expression
    from engine.trace import Note


class Workbench(QObject):
    """The study of a window, whose runs it has simulated and judged in threads.

    A run that is explored (`explore`) shows its last schedule until that of the newest policy is
    there: `chart_data` is ahead of `results` then. Of one that takes long `previews` has what is in
    view, until the whole is there. `ghost` is a run as it was before that.
    `study_changed`: another trace, or runs were added, changed or removed. `run_changed`
    (id): a run started, ended, failed or was cancelled. `judged`: the finished runs were
    compared anew. Metrics take longer than that: whoever shows the runs asks to `measure` when they
    are drawn; `measured`: they are there. `opening` (path) begins an `open`, `opened`
    (what), `missing` (the error that says which trace) or `failed` ends it; `leaving` comes before
    `opened`, while the old study is still there. `added` (id): one run more. `removed` (run): it is gone,
    until that is undone. `edits` undoes and redoes edits of runs. `notes` are the quality notes of the trace
    and of its own schedule.
    """

    study_changed = Signal()
    run_changed = Signal(int)
    judged = Signal()
    measured = Signal()
    opening = Signal(str)
    leaving = Signal()
    opened = Signal(object)
    missing = Signal(object)
    columns_wanted = Signal(object, str)  # the path of a log whose columns tell nothing of jobs; why
    added = Signal(int)
    removed = Signal(object)
    refused = Signal(int, str)  # a run that cannot be explored so: the policy is wrong for this trace
    failed = Signal(str, str)  # what a person can do; details
    unjudgeable = Signal(str, str)  # the same, of runs that could not be judged
    fair_starts_changed = Signal()  # whether they are wanted

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._ready = ReadyKernels.NONE  # while kernels are compiled elsewhere
        self.executor = Executor(self, threads=max(2, QThread.idealThreadCount()), nice=NICE_BACKGROUND)
        self.study: Study | None = None
        self.notes: tuple[Note, ...] = ()
        self.share = "fair"
        self.scale = ""  # of the trace
        self.reading = Reading()  # how its log was read
        self.fair_starts = False
        self.opening_name = ""  # of the file that is read, or was read last
        self.only: Expression | None = None  # what jobs must meet to be measured
        self.chart_data: dict[int, ChartData] = {}
        self.previews: dict[int, Preview] = {}
        self.errors: dict[int, str] = {}
        self.edits = RunEdits(self._swap, self)
        self._kept = KeptSchedules()
        self.comparison = Comparison(self.executor, lambda run_id: run_id in self.chart_data, self)
        for name in ("judged", "measured", "unjudgeable", "failed"):
            getattr(self.comparison, name).connect(getattr(self, name))

    @property
    def busy(self) -> bool:
        """Whether anything is being read, simulated, judged or measured, or waits for that."""
        return self.executor.busy or self.comparison.unmeasured

    @property
    def results(self) -> dict[int, Judged]:
        """The finished runs as they were judged, by their ids."""
        return self.comparison.results

    @property
    def metrics(self) -> list[Result]:
        """The runs that were measured last, in their order."""
        return self.comparison.metrics

    def hold(self) -> None:
        """Keep all work waiting until `release`: the kernels are still being compiled elsewhere."""
        self.executor.hold()

    def release_ready(self, ready: ReadyKernels) -> None:
        """Start the work for which these kernels, and those released before, are enough; the rest waits."""
        self._ready |= ready
        self.executor.hold(lambda key: lacks_kernels(key, self.study, self._ready))

    def release(self) -> None:
        """Start the work that waits."""
        self.executor.release()

    def open(self, path: Path, policies: tuple[Policy, ...], share: str | None = None, **how: Any) -> None:
        """Read a trace in a thread, as `read_study` is told, and run `policies` on it; by default as it is
        judged now.
        """
        self.open_with(path, partial(read_study, path, policies, share or self.share, **how))

    def open_with(self, path: Path, read: Read) -> None:
        """Have a study read from a file in a thread; what is open stays if that fails."""
        self.opening_name = path.name
        self.opening.emit(str(path))

        def failed(error: Exception) -> None:
            if isinstance(error, TraceMissingError):
                self.missing.emit(error)
            elif isinstance(error, ColumnsError):
                self.columns_wanted.emit(path, str(error))
            else:
                self._tell(error, f"{path}: cannot be opened")

        self.executor.submit(OPENING, read, self._show, failed)
        self.executor.submit(
            LOADING, load_engine, lambda _: None, partial(self._tell, what="loading the engine failed")
        )

    @property
    def opening_waits(self) -> bool:
        """Whether a trace is to be read as soon as the kernels are there."""
        return self.executor.holds(OPENING) and self.executor.task(OPENING) is not None

    def opening_task(self) -> Task[Opened] | None:
        """The task that reads a trace, while it does."""
        return self.executor.task(OPENING)

    def cancel_opening(self) -> None:
        """Stop reading; what was open stays open."""
        self.executor.cancel(OPENING)
        self.executor.cancel(LOADING)

    @property
    def last_end(self) -> int:
        """When the last job of any run ends, in s; time does not get shorter while a run is explored."""
        ghost = self.comparison.ghost
        known = [*self.chart_data.values(), *([ghost.chart_data] if ghost is not None else [])]
        return max((one.schedule.last_end for one in known), default=0)

    def run_task(self, run_id: int) -> Task[Any] | None:
        """The task that simulates a run, or previews it, while it waits for a processor or runs."""
        if self.executor.holds(run_key(run_id)):
            return None
        return self.executor.task(run_key(run_id)) or self.executor.task(("preview", run_id))

    def holds_run(self, run_id: int) -> bool:
        """Whether the run waits until the kernels are there."""
        key = run_key(run_id)
        return self.executor.holds(key) and self.executor.task(key) is not None

    def add_run(self, policy: Policy, cluster: Cluster | None = None, file: Path | None = None) -> None:
        """Add a run, on the log's machine unless another is given, and simulate it.

        One of a file is called as that is, after its folder too where another run is called so.
        """
        if self.study is not None:
            title = file.name if file is not None else ""
            if file is not None and title in {run.title for run in self.study.runs}:
                title = f"{file.parent.name}/{title}"
            self.added.emit(self.edits.add(self.study, policy, cluster, clip(title, LONGEST_TITLE)))

    def change_run(self, run_id: int, policy: Policy, cluster: Cluster | None = None) -> None:
        """Give a run another policy, and another machine if one is given; it keeps its colour and index."""
        run = self._run(run_id)
        if self.study is not None and run is not None:
            self.edits.change(self.study, run, policy, cluster)

    def remove_run(self, run_id: int) -> None:
        """Remove a run, whether it is done or not."""
        run = self._run(run_id)
        if self.study is not None and run is not None:
            self.edits.remove(self.study, run)
            self.removed.emit(run)

    def keep_explored(self, run_id: int, before: Policy, now: Policy) -> None:
        """Take the policy that a run was explored to for an edit, which undoing takes back."""
        run = self._run(run_id)
        if self.study is not None and run is not None:
            self.edits.keep_explored(self.study, run, before, now)

    def rename_run(self, run_id: int, title: str) -> None:
        """Call a run so; empty: as its policy and machine are spelled."""
        run = self._run(run_id)
        if self.study is not None and run is not None:
            title = clip(title, LONGEST_TITLE)
            bare = self.study.name(replace(run, title=""))
            self.edits.rename(self.study, run, "" if title == bare else title, self._line_up)

    def move_run(self, run_id: int, order: Sequence[int]) -> None:
        """Move a run, so that the ids of the runs are in this order."""
        run = self._run(run_id)
        if self.study is not None and run is not None:
            self.edits.move(self.study, run, order, self._line_up)

    def _line_up(self, line_up: LineUp) -> None:
        """Have the runs in that order, under those titles: none is simulated for that."""
        if self.study is not None:
            self.study = self.study.lined_up(line_up)
            self.study_changed.emit()
            self._judge()

    def _swap(self, slot: RunSlot, recall: bool) -> RunSlot:
        """Put a run where the study has another one, or none, and return what was there.

        With `recall` the run has the schedule that it had, if that is still kept.
        """
        study, now, run = self.study, self._run(slot.run_id), slot.run
        if study is None:
            return slot
        index = study.runs.index(now) if now is not None else slot.index
        if now is not None and now.id in self.chart_data:
            self._kept.keep(now, self.chart_data[now.id])
        self._forget(slot.run_id)
        runs = [one for one in study.runs if one is not now]
        chart_data = self._kept.take(run, self.fair_starts) if run is not None and recall else None
        if run is not None:
            if chart_data is not None:
                self.chart_data[run.id] = chart_data
                run = replace(run, schedule=chart_data.schedule)
            runs.insert(slot.index, run)
        self.study = replace(study, runs=tuple(runs))
        self.study_changed.emit()
        if run is not None and chart_data is None:
            self.start_run(run.id)
        else:
            if run is not None:
                self.run_changed.emit(run.id)
            self._judge()
        return RunSlot(slot.run_id, index, replace(now, schedule=None) if now is not None else None)

    def keep_ghost(self, run_id: int | None) -> None:
        """Begin to explore a run: changes are told against what it is now; None: against nothing."""
        self.comparison.keep_ghost(run_id)

    def drop_ghost(self) -> None:
        """Forget the run as it was before its policy was explored: changes are no longer told."""
        ghost = self.comparison.ghost
        self.keep_ghost(None)
        if ghost is not None:
            self.run_changed.emit(ghost.result.run_id)
            self.judged.emit()
            self.measure()

    def explore(self, run_id: int, policy: Policy, window: tuple[float, float] | None = None) -> None:
        """Simulate a run under another policy; it becomes the run's when its schedule is there.

        This may be called for each step of a slider: a simulation that runs comes to its end and
        is shown, and then the newest policy's begins. Where that takes long the jobs in the
        `window`, s, are simulated and shown before all others, and the whole run as soon as no
        newer policy is asked for.
        """
        run = self._run(run_id)
        if self.study is None or run is None:
            return

        def refused(error: Exception) -> None:
            self.refused.emit(run_id, str(error))
            if not isinstance(error, InputError):
                self._tell(error, f"{policy}: the simulation failed")

        changed = self.study.edit(run_id, policy, run.cluster).run(run_id)
        if changed is None:
            return
        if policy == run.policy and self._previewed(run_id):
            self.cancel_run(run_id)
            return
        chart_data, task = self.chart_data.get(run_id), self.run_task(run_id)
        preview = (
            preview_of(chart_data, policy, window, task.age if task else 0.0)
            if chart_data and window
            else None
        )
        if preview is None:
            self.executor.cancel(("preview", run_id))
            self._simulate(changed, refused, patient=True)
            return

        def show(seen: Preview) -> None:
            self.previews[run_id] = seen
            if self.executor.task(("preview", run_id)) is None:
                self._simulate(changed, refused)
            self.run_changed.emit(run_id)

        self.executor.cancel(run_key(run_id))
        self.executor.submit(("preview", run_id), preview, show, refused, patient=True)

    def _previewed(self, run_id: int) -> bool:
        """Whether a run under another policy is shown in part, or is about to be."""
        return run_id in self.previews or self.executor.task(("preview", run_id)) is not None

    def start_run(self, run_id: int) -> None:
        """Simulate a run, anew where it is done."""
        study, run = self.study, self._run(run_id)
        if study is not None and run is not None:
            self._begin(study, run)
            self.run_changed.emit(run_id)

    def _begin(self, study: Study, run: Run) -> None:
        self.errors.pop(run.id, None)
        self._stop_run(run.id)

        def failed(error: Exception) -> None:
            self.errors[run.id] = str(error)
            self.run_changed.emit(run.id)
            if not isinstance(error, InputError):
                self._tell(error, f"{study.name(run)}: the simulation failed")

        self._simulate(run, failed)

    def _simulate(self, run: Run, failed: Callable[[Exception], None], patient: bool = False) -> None:
        """Have the schedule of a run worked out, and all that its charts are drawn from."""
        study, fair_starts = self.study, self.fair_starts
        if study is None:
            return

        def work(control: Control) -> ChartData:
            from engine.given import schedule_of

            def schedule() -> Schedule:
                found = schedule_of(
                    study.trace, run.cluster, run.policy, log=True, fair_starts=fair_starts, control=control
                )
                if not found.ran.any():
                    none = f"none of the {len(study.trace):,} jobs fits on this machine, {run.cluster}"
                    raise InputError(none)
                return found

            return draw(schedule)

        done = partial(self._finish, run)
        self.executor.submit(run_key(run.id), work, done, failed, patient=patient)

    def cancel_run(self, run_id: int) -> None:
        """Stop simulating a run; it stays in the list and can be started again."""
        self._stop_run(run_id)
        self.run_changed.emit(run_id)

    def set_share(self, share: str) -> None:
        """Judge all runs by another share; the spelling is checked by the caller."""
        self.share = share
        self.keep_ghost(None)
        self._judge()

    def set_only(self, only: Expression | None) -> None:
        """Measure the jobs alone that match this in at least one run; None: all."""
        if only != self.only:
            self.only = only
            self.keep_ghost(None)
            self._judge()

    def set_fair_starts(self, wanted: bool) -> None:
        """Work out fair start times, or no longer; all runs are simulated anew for that."""
        self.fair_starts = wanted
        self.fair_starts_changed.emit()
        for run in self.study.runs if self.study and wanted else ():
            self.start_run(run.id)

    def finished(self) -> list[Judged]:
        """The runs that are done and judged, in the order of the study."""
        runs = self.study.runs if self.study else ()
        return [self.results[run.id] for run in runs if run.id in self.results]

    def shutdown(self) -> None:
        """Stop all work and wait for it."""
        self.executor.shutdown()

    def _stop_run(self, run_id: int) -> None:
        """Neither simulate nor preview it any more; what it was before is shown."""
        self.executor.cancel(("preview", run_id))
        self.executor.cancel(run_key(run_id))
        self.previews.pop(run_id, None)

    def _show(self, opened: Opened) -> None:
        self.leaving.emit()
        for run in self.study.runs if self.study is not None else ():
            self._stop_run(run.id)
        self.comparison.start_over()
        self.study, self.notes = opened.study, opened.notes
        self.chart_data, self.errors = {}, {}
        self.edits.clear()
        self._kept.clear()
        self.share, self.scale, self.reading = opened.share, opened.scale, opened.reading
        if opened.session is not None:
            self.fair_starts = opened.session.fair_starts
            self.fair_starts_changed.emit()
        self.opened.emit(opened)
        for run in self.study.runs:
            self._begin(self.study, run)
        self.study_changed.emit()

    def _finish(self, run: Run, chart_data: ChartData) -> None:
        now = self._run(run.id)
        if self.study is None or now is None:
            return
        self.chart_data[run.id] = chart_data
        self.previews.pop(run.id, None)
        self.study = self.study.change(replace(run, schedule=chart_data.schedule, title=now.title))
        self._judge()  # in a thread, while its charts are told
        self.run_changed.emit(run.id)

    def _judge(self) -> None:
        if self.study is not None:
            self.comparison.judge(self.study, self.chart_data, self.share, self.only)

    def measure(self) -> None:
        """Work out the metrics of what was judged."""
        self.comparison.measure(self.finished())

    def _forget(self, run_id: int) -> None:
        self._stop_run(run_id)
        for kept in (self.chart_data, self.errors):
            kept.pop(run_id, None)
        self.comparison.forget(run_id)

    def _run(self, run_id: int) -> Run | None:
        return self.study.run(run_id) if self.study else None

    def _tell(self, error: Exception, what: str) -> None:
        self.failed.emit(*spell_failure(error, what))
