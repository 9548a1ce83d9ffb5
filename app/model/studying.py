"""A study file on the trace that is open: carried out in a thread, told as its runs end, and kept."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from platformdirs import user_cache_path
from PySide6.QtCore import QObject, QTimer, Signal

from app.model.settings import Settings
from app.model.workbench import Workbench
from engine.errors import InputError
from engine.simulation.control import Control

if TYPE_CHECKING:
    from engine.sweep.kept import Row
    from engine.sweep.points import StudyResults

STUDY = "study"
"""Under this key the workbench's executor knows the study."""

_LOOK_MS = 150  # between two looks at what has come

_KEPT_S = 90 * 86_400.0
"""Runs of studies are kept so long in the cache."""


class Studying(QObject):
    """Runner of one study file at a time, on the whole trace and its machine.

    `shown` (StudyResults): a study was read, or more of its runs have come. `progressed` (share, seconds left
    or None). `ended` (why, where it did not come to its end). `forgotten`: nothing is shown.
    """

    shown = Signal(object)
    progressed = Signal(float, object)
    ended = Signal(str)
    forgotten = Signal()

    def __init__(self, workbench: Workbench, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workbench, self._settings = workbench, settings
        self.path: Path | None = None  # of the study
        self.results: StudyResults | None = None
        self._came: dict[int, Row] = {}  # filled by the thread that carries the study out
        self._told = 0
        self._timer = QTimer(self, interval=_LOOK_MS)
        self._timer.timeout.connect(self._look)

    @property
    def running(self) -> bool:
        """Whether a study is being carried out, or read."""
        return self._workbench.executor.task(STUDY) is not None

    def choose(self, path: Path, run: bool = True) -> None:
        """Read a study and the results that are kept of it; then, unless told otherwise, `run` the rest."""
        study = self._workbench.study

        def work(_: Control) -> StudyResults:
            from engine.sweep.carry_out import kept_rows
            from engine.sweep.points import StudyResults
            from engine.sweep.study_file import read_study_file

            found = read_study_file(path)
            rows = kept_rows(found, study.trace, study.cluster, _folder(path))
            return StudyResults(found, tuple(rows.get(index) for index in range(len(found.runs))))

        def done(results: StudyResults) -> None:
            self.path = path
            self._show(results)
            if run and results.done < len(results.rows):
                self.start()
            else:
                self.ended.emit("")

        self._stop()
        self._workbench.executor.submit(STUDY, work, done, self._failed)

    def start(self) -> None:
        """Carry out what is not kept yet of the study that was chosen; a run that failed is tried again."""
        study, path, results = self._workbench.study, self.path, self.results
        if path is None or results is None:
            return
        came: dict[int, Row] = {}
        self._came = came
        self._told = 0
        address = self._settings.scheduler

        def work(control: Control) -> None:
            from engine.sweep.carry_out import RUNS, carry_out
            from engine.sweep.kept import forget_rows
            from engine.sweep.runners import runner_at

            folder = _folder(path)
            forget_rows(folder / RUNS, time.time() - _KEPT_S)
            with runner_at(address) as runner:
                carry_out(
                    results.study,
                    study.trace,
                    study.cluster,
                    folder,
                    control=control,
                    came=came.__setitem__,
                    runner=runner,
                )

        self._workbench.executor.submit(STUDY, work, lambda _: self._end(), self._failed)
        self._timer.start()
        self.progressed.emit(0.0, None)

    def cancel(self) -> None:
        """Stop; the runs that are done stay, and the next start goes on from there."""
        self._workbench.executor.cancel(STUDY)
        self._end("Cancelled: the runs that were done are shown, and kept.")

    def forget(self) -> None:
        """Show no study any more."""
        self._stop()
        self.path = self.results = None
        self.forgotten.emit()

    def _stop(self) -> None:
        self._timer.stop()
        self._workbench.executor.cancel(STUDY)

    def _look(self) -> None:
        """Tell what has come since the last look: all at once, however fast runs end."""
        task = self._workbench.executor.task(STUDY)
        if task is not None:
            self.progressed.emit(task.control.progress, task.remaining)
        if len(self._came) > self._told and self.results is not None:
            self._told = len(self._came)
            rows, came = self.results.rows, dict(self._came)
            self._show(
                type(self.results)(
                    self.results.study, tuple(came.get(index, row) for index, row in enumerate(rows))
                )
            )

    def _show(self, results: StudyResults) -> None:
        self.results = results
        self.shown.emit(results)

    def _end(self, why: str = "") -> None:
        self._timer.stop()
        self._look()
        self.ended.emit(why)

    def _failed(self, error: Exception) -> None:
        if isinstance(error, OSError):
            self._end(
                f"The results cannot be kept in {user_cache_path('batchscope')}: {error.strerror or error}"
            )
        else:
            self._end(str(error) if isinstance(error, InputError) else f"The study failed: {error}")


def _folder(path: Path) -> Path:
    """Where the results of a study are kept: each is named by all that it depends on."""
    return user_cache_path("batchscope") / "studies" / path.stem
