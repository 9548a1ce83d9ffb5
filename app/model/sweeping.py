"""A sweep of the trace that is open: carried out in a thread, told cell by cell as they come."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app.model.workbench import Workbench
from engine.errors import InputError
from engine.simulation.control import Control
from engine.sweep.grid import Grid

if TYPE_CHECKING:
    from engine.sweep.run import Cell

SWEEP = "sweep"
"""Under this key the workbench's executor knows the sweep."""

_LOOK_MS = 100  # between two looks at the progress of one that is under way


class Sweeping(QObject):
    """Runner of one sweep at a time.

    `began` (grid, which jobs are measured), `came` (index of the cell, summary of its metrics),
    `progressed` (share), `ended` (why, where it did not come to its end); `forgotten`: another trace is open.
    """

    began = Signal(object, str)
    came = Signal(int, object)
    progressed = Signal(float)
    ended = Signal(str)
    forgotten = Signal()
    _found = Signal(int, int, object)  # number of the sweep, index, Cell; sent by a pool thread

    def __init__(self, workbench: Workbench, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._number = 0
        self._timer = QTimer(self, interval=_LOOK_MS)
        self._timer.timeout.connect(self._look)
        self._found.connect(self._tell)
        workbench.opened.connect(lambda _: self._forget())

    def start(self, grid: Grid, metric: str = "") -> None:
        """Simulate the policies of the grid, with what the metric needs; a sweep that runs is cancelled."""
        study = self._workbench.study
        self._number += 1
        number, share, only = self._number, self._workbench.share, self._workbench.only

        def work(control: Control) -> list[Cell]:
            from engine.policy.share import parse_share
            from engine.sweep.run import sweep

            def tell(index: int, cell: Cell) -> None:
                with suppress(RuntimeError):  # the window was gone before its sweep had ended
                    self._found.emit(number, index, cell)

            expected = parse_share(share)
            return sweep(
                study.trace,
                study.cluster,
                grid.policies,
                expected,
                control=control,
                tell=tell,
                only=only,
                metrics=(metric,),
            )

        def failed(error: Exception) -> None:
            self._end(str(error) if isinstance(error, InputError) else f"The sweep failed: {error}")

        self.began.emit(grid, f"jobs with {only}" if only is not None else "")
        self._timer.start()
        self._workbench.executor.submit(SWEEP, work, lambda _: self._end(), failed)

    def cancel(self) -> None:
        """Stop; the cells that are done stay."""
        self._workbench.executor.cancel(SWEEP)
        self._end("Cancelled: the cells that were done are shown.")

    def _tell(self, number: int, index: int, cell: Cell) -> None:
        if number == self._number:
            self.came.emit(index, cell.summary)

    def _look(self) -> None:
        task = self._workbench.executor.task(SWEEP)
        if task is not None:
            self.progressed.emit(task.control.progress)

    def _forget(self) -> None:
        self._workbench.executor.cancel(SWEEP)
        self._number += 1
        self._timer.stop()
        self.forgotten.emit()

    def _end(self, why: str = "") -> None:
        self._timer.stop()
        self.ended.emit(why)
