"""The question `twin`: a site's own Slurm simulated on its log, beside what the log recorded."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property

from engine.claims.words import plain
from engine.errors import InputError
from engine.metrics.fit import SiteFit, fit_lines, fit_site, fit_verdict, off_on
from engine.metrics.twin import Twin, twin_of
from engine.metrics.twin_words import twin_spans
from engine.policy.policy import site_policy
from engine.reading.log import Log
from engine.run_source import schedule_of
from engine.schedule.schedule import Schedule
from engine.simulation.control import Control
from engine.slurm.site.left_out import jobs_touched, lines_left_out, parts_left_out
from engine.slurm.site.site import Site
from engine.trace import Trace

MOST_DIFFERING = 50
"""The jobs that are listed as those that differ most."""


@dataclass(frozen=True, eq=False)
class SiteTwin:
    """A site's schedule and the recorded one: everything that is shown of them.

    `doubt` says on which machine it runs where that is not the one of the site's files. Of a site that was
    fitted to its log, `plain` is the twin of the files alone, and `fit` what was estimated.
    """

    site: Site
    schedule: Schedule
    twin: Twin
    doubt: str = ""
    plain: SiteTwin | None = None
    fit: SiteFit | None = None

    @property
    def trace(self) -> Trace:
        """The log as it was read for the site's machine."""
        return self.schedule.trace

    @property
    def cycle(self) -> int:
        """The time between two cycles of the site's backfiller, s."""
        return self.site.rules(1).bf_interval

    @cached_property
    def nearness(self) -> str:
        """How near starts, makespan, use and the order of accounts come to the log's, as a sentence."""
        return plain(twin_spans(self.schedule, self.twin, self.cycle))

    def __repr__(self) -> str:
        return f"<twin of {self.trace.name}: {self.nearness}>"

    @cached_property
    def left_out(self) -> tuple[str, ...]:
        """What of the site's files is not simulated, in words."""
        return tuple(lines_left_out(self.site, self.trace))

    @cached_property
    def fit_verdict(self) -> str:
        """How near the jobs come that the fit did not use; empty where nothing was fitted."""
        if self.fit is None or self.plain is None:
            return ""
        return fit_verdict(self.fit, self.plain.schedule, self.schedule)

    @property
    def spelling(self) -> str:
        """The site as a policy, with what was fitted."""
        return site_policy(self.site).absolute.spelling

    def fit_lines(self) -> list[str]:
        """The estimates and how near they bring the rest of the log, in words, a line each."""
        return [] if self.fit is None else [*fit_lines(self.fit), self.fit_verdict]

    def facts(self) -> dict[str, object]:
        """The comparison for programs; times in s, shares from 0 to 1.

        Of a fitted site it is that of the files alone, with the fit beside it.
        """
        # With a fit, the comparison that nobody adjusted comes first, so that both can be told apart.
        if self.plain is not None:
            return {**self.plain.facts(), **self._facts_of_fit()}
        trace, twin = self.trace, self.twin
        parts = parts_left_out(self.site, trace)
        settings = [{"text": part.text, "jobs": jobs_touched(part, trace)} for part in parts]
        return {
            "trace": trace.name,
            "site": str(self.site.path),
            "machine": self.schedule.cluster.spelling,
            "verdict": twin.verdict,
            "cycle": self.cycle,
            "all": asdict(twin.whole),
            "groups": [asdict(group) for group in twin.groups],
            "wait_correlation": twin.correlation,
            "start_difference": twin.start_difference,
            "makespan": {"recorded": twin.makespan[0], "simulated": twin.makespan[1]},
            "utilization": {"recorded": twin.utilization[0], "simulated": twin.utilization[1]},
            "accounts_in_order": twin.order_kept,
            "differing": [{**asdict(job), "job": trace.job_id[job.job]} for job in twin.differing],
            "not_modelled": {"jobs": dict(twin.unlike), "settings": settings},
        }

    def _facts_of_fit(self) -> dict[str, object]:
        if self.fit is None or self.plain is None:
            return {}
        (before, jobs), (after, _) = (off_on(each.schedule, self.fit.split) for each in (self.plain, self))
        return {
            "fit": {
                "split": self.fit.split,
                "policy": self.spelling,
                "estimates": [asdict(estimate) for estimate in self.fit.estimates],
                "held_out": {"jobs": jobs, "off": before, "off_fitted": after},
            }
        }


def twin_on(log: Log, site: Site, control: Control | None = None) -> SiteTwin:
    """The twin of a site on a log, which is read for the site's machine unless another was asked for.

    Raises Cancelled, and InputError where the log gives no starts.
    """
    policy = site_policy(site)
    log = log.on_site_machine([policy])
    if not log.trace.has_recorded_schedule:
        raise InputError(
            f"{log.trace.name}: the log does not say when its jobs started: nothing can be compared"
        )
    schedule = schedule_of(log.trace, log.machine(policy), policy, log=True, control=control)
    return SiteTwin(site, schedule, _compared(site, schedule), log.doubt_of_machine(policy))


def fitted_twin(plain: SiteTwin, fit: SiteFit | None = None, control: Control | None = None) -> SiteTwin:
    """The twin with what is accepted of a fit: without one, of what the log's first half says of the site.

    Raises Cancelled, and InputError.
    """
    fit = fit_site(plain.site, plain.schedule) if fit is None else fit
    if fit.site == plain.site:
        return SiteTwin(plain.site, plain.schedule, plain.twin, plain.doubt, plain, fit)
    before = plain.schedule
    schedule = schedule_of(before.trace, before.cluster, site_policy(fit.site), log=True, control=control)
    return SiteTwin(fit.site, schedule, _compared(fit.site, schedule), plain.doubt, plain, fit)


def _compared(site: Site, schedule: Schedule) -> Twin:
    twin = twin_of(schedule, site.rules(1).bf_interval, MOST_DIFFERING)
    if twin is None:
        raise InputError(f"{schedule.trace.name}: no job ran both by the log and by {site.path}")
    return twin
