"""A sweep of the trace that is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.model.results_runner import SWEEP, ResultsRunner
from engine.simulation.control import Control
from engine.sweep.grid import Grid
from views.data.sweep_cells import SweepResults

if TYPE_CHECKING:
    from engine.sweep.run import Cell


class SweepRunner(ResultsRunner[SweepResults]):
    """Runner of sweeps, which are of the jobs that the window measures."""

    key = SWEEP
    cancelled = "Cancelled: the cells that were done are shown."

    def start(self, grid: Grid, metric: str = "") -> None:
        """Simulate the policies of the grid, with what the metric needs; a sweep that runs is cancelled."""
        study, share, only = self._workbench.study, self._workbench.share, self._workbench.only
        came: dict[int, Cell] = {}
        self._came = came  # filled by the thread that sweeps
        self.results = SweepResults(grid, f"jobs with {only}" if only is not None else "")

        def work(control: Control) -> None:
            from engine.policy.share import parse_share
            from engine.sweep.run import sweep

            sweep(
                study.trace,
                study.cluster,
                grid.policies,
                parse_share(share),
                control=control,
                report=came.__setitem__,
                only=only,
                metrics=(metric,) if metric else (),
            )

        self._run(work)

    def _gather(self) -> SweepResults | None:
        if self.results is None or len(self._came) == len(self.results.summaries):
            return None
        summaries = {index: cell.summary for index, cell in list(self._came.items())}
        return SweepResults(self.results.grid, self.results.measured, summaries)
