"""Files that are dropped on a window, and what becomes of each."""

from __future__ import annotations

from functools import partial
from os.path import realpath  # where `Path.resolve` raises for circles of links
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.model.messages import spell_failure
from app.model.models import Models
from app.model.reading import Opened
from app.panels.add_schedule import add_schedule
from app.panels.add_site import add_site
from app.panels.study_runs import StudyRuns
from app.session.opener import Opener
from engine.machine.slurm_conf import is_slurm_conf
from engine.trace import Trace

_GLANCE_S = 20


class Drops(QObject):
    """Takes files that were dropped: logs and sessions, schedules of the open trace, studies, sites.

    `another_wanted` (path): of several logs all but the first want windows of their own.
    """

    another_wanted = Signal(object)

    def __init__(self, models: Models, studies: StudyRuns, opener: Opener, parent: QObject) -> None:
        super().__init__(parent)
        self._models, self._studies, self._opener = models, studies, opener
        self._sites: list[Path] = []  # of the log that is being opened
        self._log: Path | None = None  # that is open
        opener.shown.connect(self._opened)

    def take(self, paths: list[Path]) -> None:
        """Add what belongs to the open trace, and open what does not.

        Tables are schedules where all that are to be opened are schedules of the open trace, else logs.
        """
        sites = [path for path in paths if is_slurm_conf(path)]
        logs = [path for path in paths if path not in sites and not self._studies.takes(path)]
        study = self._models.workbench.study
        if study is not None and logs:
            self._look_at(logs, sites, study.trace)
        else:
            self._open(logs, sites)

    def _look_at(self, logs: list[Path], sites: list[Path], trace: Trace) -> None:
        """Read what may be a schedule of the open trace, in a thread; the log that is open is none."""
        from engine.audit.belonging import is_schedule_of, is_table_name

        log = realpath(self._log) if self._log is not None else ""
        if not all(is_table_name(path) and realpath(path) != log for path in logs):
            self._open(logs, sites)
            return

        def done(schedules: bool) -> None:
            study = self._models.workbench.study
            if schedules and study is not None and study.trace is trace:
                for path in logs:
                    self._add_schedule(path)
                self._add_sites(sites)
            else:
                self._open(logs, sites)

        def failed(error: Exception) -> None:
            text, details = spell_failure(error, f"{logs[0]}: cannot be read")
            self._models.messages.show_message(text, details)

        def look(_: object) -> bool:
            return all(is_schedule_of(path, trace) for path in logs)

        self._models.context.executor.submit(("dropped", *map(str, logs)), look, done, failed)

    def _add_schedule(self, path: Path) -> None:
        """Add a run, and say so to whom wanted the log that the file is as well."""
        models = self._models
        add_schedule(models, path)
        assert models.workbench.study is not None
        answers = {"Open it as a log": partial(self._open_instead, path, models.workbench.study.runs[-1].id)}
        text = f"{path.name} is a schedule of the open trace: it was added to the runs."
        models.messages.show_message(text, answers=answers, seconds=_GLANCE_S)

    def _open_instead(self, path: Path, run_id: int) -> None:
        self._models.workbench.remove_run(run_id)
        self._opener.open_path(path)

    def _open(self, logs: list[Path], sites: list[Path]) -> None:
        for path in logs[1:]:
            self.another_wanted.emit(path)
        if logs:
            self._sites = sites
            self._opener.open_path(logs[0])
        else:
            self._add_sites(sites)

    def _opened(self, opened: Opened) -> None:
        self._log = opened.path
        self._add_sites(self._sites)

    def _add_sites(self, sites: list[Path]) -> None:
        self._sites = []
        for path in sites:
            add_site(self._models, path)
