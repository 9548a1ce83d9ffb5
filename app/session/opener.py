"""Opening traces and sessions in a window, and the handling of the session that was open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand
from PySide6.QtWidgets import QFileDialog, QWidget

from app.model.documents.document import SUFFIX, Picked, Session
from app.model.file_kinds import LINK_MARK, FileKind, KnownFile, known_files
from app.model.models import Models
from app.model.reading import Opened, TraceMissingError, opening_policies
from app.session.archive import read_session
from app.session.autosave import AutosaveSlot
from app.session.capture import show_again
from app.session.closed_sessions import closed_folder, closed_paths, forget_closed
from app.session.commands import may_leave
from app.session.keeper import SessionKeeper
from app.session.link import read_link, read_linked_study
from app.session.restore import read_saved_study, study_of, unnamed_code
from engine.reading.options import Reading
from engine.simulation.control import Cancelled
from engine.words import listed
from resources import example_path
from views.widgets.awaited_work import waited

if TYPE_CHECKING:
    from engine.own.file import OwnFile
    from engine.policy.policy import Policy
    from engine.reading.read import ReadLog


def read_so(session: Session, reading: Reading) -> Session:
    """A session with its log read by these options, with nothing picked and all of the time in sight."""
    view = replace(session.view, window=None, picked=Picked())
    return replace(session, reading=reading, view=view)


class ReadingEdit(QUndoCommand):
    """A change of how the trace is read, called `text`; `show` has it read so."""

    def __init__(self, text: str, before: Reading, after: Reading, show: Callable[[Rereading], None]) -> None:
        super().__init__(text)
        self._before, self._after, self._show = before, after, show

    def redo(self) -> None:
        """Read it the new way, or do so again."""
        self._show(Rereading(self._after, self, is_done=True))

    def undo(self) -> None:
        """Read it as before."""
        self._show(Rereading(self._before, self, is_done=False))


@dataclass(frozen=True)
class Rereading:
    """The options by which the log is to be read, and the edit that asks for it as it was done or undone."""

    reading: Reading
    edit: ReadingEdit
    is_done: bool


_LOGS = "*.swf *.gwf *.txt *.log *.csv *.json *.parquet *.gz *.bz2 *.xz *.zst *.zip *.tar *.tgz"
_FILES = f"Traces, sessions, slurm.conf and own code ({_LOGS} *.conf *{SUFFIX} *.py);;All files (*)"


class Opener(QObject):
    """Opener of traces and sessions; the open study stays until another file is read.

    `begun`: opening begins; `remembered`: the recent files changed; `shown` (Opened): the models hold the new
    study.
    """

    begun = Signal()
    remembered = Signal()
    shown = Signal(object)
    site_chosen = Signal(object)  # path of a `slurm.conf`
    queue_chosen = Signal(object, object)  # path of a printed queue, and of its site or None
    code_chosen = Signal(object)  # path of a user's own code
    queue_wanted = Signal()  # the reader wants to choose a queue

    def __init__(self, models: Models, keeper: SessionKeeper, window: QWidget) -> None:
        super().__init__(window)
        self._models, self._keeper, self._window = models, keeper, window
        self._file: Path | None = None  # the session that is being opened
        self._slot: AutosaveSlot | None = None  # or the path of an autosaved session
        self._closed: Path | None = None  # or the file of a closed session
        self._rereading: Rereading | None = None  # that goes on
        self._stepping = False  # through edits whose way of reading is shown already
        self._then: list[Callable[[], None]] = []  # what is done when the trace has been read again
        self._leaving: Session | None = None  # what the window showed, if it is in no file
        models.workbench.leaving.connect(self._take_leave)
        models.workbench.opened.connect(self._show)
        models.workbench.log_opening.stopped.connect(self._step_back)

    def ask(self) -> None:
        """Let the user choose a file, and open it."""
        path = self.ask_path("Open a trace or a session")
        if path is not None:
            self.open_path(path)

    def ask_path(self, title: str) -> Path | None:
        """Let the user choose a file."""
        recent = self._models.settings.recent
        folder = str(Path(recent[0]).parent) if recent else ""
        name, _ = QFileDialog.getOpenFileName(self._window, title, folder, _FILES)
        return Path(name) if name else None

    def open_example(self) -> None:
        """Show the bundled example."""
        self.open_path(example_path())

    def open_path(self, path: Path, policies: tuple[Policy, ...] = ()) -> None:
        """Read a session, a link to a view, or a trace to be shown under these policies, or else under the
        default ones.

        What it is, a thread finds out, which can be cancelled: the storage of a file may not answer. A site's
        `slurm.conf` is handed on by `site_chosen`: it adds a run to what is open. So is the print of a queue,
        by `queue_chosen`.
        """

        def look() -> tuple[KnownFile, ...]:
            return known_files([path])

        def open_known(files: tuple[KnownFile, ...]) -> None:
            self.open_known(files[0], policies)

        name = path.name.partition(LINK_MARK)[0]
        self._models.workbench.log_opening.look(name, look, open_known)

    def open_known(self, file: KnownFile, policies: tuple[Policy, ...] = ()) -> None:
        """As `open_path`, of a file whose kind is known."""
        # Sites, queues and code do not replace what is open, so nothing is asked about unsaved changes.
        if file.kind is FileKind.SITE:
            self.site_chosen.emit(file.path)
            return
        if file.kind is FileKind.QUEUE:
            self.queue_chosen.emit(file.path, None)
            return
        if file.kind is FileKind.CODE:
            self.code_chosen.emit(file.path)
            return
        # From here on the open study will be left, unless reading fails.
        if not may_leave(self._models, self._keeper, self._window):
            return
        self.begun.emit()
        if file.kind is FileKind.SESSION:
            self.open_session(file.path)
        elif file.kind is FileKind.LINK:
            self._leave_for()
            # A link names its log before the mark; the rest is the view.
            log = Path(str(file.path).rpartition(LINK_MARK)[0])
            start = partial(
                self._models.workbench.log_opening.start, log, partial(read_linked_study, file.path)
            )
            # Code that a link names is asked about before anything of it is read in full.
            self._ask_code(f"The link to {log.name} names it.", log, partial(read_link, file.path), start)
        else:
            self._leave_for()
            settings = self._models.settings
            policies = policies or opening_policies(settings.policies)
            self._models.workbench.open(file.path, policies, settings.share, columns=settings.columns)

    def open_as(self, path: Path, reading: Reading, ready: ReadLog | None = None) -> bool:
        """Read a trace as it is asked for; `ready` where it is read already. False: the reader stays.

        The trace that is open keeps its runs, marks and filter, and that it is read in another way is an edit
        like others, which can be undone.
        """
        try:
            real = waited(
                self._models.workbench.files, path.resolve, f"Looking at {path.name}…", self._window
            )
        except (Cancelled, OSError, RuntimeError):  # a circle of links, which reading reports
            return False
        # The same log in another way is an edit of the open study: runs and marks stay, and undo leads back.
        if self._keeper.is_of(real) and reading != self._reading:
            self._read_again("the reading with other options", reading)
            return True
        if not may_leave(self._models, self._keeper, self._window):
            return False
        self.begun.emit()
        self._leave_for()
        settings = self._models.settings
        policies = opening_policies(settings.policies)
        self._models.workbench.open(path, policies, settings.share, reading=reading, ready=ready)
        return True

    def open_last(self) -> None:
        """Read what was closed last without being saved."""
        for path in closed_paths()[:1]:
            self.open_path(path)

    def _leave_for(
        self, file: Path | None = None, slot: AutosaveSlot | None = None, closed: Path | None = None
    ) -> None:
        """Prepare to replace the open study by a session of a file, an autosaved or a closed session."""
        self._step_back()
        self._file, self._slot, self._closed = file, slot, closed

    def _take_leave(self) -> None:
        """Capture what the window shows by now, then drop all that refers to the trace which is left.

        Codes of users, indices of jobs and times mean others in the next trace. So they are gone before it is
        there, and not when the window hears of it.
        """
        self._leaving = self._keeper.unsaved() if self._rereading is None else None  # it is the same
        self._keeper.leave()
        models = self._models
        models.selection.reset()
        models.filter.reset()
        models.view.restore(models.view.options.of_any_study)

    def add_runs_of_site(self, policy: Policy, name: str, add: Callable[[], None]) -> None:
        """Add runs of a site: where it is the first, and no machine was asked for, on the trace as read for
        the machine of its files.

        `recorded`, and runs without a machine of their own, are on that machine then, as in a comparison by
        the command line. `add` is called when the trace has been read, `name` says which site it is.
        """
        from engine.reading.read import on_site_machine

        study, before = self._models.workbench.study, self._reading
        sites = [run for run in study.runs if run.policy.machine is not None]
        asked = before.machine or study.is_elsewhere
        reading = on_site_machine(before, [policy])
        # While the log is being read again, a further run is added when that is done.
        if self._rereading is not None:
            self._then.append(add)
        elif sites or asked or reading == before or policy.machine == study.cluster:
            add()
        else:
            self._read_again(f"the machine of {name}", reading)
            self._then = [add]

    @property
    def _reading(self) -> Reading:
        """The options by which the log is read, or is being read again."""
        rereading = self._rereading
        return rereading.reading if rereading is not None else self._models.workbench.open_study.reading

    def _read_again(self, text: str, after: Reading) -> None:
        edit = ReadingEdit(text.replace("&", "&&"), self._reading, after, self._reread)
        self._models.workbench.edits.push(edit)

    def _reread(self, rereading: Rereading) -> None:
        """Have the trace read in another way; nothing is read where it is shown so."""
        workbench, session = self._models.workbench, self._keeper.session()
        if self._stepping or session is None:
            return
        # A second undo while the first still reads: the first is stopped, and nothing is read where that
        # leads back to what is shown.
        was_reading, self._rereading = self._rereading is not None, None
        if rereading.reading == self._reading:
            if was_reading:
                workbench.log_opening.cancel()
            return
        self.begun.emit()
        self._leave_for(self._keeper.file)
        self._rereading = rereading
        path = Path(session.source.path)
        read = partial(study_of, read_so(session, rereading.reading), self._file or path, path)
        workbench.log_opening.start(path, read, self._with_present_runs)

    def _with_present_runs(self, opened: Opened) -> Opened:
        """A trace that was read again, with the machine, the runs and the view as they are by now.

        Read for another machine of its own, it has that one, and so have the runs on the one before.
        """
        session, study = self._keeper.session(), self._models.workbench.study
        if session is None:
            return opened
        # If the log is read for another machine, runs on the old machine follow to it; a run with a machine
        # of its own keeps that.
        same = opened.reading.machine == self._models.workbench.open_study.reading.machine
        machine = study.cluster if same else opened.study.cluster
        runs = tuple(
            replace(
                run,
                schedule=None,
                cluster=machine
                if run.cluster == study.cluster and run.policy.machine != run.cluster
                else run.cluster,
            )
            for run in study.runs
        )
        return replace(
            opened,
            study=replace(opened.study, cluster=machine, runs=runs),
            session=read_so(session, opened.reading),
            is_reread=True,
        )

    def _step_back(self) -> None:
        """Where a trace could not be read again, take the step to that back, if it was the last."""
        rereading, edits = self._rereading, self._models.workbench.edits
        self._then = []
        # Nothing was being read: an ordinary opening that failed has no edit.
        if rereading is None:
            return
        self._rereading, self._stepping = None, True
        # The edit is taken back by the stack itself, so that the menu is right; `_stepping` keeps that from
        # reading once more.
        if rereading.is_done and edits.command(edits.index() - 1) is rereading.edit:
            edits.undo()
        elif not rereading.is_done and edits.command(edits.index()) is rereading.edit:
            edits.redo()
        self._stepping = False

    def open_session(self, path: Path, trace: Path | None = None) -> None:
        """Read a session file; `trace` is the path of its trace if that has moved."""
        was_closed = path.parent == closed_folder()
        self._leave_for(*((None, None, path) if was_closed else (path,)))
        self._read_session(path, trace)

    def open_autosave(self, slot: AutosaveSlot, trace: Path | None = None) -> None:
        """Read what a program that was killed has left; it stays there where that fails."""
        self._leave_for(slot=slot)
        self._read_session(slot.path, trace)

    def _read_session(self, path: Path, trace: Path | None) -> None:
        read = partial(read_saved_study, path, trace)
        start = partial(self._models.workbench.log_opening.start, path, read)
        self._ask_code(f"The session {path.name} names it.", path, partial(read_session, path), start)

    def _ask_code(
        self, why: str, path: Path, read: Callable[[], Session], start: Callable[[], object]
    ) -> None:
        """Start reading once the user has said which code of a session may run: it opens without the rest."""

        def ask(files: tuple[OwnFile, ...]) -> None:
            self._models.code.ask(files, why, start)

        self._models.workbench.log_opening.look(path.name, partial(unnamed_code, read), ask)

    def find_trace(self, error: TraceMissingError) -> None:
        """Let the reader say where the trace of a session is, and open it."""
        name, slot = Path(error.wanted).name, self._slot
        title = f"Where is {name}?"
        chosen, _ = QFileDialog.getOpenFileName(self._window, title, str(error.file.parent))
        if chosen and slot is not None:
            self.open_autosave(slot, Path(chosen))
        elif chosen:
            self.open_session(error.file, Path(chosen))

    def remember(self, path: Path) -> None:
        """Put a file first in the list of recent files."""
        if path != example_path():
            self._models.settings.remember(path)
            self.remembered.emit()

    def _show(self, opened: Opened) -> None:
        models, session = self._models, opened.session
        trace = opened.study.trace
        models.clock.reset(float(trace.submit[0]), opened.last_end)
        file, slot = self._file, self._slot
        if slot is not None and session is not None and session.file:
            file = Path(session.file)
        if session is not None and session.newer:
            file = None
        self._keeper.keep_closed(self._leaving)
        self._leaving = None
        if self._closed is not None:
            forget_closed(self._closed)
        else:
            self.remember(file or (opened.path if opened.source.example else Path(opened.source.path)))
        if session is None:  # which reports the error itself
            models.workbench.fair_starts = models.settings.fair_starts
            models.workbench.fair_starts_changed.emit()
        self.shown.emit(opened)
        show_again(models, opened)
        if opened.measured is not None:
            models.measured.measure_only(opened.measured)
        self._keeper.opened(opened, file, slot)
        self._rereading = None
        for doubt in opened.doubts:
            models.messages.show_message(doubt)
        if opened.later:
            self._offer(opened.later, len(trace))
        actions, self._then = self._then, []
        for do in actions if opened.is_reread else ():
            do()

    def _offer(self, policies: tuple[Policy, ...], jobs: int) -> None:
        """Say which policies a trace of many jobs was not simulated under, and do it if that is wanted."""

        def simulate() -> None:
            for policy in policies:
                self._models.workbench.add_run(policy)

        names = listed([policy.spelling for policy in policies])
        self._models.messages.show_message(
            f"A trace of {jobs:,} jobs takes long and much memory: it is not simulated under {names} yet.",
            answers={"Simulate": simulate},
        )
