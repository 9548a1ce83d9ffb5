"""The model of the window: the study, its live runs, and their results."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QThread, QTimer, Signal

from app.model.accuracies import Accuracies
from app.model.chart_data import (
    ChartData,
    ComparedRun,
    SimulatedSchedule,
    lay_out,
    schedule_of_run,
    simulated_or_stopped,
)
from app.model.comparison import StudyComparison
from app.model.documents.document import LONGEST_TITLE
from app.model.live_run import LiveRun
from app.model.log_opening import LogOpening
from app.model.messages import describe_failure
from app.model.open_study import OpenStudy
from app.model.preview import Preview, preview_of
from app.model.reading import Opened, read_study
from app.model.repeats import Repeats
from app.model.run_edits import RunEdits, RunSlot
from app.model.work_keys import ReadyKernels, lacks_kernel, layout_key, preview_key, run_key
from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.policy.policy import Policy
from engine.simulation.control import Control
from engine.study import LineUp, Run, Study
from engine.words import clip
from views.work.executor import Executor
from views.work.threads import NICE_BACKGROUND

if TYPE_CHECKING:
    from engine.filter import Expression


_STUCK_MS = 500
"""So long the end of a window waits for files that are looked at."""

_PACE_S = 0.1
"""The least time between two comparisons of an explored run, while its next schedule is simulated."""


class Workbench(QObject):
    """The study of a window; its runs are simulated and compared in threads.

    `open_study` has the trace that is open and its runs. An explored run (`explore`) shows its last schedule
    until the schedule of the newest policy is ready; for a slow run `preview` has the jobs in view until the
    whole run is ready. `study_changed`: another trace, or runs were added, changed or removed. `run_changed`
    (id): a run started, ended, failed or was cancelled. `judged`: the finished runs were compared again.
    Metrics take longer: the code that shows the runs calls `measure` after drawing them; `measured`: they are
    ready. `opened` (Opened) ends what `log_opening` began; `leaving` comes before it, while the old study
    still exists; its runs begin, with `study_changed`, in the next turn of the event loop. `added` (id): a
    new run. `removed` (run): a run was removed, until that is undone. `edits` undoes and redoes edits of
    runs. Threads of `files` look at files of the user.
    """

    study_changed = Signal()
    run_changed = Signal(int)
    judged = Signal()
    measured = Signal()
    leaving = Signal()
    opened = Signal(object)
    added = Signal(int)
    changing = Signal(int)  # a run is about to have another policy or machine
    removed = Signal(object)
    refused = Signal(int, str)  # a run that cannot be explored so: the policy is wrong for this trace
    failed = Signal(str, str)  # what a person can do; details
    faulted = Signal(int)  # a run whose own code was at fault at an instant, which `LiveRun.fault` has
    code_failed = Signal(str)  # what is wrong with own metrics or with their file, which no run shows
    unjudgeable = Signal(str, str)  # the same, of runs that could not be judged
    fair_starts_changed = Signal()  # whether they are wanted

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._ready = ReadyKernels.NONE  # while kernels are compiled elsewhere
        self.executor = Executor(self, threads=max(2, QThread.idealThreadCount()), nice=NICE_BACKGROUND)
        # A file system that does not answer keeps these threads, and no others.
        self.files = Executor(self, threads=4, nice=NICE_BACKGROUND, replaces=True)
        self.fair_starts = False
        self.only: Expression | None = None  # what jobs must meet to be measured
        self.edits = RunEdits(self._swap, self)
        self.log_opening = LogOpening(self.executor, self.files, self._show, self)
        self.log_opening.failed.connect(self.failed)
        self.paces = True  # whether only a few a second of an explored run's schedules are compared
        self._judged = 0.0  # when that was asked for last, monotonic, s
        self._left_out = False  # whether the last schedule was not compared, because a newer is simulated
        self._accuracies = Accuracies()
        self._repeats = Repeats(self.executor, self._judge, self.failed.emit)
        self._beginning = QTimer(self, singleShot=True, interval=0)  # the runs of a trace that was opened
        self._beginning.timeout.connect(self._begin_runs)
        self.open_study = self._made(None)

    def _made(self, opened: Opened | None) -> OpenStudy:
        made = OpenStudy(opened, self.executor, self._accuracies, self)
        for name in ("judged", "measured", "unjudgeable", "failed", "code_failed"):
            getattr(made.comparison, name).connect(getattr(self, name))
        return made

    @property
    def study(self) -> Study:
        """The trace that is open, and its runs; a study without jobs before any is."""
        return self.open_study.study

    @property
    def is_open(self) -> bool:
        """True if a trace is open."""
        return len(self.study.trace) > 0

    @property
    def share(self) -> str:
        """The share by which expected end times are worked out."""
        return self.open_study.share

    @property
    def busy(self) -> bool:
        """True if anything is being read, simulated, compared or measured, or waits for that.

        To look whether recent files are there is none of it: `files` has its own word for that.
        """
        opens = self.log_opening.task is not None
        return opens or self.executor.busy or self.comparison.unmeasured or self._beginning.isActive()

    @property
    def comparison(self) -> StudyComparison:
        """The comparison of the runs."""
        return self.open_study.comparison

    def hold(self) -> None:
        """Keep all work waiting until `release`: the kernels are still being compiled elsewhere."""
        self.executor.hold()

    def release_ready(self, ready: ReadyKernels) -> None:
        """Start the work for which these kernels, and those released before, are enough; the rest waits."""
        self._ready |= ready
        self.executor.hold(lambda key: lacks_kernel(key, self.study, self._ready))

    def release(self) -> None:
        """Start the work that waits."""
        self.executor.release()

    def open(self, path: Path, policies: tuple[Policy, ...], share: str | None = None, **how: Any) -> None:
        """Read a trace in a thread, with the arguments of `read_study`, and run `policies` on it; the default
        share is the current share.
        """
        self.log_opening.start(path, partial(read_study, path, policies, share or self.share, **how))

    def live_run(self, run_id: int) -> LiveRun | None:
        """The run of that id, if it is still there."""
        return self.open_study.live.get(run_id)

    def add_run(
        self,
        policy: Policy,
        cluster: Cluster | None = None,
        file: Path | None = None,
        kind: str = "",
    ) -> None:
        """Add a run, on the log's machine unless another is given, and simulate it.

        The policy of a file is named after the file, with its folder if another run has that name; the name
        begins with the `kind`.
        """
        title = f"{kind}{file.name}" if file is not None else ""
        if file is not None and title in {run.title for run in self.study.runs}:
            title = f"{kind}{file.parent.name}/{file.name}"
        self.added.emit(self.edits.add(self.study, policy, cluster, clip(title, LONGEST_TITLE)))

    def change_run(self, run_id: int, policy: Policy, cluster: Cluster | None = None) -> None:
        """Give a run another policy, and another machine if given; it keeps its colour and index."""
        run = self.study.run(run_id)
        if run is not None:
            self.changing.emit(run_id)
            self.edits.change(self.study, run, policy, cluster)

    def remove_run(self, run_id: int) -> None:
        """Remove a run, whether it is done or not."""
        run = self.study.run(run_id)
        if run is not None:
            self.edits.remove(self.study, run)
            self.removed.emit(run)

    def keep_explored(self, run_id: int, before: Policy, now: Policy) -> None:
        """Take the policy that a run was explored to for an edit, which undoing takes back."""
        run = self.study.run(run_id)
        if run is not None:
            self.edits.keep_explored(self.study, run, before, now)

    def rename_run(self, run_id: int, title: str) -> None:
        """Call a run so; empty: as its policy and machine are spelled."""
        run = self.study.run(run_id)
        if run is not None:
            title = clip(title, LONGEST_TITLE)
            bare = self.study.name(replace(run, title=""))
            self.edits.rename(self.study, run, "" if title == bare else title, self._line_up)

    def move_run(self, run_id: int, order: Sequence[int]) -> None:
        """Move a run, so that the ids of the runs are in this order."""
        run = self.study.run(run_id)
        if run is not None:
            self.edits.move(self.study, run, order, self._line_up)

    def _line_up(self, line_up: LineUp) -> None:
        """Have the runs in that order, under those titles: none is simulated for that."""
        self.open_study.study = self.study.lined_up(line_up)
        self.study_changed.emit()
        self._judge()

    def _swap(self, slot: RunSlot, recall: bool) -> RunSlot:
        """Replace a run of the study, or add or remove a run, as in `OpenStudy.swap`, and simulate it."""
        before = self.open_study.swap(slot, recall, self.fair_starts)
        self.study_changed.emit()
        live = self.live_run(slot.run_id)
        if live is not None and live.chart_data is None:
            self.start_run(slot.run_id)
        else:
            self._repeats.begin(live)
            if live is not None:
                self.run_changed.emit(slot.run_id)
            self._judge()
        return before

    def keep_ghost(self, run_id: int | None) -> None:
        """Begin exploring a run: changes are relative to its current state; None: no changes are shown."""
        self.comparison.keep_ghost(run_id)

    def drop_ghost(self) -> None:
        """Forget the state of a run before exploring: changes are no longer shown."""
        ghost = self.comparison.ghost
        self.keep_ghost(None)
        if ghost is not None:
            self.run_changed.emit(ghost.result.run_id)
            self.judged.emit()
            self.measure()

    def explore(self, run_id: int, policy: Policy, window: tuple[float, float] | None = None) -> None:
        """Simulate a run under another policy, which becomes the run's policy when its schedule is ready.

        This may be called for each step of a slider: a running simulation finishes and is shown, and then
        that of the newest policy begins. If that takes long the jobs in the `window`, s, are simulated and
        shown first, and the whole run as soon as there is no newer policy.
        """
        run, live = self.study.run(run_id), self.live_run(run_id)
        if run is None or live is None:
            return

        def refused(error: Exception) -> None:
            self._judge_left_out()
            if policy.own is not None:
                self.fail_run(run_id, error, policy.own.file.digest)
            self.refused.emit(run_id, str(error))
            if not isinstance(error, InputError):
                self._update_text(error, f"{policy}: the simulation failed")

        if (changed := self.study.edit(run_id, policy, run.cluster).run(run_id)) is None:
            return
        if policy == run.policy and live.previewed:
            self.cancel_run(run_id)
            return
        self.changing.emit(run_id)
        live.stop_repeating()
        chart_data, task = live.chart_data, live.task
        preview = (
            preview_of(chart_data, policy, window, task.age if task else 0.0, live.preview)
            if chart_data and window
            else None
        )
        if preview is None:
            self.executor.cancel(preview_key(run_id))
            self._simulate(changed, refused, after_running=True)
            return

        def show(seen: Preview) -> None:
            live.preview = seen
            if self.executor.task(preview_key(run_id)) is None:
                if seen.rest is not None:
                    self.executor.submit(preview_key(run_id), seen.rest, show, refused, after_running=True)
                else:
                    self._simulate(changed, refused)
            self.run_changed.emit(run_id)

        # The whole run under an older policy is of no use: its schedule would replace this preview.
        for superseded in (run_key(run_id), layout_key(run_id)):
            self.executor.cancel(superseded)
        waits = not live.previews_more  # a first part is soon shown; this preview replaces further ones
        self.executor.submit(preview_key(run_id), preview, show, refused, after_running=waits)

    def start_run(self, run_id: int) -> None:
        """Simulate a run, anew where it is done."""
        run, live = self.study.run(run_id), self.live_run(run_id)
        if run is not None and live is not None:
            self._begin(run, live)
            self.run_changed.emit(run_id)

    def _begin(self, run: Run, live: LiveRun) -> None:
        live.take_error(None)
        live.stop()

        def failed(error: Exception) -> None:
            self.fail_run(run.id, error, None if run.policy.own is None else run.policy.own.file.digest)
            if run.policy.site is not None:  # which others may have awaited for their verdicts
                self._judge()
            if not isinstance(error, InputError):
                self._update_text(error, f"{self.study.name(run)}: the simulation failed")

        self._simulate(run, failed)

    def _simulate(self, run: Run, failed: Callable[[Exception], None], after_running: bool = False) -> None:
        """Have the schedule of a run worked out, and all that its charts are drawn from."""
        study, fair_starts = self.study, self.fair_starts

        def work(control: Control) -> SimulatedSchedule | ChartData:
            simulated = simulated_or_stopped(lambda: schedule_of_run(study, run, fair_starts, control))
            # The next step of a slider is simulated while this is laid out, and none overtakes another.
            apart = self.executor.is_waited_for(key) or self.executor.task(layout) is not None
            return simulated if apart else lay_out(simulated)

        def done(result: SimulatedSchedule | ChartData) -> None:
            if isinstance(result, ChartData):
                self._finish(run, result)
                return
            self.executor.submit(
                layout,
                lambda _: lay_out(result),
                partial(self._finish, run),
                failed,
                after_running=True,
                priority=1,
                before_painting=True,
            )

        key, layout = run_key(run.id), layout_key(run.id)
        self.executor.submit(key, work, done, failed, after_running=after_running)

    def fail_run(self, run_id: int, error: Exception | None, text: str | None = None) -> None:
        """Say on a run why it could not be simulated, or no longer (None); its last schedule stays.

        `text` is the digest of the own code that ran; None where none did, as its file could not be read.
        """
        live = self.live_run(run_id)
        if live is not None:
            live.take_error(error, text)
            self.run_changed.emit(run_id)
            if live.fault is not None:
                self.faulted.emit(run_id)

    def cancel_run(self, run_id: int) -> None:
        """Stop simulating a run; it stays in the list and can be started again."""
        live = self.live_run(run_id)
        if live is not None:
            live.stop()
            self._judge_left_out()
            self.run_changed.emit(run_id)

    def set_share(self, share: str) -> None:
        """Judge all runs by another share; the spelling is checked by the caller."""
        self.open_study.share = share
        self.keep_ghost(None)
        self._judge()

    def set_only(self, only: Expression | None) -> None:
        """Measure only the jobs that match this expression in at least one run; None: all jobs."""
        if only != self.only:
            self.only = only
            self.keep_ghost(None)
            self._judge()

    def show_doubtful(self, wanted: bool) -> None:
        """Show what-ifs of a site also where its model has accounts in another order than the log."""
        self.open_study.doubtful = wanted
        self._judge()

    def set_fair_starts(self, wanted: bool) -> None:
        """Work out fair start times, or no longer; all runs are simulated anew for that."""
        self.fair_starts = wanted
        self.fair_starts_changed.emit()
        for run in self.study.runs if wanted else ():
            self.start_run(run.id)

    def finished(self) -> list[ComparedRun]:
        """The runs that are done and compared, in the order of the study."""
        return self.open_study.finished

    def shutdown(self) -> None:
        """Stop all work and wait for it, and forget what could be undone."""
        self._beginning.stop()
        self.executor.shutdown()
        self.files.shutdown(_STUCK_MS)
        self.edits.clear()  # or the collector may delete an edit before the stack, which deletes it again

    def _show(self, opened: Opened) -> None:
        self.leaving.emit()
        self.open_study.close()
        self.open_study = self._made(opened)
        if not opened.is_reread:
            self.edits.clear()
        if opened.session is not None:
            self.fair_starts = opened.session.fair_starts
            self.fair_starts_changed.emit()
        self.opened.emit(opened)
        self._beginning.start()

    def _begin_runs(self) -> None:
        """Simulate and show the runs of an opened trace, once the window has handled what waited."""
        for run in self.study.runs:
            live = self.open_study.live[run.id]
            if live.task is None:  # else it was changed in between
                self._begin(run, live)
        self.study_changed.emit()

    def _finish(self, run: Run, chart_data: ChartData) -> None:
        self.open_study.finish(run, chart_data)
        newer = self.executor.task(run_key(run.id)) is not None
        self._left_out = newer and self.paces and time.monotonic() - self._judged < _PACE_S
        if not self._left_out:
            self._judge()  # in a thread, while its charts are updated
        if not newer:
            self._repeats.begin(self.live_run(run.id))
        self.run_changed.emit(run.id)

    def _judge_left_out(self) -> None:
        """Compare a schedule that was not because of a newer one, which will not come after all."""
        if self._left_out:
            self._judge()

    def _judge(self) -> None:
        self._judged, self._left_out = time.monotonic(), False
        self.open_study.judge(self.only)

    def judge_again(self) -> None:
        """Compare the runs once more: there are other metrics or columns of the user's own."""
        if self.is_open:
            self._judge()

    def measure(self) -> None:
        """Work out the metrics of what was judged."""
        self.comparison.measure(self.finished())

    def _update_text(self, error: Exception, what: str) -> None:
        self.failed.emit(*describe_failure(error, what))
