"""The twin of a site on the trace that is open: its own Slurm, simulated on the log's jobs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.model.results_runner import TWIN, ResultsRunner
from engine.errors import InputError
from engine.simulation.control import Control
from views.data.twin_look import TwinLook

if TYPE_CHECKING:
    from engine.site.site import Site

_MOST_DIFFERING = 50


class TwinRunner(ResultsRunner[TwinLook]):
    """Runner of twins, on the whole trace and the site's machine."""

    key = TWIN
    cancelled = "Cancelled: what was simulated before is shown."
    site: Site | None = None  # of the twin that is shown
    _plain: TwinLook | None = None  # the twin before anything was fitted

    def start(self, path: Path) -> None:
        """Read the site of a `slurm.conf` or folder, simulate it, and compare."""
        trace = self._workbench.study.trace

        def work(control: Control) -> tuple[Site, TwinLook]:
            from engine.metrics.twin import twin_of
            from engine.policy.policy import site_policy
            from engine.simulation.run import simulate
            from engine.site.folder import read_site_at

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
            return site, TwinLook(str(site.path), schedule, found, cycle, site.left_out())

        def done(made: tuple[Site, TwinLook]) -> None:
            self.site, look = made
            self._plain = look
            self._show(look)

        self._run(work, done)

    def fit(self) -> None:
        """Fit the site to the first half of its log, and simulate it with what the log bears out."""
        plain, site = self._plain, self.site
        if plain is None or site is None:
            return

        def work(control: Control) -> TwinLook:
            from engine.metrics.fit import fit_lines, fit_site
            from engine.metrics.twin import twin_of
            from engine.policy.policy import site_policy
            from engine.simulation.run import simulate

            trace, cluster = plain.schedule.trace, plain.schedule.cluster
            fit = fit_site(site, plain.schedule)
            after = simulate(trace, cluster, site_policy(fit.site), control=control)
            found = twin_of(after, plain.cycle, most=_MOST_DIFFERING)
            if found is None:
                raise InputError(f"{trace.name}: no job ran both by the log and by {site.path}")
            return replace(
                plain, schedule=after, twin=found, fitted=tuple(fit_lines(fit, plain.schedule, after))
            )

        self._run(work, self._show)

    def start_over(self) -> None:
        """Show no twin of another trace."""
        self.site = self._plain = None
        super().start_over()

    def _gather(self) -> TwinLook | None:
        return None
