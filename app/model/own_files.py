"""The files of a user's own code in a window: which of them may run, and reading them again once saved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from app.model.workbench import Workbench
from engine.errors import InputError
from engine.metrics.metric import Metric
from engine.metrics.own_metric import offer_metrics, offered_metrics
from engine.own.allowed_code import allow, is_allowed, others_can_change
from engine.own.code import deciding
from engine.own.file import Declared, OwnFile, read_own_file
from engine.policy.own_policy import with_file
from engine.policy.policy import Policy, parse_policy
from engine.quantities.own_quantity import offer_quantities
from engine.study import Run
from views.work.executor import Executor
from views.work.threads import NICE_BACKGROUND

_LOOK_MS = 300
"""How often the files of runs are looked at."""

_STUCK_MS = 500
"""So long the end of a window waits for storage that does not answer."""

Stamp = tuple[tuple[int, int, int], ...]
"""Size, time of the last change and inode of each text of a file."""

_GONE = (-1, 0, 0)


@dataclass(frozen=True, eq=False)
class CodeQuestion:
    """The question whether code may run, with its text to be read, and `why` it is asked.

    Of the functions in `choices` those that the user ticks become runs. `take` gets their names, `leave` is
    called where the code is not to run.
    """

    file: OwnFile
    why: str
    choices: tuple[Declared, ...]
    take: Callable[[tuple[str, ...]], object]
    leave: Callable[[], object]


@dataclass(frozen=True, eq=False)
class _Look:
    """What a thread saw: the stamp of each file, and the files that are other texts by now, or the error."""

    stamps: Mapping[Path, Stamp]
    read: Mapping[Path, OwnFile | InputError]


class OwnFiles(QObject):
    """Knows the files that its user has allowed in this window, and has the others asked about.

    `asked` (CodeQuestion) wants an answer of the user. Files of runs, metrics and quantities are read again
    when they are saved: a run keeps its schedule until the new text has made another. A text that nobody but
    its user could have written needs no further question, if the user has allowed the file in this window.
    """

    asked = Signal(object)
    fault_wanted = Signal(int)  # the instant at which the code of this run was at fault is about to be shown
    offered = Signal()  # a file was allowed: its metrics and quantities are offered

    def __init__(self, workbench: Workbench, parent: QObject) -> None:
        super().__init__(parent)
        self._workbench = workbench
        # Apart from other work: a window that only looks at files from time to time is not busy.
        self._looks = Executor(self, threads=1, nice=NICE_BACKGROUND)
        self._trusted: set[Path] = set()  # absolute paths, until the window closes
        self._watched: dict[Path, OwnFile] = {}  # that offer metrics or quantities, by path, as last offered
        self._stamps: dict[Path, Stamp] = {}  # as last read
        self._before: Mapping[Path, Stamp] = {}  # as last seen
        self._tried: dict[int, str] = {}  # the digest that a run was last simulated with, or is being
        self._refused: set[str] = set()  # digests of saved texts that are not to run
        self._timer = QTimer(self, interval=_LOOK_MS)
        self._timer.timeout.connect(self._look)
        workbench.study_changed.connect(self._follow_study)

    def shutdown(self) -> None:
        """Look at no file any more."""
        self._timer.stop()
        self._looks.shutdown(_STUCK_MS)

    def allow(self, file: OwnFile) -> None:
        """Let this code run, and later texts of its file as long as only its user can write it."""
        allow(file)
        self._trusted.add(file.path.absolute())
        self._offer(file)

    def _offer(self, file: OwnFile) -> None:
        """Offer the metrics and quantities of an allowed file, and follow it from now on."""
        if self._watched.get(file.path) == file:
            return
        before = self._watched.pop(file.path, None)
        offers = any(each.kind in ("metric", "quantity") for each in file.declared)
        if not offers and before is None:
            return
        if offers:
            self._watched[file.path] = file
        offer_quantities(file)
        offer_metrics(file)
        self.offered.emit()
        self._workbench.judge_again()
        self._watch()

    def trust(self, policies: Iterable[Policy]) -> None:
        """Take the files of policies, which the user named on the command line, for allowed here."""
        for policy in policies:
            if policy.own is not None:
                self.allow(policy.own.file)

    def open(self, path: Path, add: Callable[[OwnFile, tuple[str, ...]], object]) -> None:
        """Read a file; `add` gets it with the names of the functions that are to be runs.

        Code that is not allowed is asked about first, and so is which of several functions are wanted.
        """

        def offer(file: OwnFile) -> None:
            choices = deciding(file)
            # Nothing has to be decided: the code is allowed, and has no choice of functions.
            if is_allowed(file.digest) and len(choices) < 2:
                self._trusted.add(path.absolute())
                add(file, tuple(each.name for each in choices))
                return

            def take(names: tuple[str, ...]) -> None:
                self.allow(file)
                add(file, names)

            self.asked.emit(CodeQuestion(file, "It was opened in this window.", choices, take, lambda: None))

        self._workbench.log_opening.look(path.name, lambda: read_own_file(path), offer)

    def ask(self, files: Sequence[OwnFile], why: str, done: Callable[[], object]) -> None:
        """Ask about each of these files that is not allowed; then call `done`, whatever was answered.

        What allowed files offer is added to the lists at once, without a question.
        """
        for known in files:
            if is_allowed(known.digest):
                self._offer(known)
        # Questions follow each other: each answer asks about the rest.
        file = next((file for file in files if not is_allowed(file.digest)), None)
        if file is None:
            done()
            return
        # The same text may lie at several paths; it is asked about once.
        rest = [other for other in files if other.digest != file.digest]

        def take(_: tuple[str, ...]) -> None:
            self.allow(file)
            self.ask(rest, why, done)

        self.asked.emit(CodeQuestion(file, why, (), take, lambda: self.ask(rest, why, done)))

    @property
    def offering(self) -> list[OwnFile]:
        """The files that are allowed and offer metrics or quantities, as last read."""
        return list(self._watched.values())

    @property
    def metrics(self) -> list[Metric]:
        """The metrics of the files that are allowed."""
        return [own.metric for own in offered_metrics()]

    @property
    def files(self) -> Executor:
        """The threads that look at files."""
        return self._workbench.files

    def parse(self, text: str, done: Callable[[Policy], None], failed: Callable[[Exception], None]) -> None:
        """Read the spelling of a policy that may name files in a thread: storage may be slow."""
        self._workbench.files.submit(("spelled", self), lambda _: parse_policy(text), done, failed)

    def _follow_study(self) -> None:
        """Look at the files while there are any."""
        # All are read again: what an undone edit brings back may be an earlier text.
        self._stamps, self._tried = {}, {}
        self._watch()

    def _watch(self) -> None:
        if not self._files():
            self._timer.stop()
        elif not self._timer.isActive():
            self._timer.start()

    def _files(self) -> dict[Path, OwnFile]:
        """The files of the runs, as their policies have them, and those that offer columns, by path."""
        own = [run.policy.own for run in self._workbench.study.runs]
        return self._watched | {code.file.path: code.file for code in own if code is not None}

    def _look(self) -> None:
        files, before, known = self._files(), self._before, dict(self._stamps)
        if files and not self._looks.busy:
            self._looks.submit("saved", lambda _: _looked(files, before, known), self._take, lambda _: None)

    def _take(self, look: _Look) -> None:
        """Simulate the runs of what was saved anew and offer its columns, or say why that cannot be."""
        self._before = look.stamps
        for path, read in look.read.items():
            self._stamps[path] = look.stamps[path]
            if isinstance(read, InputError):
                runs = self._runs(path)
                for run in runs:
                    self._workbench.fail_run(run.id, read)
                if not runs:  # it has metrics or quantities alone, which stay as they were
                    self._workbench.code_failed.emit(str(read))
            elif is_allowed(read.digest):
                self._renew(read)
            elif path.absolute() in self._trusted:
                self._check_writers(read)
            else:
                self._ask_again(read, "It was saved with another text.")

    def _check_writers(self, file: OwnFile) -> None:
        def judge(why: str) -> None:
            if why:
                self._ask_again(file, f"Its text is another one now, and somebody else can write it ({why}).")
            else:
                self.allow(file)
                self._renew(file)

        self._looks.submit(("writers", file.path), lambda _: others_can_change(file), judge, lambda _: None)

    def _ask_again(self, file: OwnFile, why: str) -> None:
        if file.digest in self._refused:
            return
        self._refused.add(file.digest)  # until it is answered, it is asked once

        def take(_: tuple[str, ...]) -> None:
            self._refused.discard(file.digest)
            self.allow(file)
            self._renew(file)

        self.asked.emit(CodeQuestion(file, why, (), take, lambda: None))

    def _runs(self, path: Path) -> list[Run]:
        """The runs of the code in this file."""
        runs = self._workbench.study.runs
        return [run for run in runs if run.policy.own is not None and run.policy.own.file.path == path]

    def _renew(self, file: OwnFile) -> None:
        """Simulate the runs of this file with its present text, each once, and offer what it has now."""
        self._offer(file)
        for run in self._runs(file.path):
            own, workbench = run.policy.own, self._workbench
            if own is None or self._tried.get(run.id) == file.digest:
                continue
            self._tried[run.id] = file.digest
            if own.file.digest == file.digest:
                live = workbench.live_run(run.id)
                # An error of this very text stays: the file is looked at after each change of the study, so
                # that the first look often comes when the run has failed already.
                if live is not None and live.error and live.failed_text != file.digest:
                    workbench.fail_run(run.id, None)  # what was wrong with another text
                continue
            try:
                workbench.explore(run.id, with_file(run.policy, own, file))
            except InputError as error:
                workbench.fail_run(run.id, error)


def _looked(
    files: Mapping[Path, OwnFile], before: Mapping[Path, Stamp], known: Mapping[Path, Stamp]
) -> _Look:
    """Look at files, in a thread. A file is read once two looks saw the same: its editor has written it."""
    stamps = {path: _stamp(file) for path, file in files.items()}
    read: dict[Path, OwnFile | InputError] = {}
    for path, stamp in stamps.items():
        if stamp == before.get(path) and stamp != known.get(path):
            try:
                read[path] = read_own_file(path)
            except InputError as error:
                read[path] = error
    return _Look(stamps, read)


def _stamp(file: OwnFile) -> Stamp:
    """The stamp of a file and of the modules beside it."""
    stamp = []
    for path in (file.path, *(module.path for module in file.modules)):
        try:
            about = path.stat()
        except OSError:
            stamp.append(_GONE)
        else:
            stamp.append((about.st_size, about.st_mtime_ns, about.st_ino))
    return tuple(stamp)
