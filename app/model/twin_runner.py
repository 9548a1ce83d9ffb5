"""The twin of a site on the trace that is open: its own Slurm, simulated on the log's jobs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.model.results_runner import TWIN, ResultsRunner
from app.model.workbench import Workbench
from engine.errors import InputError
from engine.simulation.control import Control
from views.data.twin_look import TwinLook

if TYPE_CHECKING:
    from engine.metrics.fit import Fit
    from engine.slurm.site.site import Site

_MOST_DIFFERING = 50


class TwinRunner(ResultsRunner[TwinLook]):
    """Runner of twins, on the whole trace and the site's machine."""

    key = TWIN
    cancelled = "Cancelled: what was simulated before is shown."

    def __init__(self, workbench: Workbench, parent: QObject | None = None) -> None:
        super().__init__(workbench, parent)
        self._read: Site | None = None  # of the files
        self._plain: TwinLook | None = None  # the twin before anything was fitted
        self._whole: TwinLook | None = None  # the twin that was simulated last

    @property
    def site(self) -> Site | None:
        """The site whose twin is shown, with what was accepted of a fit."""
        fit = self._whole.fit if self._whole is not None else None
        return self._read if fit is None else fit.site

    def start(self, path: Path) -> None:
        """Read the site of a `slurm.conf` or folder, simulate it, and compare."""
        trace = self._workbench.study.trace

        def work(control: Control) -> tuple[Site, TwinLook]:
            from engine.metrics.twin import twin_of
            from engine.policy.policy import site_policy
            from engine.simulation.run import simulate
            from engine.slurm.site.folder import read_site_at
            from engine.slurm.site.left_out import lines_left_out

            if not trace.has_recorded_schedule:
                raise InputError(
                    f"{trace.name}: the log does not say when its jobs started, so nothing can be compared"
                )
            site = read_site_at(path)
            cycle = site.rules(1).bf_interval
            schedule = simulate(trace, site.conf.machine, site_policy(site), control=control)
            found = twin_of(schedule, cycle, most=_MOST_DIFFERING)
            if found is None:
                raise InputError(f"{trace.name}: no job ran both by the log and by {site.path}")
            return site, TwinLook(str(site.path), schedule, found, cycle, lines_left_out(site, trace))

        def done(made: tuple[Site, TwinLook]) -> None:
            self._read, look = made
            self._plain = look
            self._take(look)

        self._run(work, done)

    def fit(self) -> None:
        """Fit the site to the first half of its log, and simulate it with what the log bears out."""
        plain, site = self._plain, self._read
        if plain is None or site is None:
            return

        def work(control: Control) -> TwinLook:
            from engine.metrics.fit import fit_site

            return _with_fit(plain, fit_site(site, plain.schedule), control)

        self._run(work, self._take)

    def accept(self, accepted: Sequence[bool]) -> None:
        """Simulate the site with these of its estimates, in their order."""
        plain, whole = self._plain, self._whole
        if plain is None or whole is None or whole.fit is None:
            return
        fit = whole.fit.accepting(accepted)
        self.results = replace(whole, fit=fit, fit_verdict="")
        self._run(lambda control: _with_fit(plain, fit, control), self._take)

    def start_over(self) -> None:
        """Show no twin of another trace."""
        self._read = self._plain = self._whole = None
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


def _with_fit(plain: TwinLook, fit: Fit, control: Control) -> TwinLook:
    """The twin with what is accepted of a fit. Raises Cancelled and InputError."""
    from engine.metrics.fit import fit_verdict
    from engine.metrics.twin import twin_of
    from engine.policy.policy import site_policy
    from engine.simulation.run import simulate

    trace, cluster = plain.schedule.trace, plain.schedule.cluster
    after = plain.schedule
    if fit.site != fit.plain:
        after = simulate(trace, cluster, site_policy(fit.site), control=control)
    found = twin_of(after, plain.cycle, most=_MOST_DIFFERING)
    if found is None:
        raise InputError(f"{trace.name}: no job ran both by the log and by {fit.plain.path}")
    return replace(
        plain, schedule=after, twin=found, fit=fit, fit_verdict=fit_verdict(fit, plain.schedule, after)
    )
