"""Sweeps of the window: carried out by its executor, shown on their page as they come."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app.model.workbench import Workbench
from engine.errors import InputError
from engine.simulation.control import Control
from engine.sweep.grid import Grid
from views.sweep import SweepPage

if TYPE_CHECKING:
    from engine.sweep.run import Cell

SWEEP = "sweep"
"""Under this key the executor knows the sweep."""

_POLL_MS = 100


class Sweeping(QObject):
    """Between the page and the workbench: one sweep at a time, of the trace that is open."""

    _came = Signal(int, int, object)  # number of the sweep, place, Cell; sent by a pool thread

    def __init__(self, workbench: Workbench, page: SweepPage) -> None:
        super().__init__(page)
        self._workbench, self._page = workbench, page
        self._number = 0
        self._timer = QTimer(self, interval=_POLL_MS)
        self._timer.timeout.connect(self._poll)
        self._came.connect(self._show)
        page.sweep_wanted.connect(self._start)
        page.cancel_wanted.connect(self._cancel)
        page.run_wanted.connect(lambda policy: workbench.add_run(policy))
        workbench.opened.connect(lambda _: self._forget())

    def _start(self, grid: Grid) -> None:
        study = self._workbench.study
        if study is None:
            return
        self._number += 1
        number, share, only = self._number, self._workbench.share, self._workbench.only

        def work(control: Control) -> list[Cell]:
            from engine.fairness.shares import parse_share
            from engine.sweep.run import sweep

            def tell(place: int, cell: Cell) -> None:
                with suppress(RuntimeError):  # the window was gone before its sweep had ended
                    self._came.emit(number, place, cell)

            expected = parse_share(share)
            return sweep(
                study.trace, study.cluster, grid.policies, expected, control=control, tell=tell, only=only
            )

        def failed(error: Exception) -> None:
            self._end(str(error) if isinstance(error, InputError) else f"The sweep failed: {error}")

        self._page.begin(grid, f"jobs with {only}" if only is not None else "")
        self._timer.start()
        self._workbench.executor.submit(SWEEP, work, lambda _: self._end(), failed)

    def _show(self, number: int, place: int, cell: Cell) -> None:
        if number == self._number:
            self._page.show_cell(place, cell.summary)

    def _poll(self) -> None:
        task = self._workbench.executor.task(SWEEP)
        if task is not None:
            self._page.show_progress(task.control.progress)

    def _cancel(self) -> None:
        self._workbench.executor.cancel(SWEEP)
        self._end("Cancelled: the cells that were done are shown.")

    def _forget(self) -> None:
        self._workbench.executor.cancel(SWEEP)
        self._number += 1
        self._timer.stop()
        self._page.clear()

    def _end(self, why: str = "") -> None:
        self._timer.stop()
        self._page.end(why)
