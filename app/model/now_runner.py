"""The queue as it is now: read from a file, planned and replayed in threads by the site's own Slurm."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from platformdirs import user_data_path
from PySide6.QtCore import QObject, QTimer, Signal, SignalInstance

from app.model.messages import describe_failure
from app.model.queue_source import QueueSource
from app.model.results_runner import NOW
from app.model.workbench import Workbench
from engine.errors import InputError
from engine.logs.queue.clusters import UndatedError
from engine.logs.queue.state import QueuedJob
from engine.simulation.control import Control
from views.data.now_look import NowLook
from views.work.executor import Task

if TYPE_CHECKING:
    from engine.answer.answer import Answer
    from engine.logs.queue.state import QueueState
    from engine.now.log_spans import LogSpans
    from engine.now.queue_forecast import QueueForecast, Replaying
    from engine.now.queue_schedule import QueueSchedule
    from engine.now.queued_job import WaitingJob
    from engine.now.site_queue import SiteQueue
    from engine.now.start_map import StartMap
    from engine.now.stored_predictions import Kept
    from engine.reading.log import Log
    from engine.schedule.processors import Boxes
    from engine.slurm.site.site import Site
    from engine.trace import Trace

T = TypeVar("T")

_LOOK_MS = 100
_HELP, _ASK, _MAP = ("now", "help"), ("now", "ask"), ("now", "map")


class _Learned(NamedTuple):
    """What a log says of spans on a site, which is found once."""

    trace: Trace
    site: Path
    arrivals: bool
    spans: LogSpans


class _Laid(NamedTuple):
    """A forecast laid out to be drawn: its schedule and boxes, and the zero of its trace, s from 1970."""

    schedule: QueueSchedule
    boxes: Boxes
    zero: int


class NowRunner(QObject):
    """Runner of forecasts of one queue.

    `shown` (a `NowLook`): first by the plan alone, then with replays. `progressed` (share, or None: nothing
    is under way), `mapped` likewise of the map of starts. `failed` (why): the queue could not be read;
    `undated`: because its file does not say when it was printed;
    `helped` (an `Answer` with what would help), `answered` (a look with the job that was asked about) and
    `map_made` bring the answer to a question, `refused` the reason why there is none.
    """

    shown = Signal(object)
    progressed, mapped = Signal(object), Signal(object)
    failed, refused = Signal(str), Signal(str)
    undated = Signal()
    helped = Signal(object)
    answered = Signal(object)
    map_made = Signal(object)

    def __init__(self, workbench: Workbench, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self.arrivals = False  # further jobs come in replays, as in the last weeks of the log
        self.look: NowLook | None = None
        self._path = Path()  # of the site
        self._learned: _Learned | None = None
        self._log: tuple[Trace, Path, Log] | None = None  # the open trace, a site, and the log as read for it
        self._zero: tuple[QueueSource, int] | None = None  # of the source that is shown
        self._timer = QTimer(self, interval=_LOOK_MS)
        self._timer.timeout.connect(self._report_progress)

    @property
    def busy(self) -> bool:
        """Whether anything is read, planned or replayed."""
        return any(self._task(key) is not None for key in (NOW, _HELP, _ASK, _MAP))

    def read(self, queue: QueueSource, site: Path) -> None:
        """Read both, plan, show that, and replay; what runs of the kind is cancelled."""
        for key in (_HELP, _ASK, _MAP):
            # Answers to questions would be about the queue as it was before.
            self._workbench.executor.cancel(key)
        opened = self._workbench.open_study.log if self._workbench.is_open else None

        def work(
            control: Control,
        ) -> tuple[QueueForecast, _Laid, Log | None, QueueSource, tuple[str, ...]]:
            from engine.now.queue_forecast import first_plan
            from engine.now.site_queue import queue_at_site, site_named

            read = site_named(str(site))
            states = queue.read(lambda: control.cancelled)
            clusters = tuple(state.cluster for state in states)
            # Without a choice, or where the chosen cluster is gone, the first is shown.
            state = states[clusters.index(queue.cluster) if queue.cluster in clusters else 0]
            chosen = replace(queue, cluster=state.cluster)
            log, doubt = self._log_of(opened, state, read)
            planned = first_plan(queue_at_site(read, replace(state, notes=(*state.notes, *doubt)), log))
            return planned, self._laid(chosen, planned), log, chosen, clusters

        def done(made: tuple[QueueForecast, _Laid, Log | None, QueueSource, tuple[str, ...]]) -> None:
            planned, (laid, boxes, zero), log, chosen, clusters = made
            self._path, self._zero = site, (chosen, zero)
            # Reading the log for the machine of a site takes long, and each refresh of the same queue needs
            # it again.
            if opened is not None and log is not None:
                self._log = opened.trace, planned.queue.site.path, log
            self.look = NowLook(queue.name, planned, laid, boxes, clusters)
            self.shown.emit(self.look)
            # The plan is shown before the replays, which take many times as long, and then replaced.
            self._replay(chosen, self.look)

        self._submit(NOW, work, done)

    def cancel(self) -> None:
        """Stop; what is shown stays."""
        for key in (NOW, _HELP, _ASK):
            self._workbench.executor.cancel(key)
        self._report_progress()

    def help(self, job: QueuedJob) -> None:
        """Tell what would help a waiting job."""
        look = self.look
        if look is None:
            return

        def work(control: Control) -> Answer[WaitingJob]:
            from engine.answer import answer
            from views.now.words import queue_of

            return answer(queue_of(look), job, control=control)

        self._submit(_HELP, work, self.helped.emit, self.refused)

    def ask(self, job: QueuedJob) -> None:
        """Tell when a job would start that is submitted now, or why Slurm would refuse it."""
        look = self.look
        if look is None:
            return
        source = self._zero[0] if self._zero is not None else None
        how, learned = self._how(look.answer.queue), self._known_spans(look.answer.queue.log)

        def work(control: Control) -> NowLook:
            from engine.answer import answer
            from engine.now.queue_forecast import forecast_queue
            from views.now.words import queue_of

            queue, kept = look.answer.queue, _kept_of(source)
            made = forecast_queue(queue, how, asked=job, learned=learned, kept=kept, control=control)
            with_job = replace(look, answer=made)
            if made.asked is None or made.refused is not None:
                return with_job
            # Further plans, of other requests: what would help.
            return replace(with_job, reply=answer(queue_of(with_job), made.asked, control=control))

        self._submit(_ASK, work, self.answered.emit, self.refused)

    def map(self, job: QueuedJob) -> None:
        """Work out the map of starts of jobs like this one, over sizes and time limits."""
        look = self.look
        if look is None:
            return

        def work(control: Control) -> StartMap:
            from engine.now.start_map import map_of

            queue = look.answer.queue
            return map_of(queue.site, queue.state.jobs, queue.fitted(job), control)

        self._submit(_MAP, work, self.map_made.emit, self.refused)
        self.mapped.emit(0.0)

    def cancel_map(self) -> None:
        """Stop working on the map."""
        self._workbench.executor.cancel(_MAP)
        self._report_progress()

    def _replay(self, source: QueueSource, look: NowLook) -> None:
        # Without a waiting job there is nothing to predict.
        if not look.found.waiting:
            return
        queue, path = look.answer.queue, self._path
        how, known = self._how(queue), self._known_spans(queue.log)

        def work(control: Control) -> NowLook:
            from engine.now.queue_forecast import forecast_queue

            kept = _own_of(source)
            made = forecast_queue(queue, how, learned=known, kept=kept, control=control)
            # Each forecast scores the predictions of earlier forecasts and adds its own: spans get better
            # with each reading.
            if kept is not None:
                _keep(source, made.kept)
            laid, boxes, _ = self._laid(source, made)
            return replace(look, answer=made, laid=laid, boxes=boxes)

        def done(made: NowLook) -> None:
            self.look, spans = made, made.answer.learned
            # What the log says of spans does not change while it is open: the next reading skips that part.
            if queue.log is not None and spans is not None:
                self._learned = _Learned(queue.log, path, how.arrivals, spans)
            self.shown.emit(self.look)

        self._submit(NOW, work, done)

    def _how(self, queue: SiteQueue) -> Replaying:
        """How starts are predicted; without a log no further job comes."""
        from engine.now.queue_forecast import Replaying

        return Replaying(arrivals=self.arrivals and queue.log is not None)

    def _known_spans(self, trace: Trace | None) -> LogSpans | None:
        """What a log says of spans on the site, if it was found already."""
        known = self._learned
        if known is None or known.trace is not trace:
            return None
        return known.spans if (known.site, known.arrivals) == (self._path, self.arrivals) else None

    def _laid(self, source: QueueSource, made: QueueForecast) -> _Laid:
        """A forecast laid out; the zero of its trace stays for a source that is read again."""
        from engine.now.queue_schedule import LOOK_BACK, queue_schedule
        from engine.schedule.processors import assign_processors

        state, known = made.state, self._zero
        assert state.time is not None
        # The zero of the trace stays while the same queue is read again, so that the charts keep their place
        # in time. After twice the time that they look back, it moves on.
        stays = known is not None and known[0] == source and known[1] <= state.time < known[1] + 2 * LOOK_BACK
        zero = known[1] if known is not None and stays else max(state.time - LOOK_BACK, 0)
        laid = queue_schedule(source.name, state, made.forecast, made.queue.site.conf.machine, zero)
        return _Laid(laid, assign_processors(laid.schedule), zero)

    def _log_of(self, log: Log | None, state: QueueState, site: Site) -> tuple[Log | None, tuple[str, ...]]:
        """The open log as read for a site, or None and the reason why it cannot be read for it.

        It is the log of the queue if most jobs of the queue are of users whom it has; else there is none.
        """
        from engine.policy.policy import site_policy

        known = self._log
        if log is None:
            return None, ()
        users = set(log.trace.user.names)
        # Few known users mean that the open log is of another system, from which nothing can be learned.
        if 2 * sum(job.user in users for job in state.jobs) < len(state.jobs):
            return None, ()
        if known is not None and known[0] is log.trace and known[1] == site.path:
            return known[2], ()
        try:
            return log.on_site_machine([site_policy(site)]), ()
        except InputError as error:
            return None, (f"nothing is taken from the open log, which this machine cannot run: {error}",)

    def _submit(
        self,
        key: Hashable,
        work: Callable[[Control], T],
        done: Callable[[T], object],
        failed: SignalInstance | None = None,
    ) -> None:
        signal = failed if failed is not None else self.failed

        def fail(error: Exception) -> None:
            if isinstance(error, UndatedError):
                self.undated.emit()
            text, details = describe_failure(error, "The queue could not be planned")
            signal.emit(f"{text}: {details.splitlines()[-1]}" if details else text)
            self._report_progress()

        def finish(value: T) -> None:
            done(value)
            self._report_progress()

        self._workbench.executor.submit(key, work, finish, fail)
        self._timer.start()
        self._report_progress()

    def _task(self, key: Hashable) -> Task[Any] | None:
        return self._workbench.executor.task(key)

    def _report_progress(self) -> None:
        # Reading, helping and asking share a bar; the map has a bar of its own, since it runs beside them.
        task, mapping = self._task(NOW) or self._task(_HELP) or self._task(_ASK), self._task(_MAP)
        self.progressed.emit(task.control.progress if task is not None else None)
        self.mapped.emit(mapping.control.progress if mapping is not None else None)
        if not self.busy:
            self._timer.stop()


def _own_of(source: QueueSource) -> tuple[Kept, ...] | None:
    """The kept predictions of a source; None where the place of their file is taken by something else."""
    from engine.now.stored_predictions import read_own

    try:
        return read_own(_path_of(source))
    except InputError:
        return None


def _keep(source: QueueSource, kept: tuple[Kept, ...]) -> None:
    """Keep the predictions of a source in its file."""
    from engine.now.stored_predictions import write_kept

    with suppress(OSError):  # a full disk stops no forecast
        write_kept(_path_of(source), kept, own_name=True)


def _kept_of(source: QueueSource | None) -> tuple[Kept, ...]:
    from engine.now.stored_predictions import read_kept

    return () if source is None else read_kept(_path_of(source))


def _path_of(queue: QueueSource) -> Path:
    """The file of the predictions that are kept of a source."""
    name = hashlib.sha256(queue.key.encode(errors="replace")).hexdigest()[:16]
    return user_data_path("batchscope") / "predictions" / f"{name}.json"
