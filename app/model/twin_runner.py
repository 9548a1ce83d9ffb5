"""The twin of a site on the trace that is open: its own Slurm, simulated on the log's jobs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.model.results_runner import TWIN, ResultsRunner
from app.model.workbench import Workbench
from engine.simulation.control import Control
from views.data.twin_look import TwinLook

if TYPE_CHECKING:
    from engine.metrics.fit import SiteFit
    from engine.metrics.site_twin import SiteTwin
    from engine.slurm.site.site import Site


class TwinRunner(ResultsRunner[TwinLook]):
    """Runner of twins, on the whole trace and the site's machine."""

    key = TWIN
    cancelled = "Cancelled: what was simulated before is shown."

    def __init__(self, workbench: Workbench, parent: QObject | None = None) -> None:
        super().__init__(workbench, parent)
        self._whole: TwinLook | None = None  # the twin that was simulated last

    @property
    def site(self) -> Site | None:
        """The site whose twin is shown, with what was accepted of a fit."""
        return self._whole.answer.site if self._whole is not None else None

    def start(self, path: Path) -> None:
        """Read the site of a `slurm.conf` or folder, simulate it, and compare."""
        log = self._workbench.open_study.log

        def work(control: Control) -> TwinLook:
            from engine import api

            return TwinLook(api.twin(log, path, control=control))

        self._run(work, self._take)

    def fit(self) -> None:
        """Fit the site to the first half of its log, and simulate it with what the log bears out."""
        if self._whole is not None:
            self._run_fitted(self._whole.answer, None)

    def accept(self, accepted: Sequence[bool]) -> None:
        """Simulate the site with these of its estimates, in their order."""
        whole = self._whole
        if whole is None or whole.fit is None:
            return
        fit = whole.fit.accepting(accepted)
        self.results = replace(whole, ticked=fit)
        self._run_fitted(whole.answer, fit)

    def _run_fitted(self, answer: SiteTwin, fit: SiteFit | None) -> None:
        def work(control: Control) -> TwinLook:
            from engine.metrics.site_twin import fitted_twin

            return TwinLook(fitted_twin(answer.plain or answer, fit, control))

        self._run(work, self._take)

    def start_over(self) -> None:
        """Show no twin of another trace."""
        self._whole = None
        super().start_over()

    def _take(self, look: TwinLook) -> None:
        self._whole = look
        self._show(look)

    def _end(self, why: str = "") -> None:
        """End; where that is too early the ticks are again those of the schedule that is shown."""
        if why and self._whole is not None:
            self._show(self._whole)
        super()._end(why)

    def _gather(self) -> TwinLook | None:
        return None
