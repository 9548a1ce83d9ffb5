"""A study file on the open trace: its results are cached for the next time."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from platformdirs import user_cache_path
from PySide6.QtCore import QObject, Signal

from app.model.results_runner import STUDY, ResultsRunner
from app.model.settings import Settings
from app.model.workbench import Workbench
from engine.own.allowed_code import UnnamedCodeError
from engine.simulation.control import Control

if TYPE_CHECKING:
    from engine.sweep.row_cache import Row
    from engine.sweep.study_results import StudyResults

_KEPT_S = 90 * 86_400.0
"""Lifetime of runs of studies in the cache."""


class StudyRunner(ResultsRunner["StudyResults"]):
    """Runner of study files, on the whole trace and its machine."""

    key = STUDY
    unnamed = Signal(object, object, bool)  # code that a study names, its path, whether it was to be run
    cancelled = "Cancelled: the runs that were done are shown, and kept."

    def __init__(self, workbench: Workbench, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(workbench, parent)
        self._settings = settings
        self.path: Path | None = None  # of the study
        self._came: dict[int, Row] = {}  # filled by the thread that carries the study out
        self._shown = 0

    def choose(self, path: Path, run: bool = True) -> None:
        """Read a study and its cached results; then `run` the rest by default."""
        study = self._workbench.study

        def work(_: Control) -> StudyResults:
            from engine.sweep.carry_out import kept_rows
            from engine.sweep.study_file import read_study_file
            from engine.sweep.study_results import StudyResults

            # What is known already is shown at once; then only the rest is run.
            study_file = read_study_file(path)
            rows = kept_rows(study_file, study.trace, study.cluster, _folder(path), study.is_elsewhere)
            return StudyResults(study_file, tuple(rows.get(index) for index in range(len(study_file.runs))))

        def done(results: StudyResults) -> None:
            self.path = path
            self._show(results)
            if run and results.done < len(results.rows):
                self.start()
            else:
                self.ended.emit("")

        def failed(error: Exception) -> None:
            self._failed(error)
            # Code that nobody has named may not run: the window asks, and then chooses the study again.
            if isinstance(error, UnnamedCodeError):
                self.unnamed.emit(error.file, path, run)

        # The timer still shows rows of the study before, which must not appear under the new study.
        self._timer.stop()
        self._workbench.executor.submit(STUDY, work, done, failed)

    def start(self, doubtful: bool = False) -> None:
        """Run the parts of the chosen study that are not cached; failed runs are tried again.

        What-ifs of a site whose model misleads are run only if they are asked for (`doubtful`).
        """
        study, path, results = self._workbench.study, self.path, self.results
        if path is None or results is None:
            return
        # Filled by the thread row by row and read by the timer; a new dictionary, so that late rows of a
        # cancelled run reach nobody.
        came: dict[int, Row] = {}
        self._came = came
        self._shown = 0
        address = self._settings.scheduler

        def work(control: Control) -> None:
            from engine.sweep.beliefs import site_beliefs
            from engine.sweep.carry_out import RUNS, carry_out
            from engine.sweep.row_cache import forget_rows
            from engine.sweep.runners import runner_at

            folder = _folder(path)
            # Rows that were not used for long are deleted, otherwise the folder would grow with each change
            # of a log.
            forget_rows(folder / RUNS, time.time() - _KEPT_S)
            asked = study.is_elsewhere
            # How far the site's model is believed decides which what-ifs are run at all.
            beliefs = site_beliefs(
                results.study, study.trace, study.cluster, asked=asked, doubtful=doubtful, control=control
            )
            with runner_at(address) as runner:
                carry_out(
                    results.study,
                    study.trace,
                    study.cluster,
                    folder,
                    control=control,
                    came=came.__setitem__,
                    runner=runner,
                    asked=asked,
                    withheld=beliefs.withheld,
                )

        self._run(work)

    def start_over(self) -> None:
        """Show no study of another trace."""
        self.path = None
        super().start_over()

    def _gather(self) -> StudyResults | None:
        if self.results is None or len(self._came) == self._shown:
            return None
        self._shown = len(self._came)
        came = dict(self._came)
        return replace(self.results, rows=tuple(came.get(k, row) for k, row in enumerate(self.results.rows)))

    def _failed(self, error: Exception) -> None:
        if isinstance(error, OSError):
            folder = user_cache_path("batchscope")
            self._end(f"The results cannot be saved in {folder}: {error.strerror or error}")
        else:
            super()._failed(error)


def _folder(path: Path) -> Path:
    """The folder of the results of a study: each file is named after all its inputs."""
    return user_cache_path("batchscope") / "studies" / path.stem
