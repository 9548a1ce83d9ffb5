"""The queue as it is now: read from a file, planned and replayed in threads by the site's own Slurm."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterator
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
from engine.input import exists
from engine.simulation.control import Cancelled, Control
from engine.trace.queue_state import WAITING, QueuedJob
from engine.words import plural
from views.data.now_look import NowLook
from views.work.executor import Task

if TYPE_CHECKING:
    from engine.answer.answer import Answer
    from engine.machine.cluster import Cluster
    from engine.now.kept import Kept, Score
    from engine.now.log_spans import LogSpans
    from engine.now.prediction import Forecast
    from engine.now.queue_schedule import QueueSchedule
    from engine.now.queued import WaitingJob
    from engine.now.start_map import StartMap
    from engine.schedule.processors import Boxes
    from engine.slurm.site.site import Site
    from engine.trace import Trace
    from engine.trace.queue_state import QueueState

T = TypeVar("T")

REPLAYS, COVER, SECONDS = 100, 0.8, 15.0
"""As many replays are made, in so many seconds at most; spans hold such a share of them."""

CALIBRATION_S, WITH_ARRIVALS_S = 5.0, 15.0
"""s that calibrating spans on the open log takes at most; with further jobs, replays take longer."""

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


def machine_problem(text: str) -> str:
    """What is wrong with a machine that is spelled, like 20x80c505g; empty where nothing is."""
    from engine.machine.cluster import parse_cluster

    try:
        parse_cluster(text)
    except InputError as error:
        return str(error)
    return ""


def _site_of(path: Path) -> Site:
    """The site of a slurm.conf or folder, or of a machine that is spelled. Raises InputError."""
    from engine.machine.cluster import parse_cluster
    from engine.slurm.site.folder import read_site_at
    from engine.slurm.site.site import site_of_machine

    if exists(path) or machine_problem(str(path)):
        return read_site_at(path)
    return site_of_machine(str(path), parse_cluster(str(path)))


class NowRunner(QObject):
    """Runner of forecasts of one queue.

    `shown` (a `NowLook`): first by the plan alone, then with replays. `progressed` (share, or None: nothing
    is under way), `mapped` likewise of the map of starts. `failed` (why): the queue could not be read;
    `helped` (an `Answer` with what would help), `answered` (a look with the job among those that wait, the
    job) and `map_made` bring the answer to a question, `refused` the reason why there is none.
    """

    shown = Signal(object)
    progressed, mapped = Signal(object), Signal(object)
    failed, refused = Signal(str), Signal(str)
    helped = Signal(object)
    answered = Signal(object, object)
    map_made = Signal(object)

    def __init__(self, workbench: Workbench, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self.arrivals = False  # further jobs come in replays, as in the last weeks of the log
        self.look: NowLook | None = None
        self._site: Site | None = None
        self._path = Path()  # of the site
        self._learned: _Learned | None = None
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
            self._workbench.executor.cancel(key)

        def work(control: Control) -> tuple[Site, QueueState, Forecast, _Laid]:
            from engine.now.prediction import first_forecast, predict
            from engine.now.waiting import is_deep
            from engine.trace.queue_state import clock_of

            read = _site_of(site)
            state = queue.read(lambda: control.cancelled)
            read = replace(read, clock=clock_of(state) if read.reservations else None)
            state = replace(state, notes=(*state.notes, *_doubts(read, state)))
            deep = is_deep(state.jobs)
            found = first_forecast(read, state.jobs) if deep else predict(read, state.jobs, replays=0)
            return read, state, found, self._laid(queue, state, found, read.conf.machine)

        def done(made: tuple[Site, QueueState, Forecast, _Laid]) -> None:
            read, state, found, (laid, boxes, zero) = made
            self._site, self._path, self._zero = read, site, (queue, zero)
            learned = "0 to 100 % of their time limits, all equally likely"
            partitions = tuple(
                dict.fromkeys(
                    partition.name
                    for partition in read.conf.partitions
                    if partition.name.upper() != "DEFAULT"
                )
            )
            self.look = NowLook(queue.name, state, found, laid, boxes, learned, partitions)
            self.shown.emit(self.look)
            self._replay(read, queue, self.look)

        self._submit(NOW, work, done)

    def cancel(self) -> None:
        """Stop; what is shown stays."""
        for key in (NOW, _HELP, _ASK):
            self._workbench.executor.cancel(key)
        self._report_progress()

    def help(self, job: QueuedJob) -> None:
        """Tell what would help a waiting job."""
        look, site = self.look, self._site
        if look is None or site is None:
            return

        def work(control: Control) -> Answer[WaitingJob]:
            from engine.answer import answer
            from views.now.words import queue_of

            return answer(queue_of(look, site), job, control=control)

        self._submit(_HELP, work, self.helped.emit, self.refused)

    def ask(self, job: QueuedJob) -> None:
        """Tell when a job would start that is submitted now."""
        look, site = self.look, self._site
        if look is None or site is None:
            return
        trace, queue = self._log(look.state), self._zero[0] if self._zero is not None else None
        arrivals, learned = self.arrivals, self._known_spans(trace)

        def work(control: Control) -> tuple[NowLook, QueuedJob]:
            from engine.now.log_arrivals import past_of
            from engine.now.log_spans import with_spans
            from engine.now.prediction import asked_job, predict
            from engine.now.spans import corrected

            asked = asked_job(look.state.jobs, job)
            jobs = (*look.state.jobs, asked)
            past, enough = past_of(site.conf.machine, trace, arrivals), _until(control, REPLAYS)
            found = predict(site, jobs, replays=REPLAYS, cover=COVER, past=past, enough=enough)
            found = with_spans(found, site.rules(1).bf_interval, COVER, learned)
            kept, waiting = _kept_of(queue), [job.job_id for job in look.state.jobs if job.state == WAITING]
            found = corrected(found, kept, look.state.time, waiting, COVER)
            return replace(look, state=replace(look.state, jobs=jobs), found=found), asked

        self._submit(_ASK, work, lambda made: self.answered.emit(*made), self.refused)

    def map(self, job: QueuedJob) -> None:
        """Work out the map of starts of jobs like this one, over sizes and time limits."""
        look, site = self.look, self._site
        if look is None or site is None:
            return

        def work(control: Control) -> StartMap:
            from engine.now.start_map import map_of

            return map_of(site, look.state.jobs, job, control)

        self._submit(_MAP, work, self.map_made.emit, self.refused)
        self.mapped.emit(0.0)

    def cancel_map(self) -> None:
        """Stop working on the map."""
        self._workbench.executor.cancel(_MAP)
        self._report_progress()

    def _replay(self, site: Site, queue: QueueSource, look: NowLook) -> None:
        if not look.found.waiting:
            return
        trace, path = self._log(look.state), self._path
        arrivals = self.arrivals
        drawn = (
            look.learned if trace is None else f"what jobs of {trace.shown_name} used of their time limits"
        )
        known = self._known_spans(trace)

        def work(control: Control) -> tuple[NowLook, LogSpans | None]:
            from engine.now.log_arrivals import past_of
            from engine.now.log_spans import INSTANTS, learn_spans, with_spans
            from engine.now.prediction import predict

            past, enough = past_of(site.conf.machine, trace, arrivals), _until(control, REPLAYS)
            found = predict(site, look.state.jobs, replays=REPLAYS, cover=COVER, past=past, enough=enough)
            spans = known
            if spans is None and trace is not None:
                enough = _until(control, INSTANTS, WITH_ARRIVALS_S if arrivals else CALIBRATION_S)
                spans = learn_spans(site, trace, cover=COVER, arrivals=arrivals, enough=enough)
            found = with_spans(found, site.rules(1).bf_interval, COVER, spans)
            found, score = _keep(queue, look.state, found)
            laid, boxes, _ = self._laid(queue, look.state, found, site.conf.machine)
            return replace(look, found=found, laid=laid, boxes=boxes, learned=drawn, score=score), spans

        def done(made: tuple[NowLook, LogSpans | None]) -> None:
            self.look, spans = made
            if trace is not None and spans is not None:
                self._learned = _Learned(trace, path, arrivals, spans)
            self.shown.emit(self.look)

        self._submit(NOW, work, done)

    def _known_spans(self, trace: Trace | None) -> LogSpans | None:
        """What a log says of spans on the site, if it was found already."""
        known = self._learned
        if known is None or known.trace is not trace:
            return None
        return known.spans if (known.site, known.arrivals) == (self._path, self.arrivals) else None

    def _laid(self, queue: QueueSource, state: QueueState, found: Forecast, machine: Cluster) -> _Laid:
        """A forecast laid out; the zero of its trace stays for a source that is read again."""
        from engine.now.queue_schedule import LOOK_BACK, queue_schedule
        from engine.schedule.processors import assign_processors

        assert state.time is not None
        known = self._zero
        kept = known is not None and known[0] == queue and known[1] <= state.time < known[1] + 2 * LOOK_BACK
        zero = known[1] if known is not None and kept else max(state.time - LOOK_BACK, 0)
        laid = queue_schedule(queue.name, state, found, machine, zero)
        return _Laid(laid, assign_processors(laid.schedule), zero)

    def _log(self, state: QueueState) -> Trace | None:
        """The open log, if it is that of the queue: most jobs of the queue are of users whom it has."""
        if not self._workbench.is_open:
            return None
        trace = self._workbench.study.trace
        users = set(trace.user.names)
        return trace if 2 * sum(job.user in users for job in state.jobs) >= len(state.jobs) else None

    def _submit(
        self,
        key: Hashable,
        work: Callable[[Control], T],
        done: Callable[[T], object],
        failed: SignalInstance | None = None,
    ) -> None:
        signal = failed if failed is not None else self.failed

        def fail(error: Exception) -> None:
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
        task, mapping = self._task(NOW) or self._task(_HELP) or self._task(_ASK), self._task(_MAP)
        self.progressed.emit(task.control.progress if task is not None else None)
        self.mapped.emit(mapping.control.progress if mapping is not None else None)
        if not self.busy:
            self._timer.stop()


def _doubts(site: Site, state: QueueState) -> Iterator[str]:
    """What of a site's files is not read, and by which clock the dates of its reservations are taken."""
    from engine.now.queue_doubts import queue_doubts

    yield from queue_doubts(site, state)
    if site.reservations and state.clock is None:
        many = plural(len(site.reservations), "reservation")
        where = "in this computer's time zone" if site.clock is not None else "not regarded"
        yield f"{many} {where}: the queue does not say by which clock"


def _keep(queue: QueueSource, state: QueueState, found: Forecast) -> tuple[Forecast, Score | None]:
    """Keep what is predicted of the queue of a source, and score and correct it by what was kept before.

    A file in its place that holds something else is left as it is: then nothing is kept.
    """
    from engine.now.kept import read_own, score_of, write_kept
    from engine.now.spans import predicted_and_kept

    path = _path_of(queue)
    try:
        found, kept = predicted_and_kept(found, read_own(path), state, COVER)
    except InputError:
        return found, None
    with suppress(OSError):  # a full disk stops no forecast
        write_kept(path, kept, own_name=True)
    return found, score_of(kept)


def _kept_of(queue: QueueSource | None) -> tuple[Kept, ...]:
    from engine.now.kept import read_kept

    return () if queue is None else read_kept(_path_of(queue))


def _path_of(queue: QueueSource) -> Path:
    """The file of the predictions that are kept of a source."""
    name = hashlib.sha256(queue.key.encode(errors="replace")).hexdigest()[:16]
    return user_data_path("batchscope") / "predictions" / f"{name}.json"


def _until(control: Control, most: int, seconds: float = SECONDS) -> Callable[[int], bool]:
    """Tells a control how many of `most` replays, or instants, are done.

    It ends them in time, and raises Cancelled as asked to.
    """
    from engine.now.prediction import within

    control.jobs = most
    begun: list[Callable[[int], bool]] = []  # from the first replays on: the plan takes as long as it does

    def enough(done: int) -> bool:
        if control.cancelled:
            raise Cancelled
        if not begun:
            begun.append(within(seconds))
        control.array[1] = done
        return begun[0](done)

    return enough
