"""Files that are dropped on a window, and what becomes of each."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.model.file_kinds import FileKind, KnownFile, known_files
from app.model.messages import describe_failure
from app.model.models import Models
from app.model.reading import Opened
from app.panels.sources.add_schedule import add_schedule
from app.panels.sources.add_site import add_sites
from app.panels.sources.study_runs import StudyRuns
from app.session.opener import Opener
from engine.trace import Trace

_GLANCE_S = 20


class Drops(QObject):
    """Takes files that were dropped: logs and sessions, schedules of the open trace, studies, sites, queues,
    own code.

    `another_wanted` (path): of several logs all but one want windows of their own.
    """

    another_wanted = Signal(object)

    def __init__(self, models: Models, studies: StudyRuns, opener: Opener, parent: QObject) -> None:
        super().__init__(parent)
        self._models, self._studies, self._opener = models, studies, opener
        self._sites: list[Path] = []  # that came with the log that is being opened,
        self._tables: list[Path] = []  # which may be schedules of it
        self._log = ""  # that is open, its path without links
        models.workbench.log_opening.began.connect(self._forget_waiting)
        opener.shown.connect(self._opened)

    def take(self, paths: list[Path]) -> None:
        """Add what belongs to the open trace, and open what does not, when a thread has looked at it all.

        Tables are schedules where all that are to be opened are schedules of the open trace, else logs.
        Beside another log they are schedules of that, or logs of their own.
        """
        if paths:
            look = partial(known_files, paths)
            self._models.workbench.log_opening.look(paths[0].name, look, self._take_known)

    def _take_known(self, files: tuple[KnownFile, ...]) -> None:
        from engine.audit.belonging import is_table_name

        sites = [file.path for file in files if file.kind is FileKind.SITE]
        queue = next((file.path for file in files if file.kind is FileKind.QUEUE), None)
        if queue is not None:
            self._opener.queue_chosen.emit(queue, sites[0] if sites else None)
            return
        for file in files:
            if file.kind is FileKind.STUDY:
                self._studies.run(file.path)
            elif file.kind is FileKind.CODE:
                self._opener.code_chosen.emit(file.path)
        logs = [file for file in files if file.kind in (FileKind.LOG, FileKind.SESSION)]

        def offer(schedules: list[Path]) -> None:
            if schedules == [log.path for log in logs]:
                for path in schedules:
                    self._add_schedule(path)
                self._add_sites(sites)
            else:
                self._open(logs, sites)

        # The log that is open is no schedule of itself.
        tables = bool(logs) and all(is_table_name(log.path) and log.real != self._log for log in logs)
        if tables and self._models.workbench.is_open:
            trace = self._models.workbench.study.trace
            self._find_schedules([log.path for log in logs], trace, offer)
        else:
            self._open(logs, sites)

    def _find_schedules(self, paths: list[Path], trace: Trace, report: Callable[[list[Path]], None]) -> None:
        """Tell which files are schedules of the trace, which are read in a thread; none if it was left."""
        from engine.audit.belonging import is_schedule_of

        def done(schedules: list[Path]) -> None:
            # Another trace may be open by now: the files were compared with the old trace.
            report(schedules if self._models.workbench.study.trace is trace else [])

        def failed(error: Exception) -> None:
            text, details = describe_failure(error, f"{paths[0]}: cannot be read")
            self._models.messages.show_message(text, details)

        def look(_: object) -> list[Path]:
            return [path for path in paths if is_schedule_of(path, trace)]

        self._models.workbench.files.submit(("dropped", *map(str, paths)), look, done, failed)

    def _add_schedule(self, path: Path) -> None:
        """Add a run, and say so to whom wanted the log that the file is as well."""
        models = self._models
        add_schedule(models, path)
        answers = {"Open it as a log": partial(self._open_instead, path, models.workbench.study.runs[-1].id)}
        text = f"{path.name} is a schedule of the open trace: it was added to the runs."
        models.messages.show_message(text, answers=answers, seconds=_GLANCE_S)

    def _open_instead(self, path: Path, run_id: int) -> None:
        self._models.workbench.remove_run(run_id)
        self._opener.open_path(path)

    def _open(self, logs: list[KnownFile], sites: list[Path]) -> None:
        """Open the first log that is no table, for which tables wait, or else the first table."""
        from engine.audit.belonging import is_table_name

        if not logs:
            self._add_sites(sites)
            return
        first = next((log for log in logs if not is_table_name(log.path)), logs[0])
        waiting = [] if is_table_name(first.path) else [log.path for log in logs if is_table_name(log.path)]
        for log in logs:
            if log is not first and log.path not in waiting:
                self.another_wanted.emit(log.path)
        self._opener.open_known(first)
        self._sites, self._tables = sites, waiting  # opening drops those of the previous log

    def _forget_waiting(self) -> None:
        self._sites, self._tables = [], []

    def _opened(self, opened: Opened) -> None:
        self._log = opened.source.path
        # The lists are emptied first: what is added may open something in its turn.
        sites, tables = self._sites, self._tables
        self._forget_waiting()
        self._add_sites(sites)

        def offer(schedules: list[Path]) -> None:
            for path in tables:
                # A table that is no schedule of this log is a log of its own.
                if path in schedules:
                    self._add_schedule(path)
                else:
                    self.another_wanted.emit(path)

        if tables:
            self._find_schedules(tables, opened.study.trace, offer)

    def _add_sites(self, sites: list[Path]) -> None:
        if sites:
            add_sites(self._models, self._opener, *sites)
