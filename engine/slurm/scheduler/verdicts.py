"""How far the runs of sites in a comparison are to be believed: what every surface says of it.

The first site of a comparison can be held against the record, as its files say and on its own machine. All
other runs of sites are what-ifs, changes of that site: they carry its verdict, since their own distance to
the record is the size of the change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.claims.claim import Claim, ClaimPlace, ClaimQuantity, NamedThing, Population, Unit
from engine.claims.phases import PhaseRelation
from engine.claims.words import TextSpan, line, plain, render
from engine.errors import InputError
from engine.policy.policy import site_policy
from engine.schedule.accuracy import TwinAccuracy, accuracy_of
from engine.schedule.schedule import Schedule
from engine.shown_text import escaped
from engine.simulation.control import Control
from engine.slurm.scheduler.phases import (
    PhasedChange,
    PhaseSpread,
    account_orders,
    change_between,
    phase_spread,
)
from engine.study import machine_of
from engine.trace import Trace
from engine.trace.scale import is_what_if

Mask = NDArray[np.bool_]

Spreads = Mapping[int, PhaseSpread]
"""The spread of each run of a site that is repeated in several phases, by its place."""

Accurate = Callable[[Schedule, PhaseSpread | None], TwinAccuracy | None]
"""Gives the accuracy of the site that a schedule is of, or a change of."""


class DoubtfulSiteError(InputError):
    """What-ifs of a site whose model misleads, for which nobody has asked in spite of that."""


@dataclass(frozen=True, eq=False)
class RunVerdict:
    """How far a run of a site is to be believed.

    `site` names the site that it is a change of, with that site's `accuracy` (None where the log gives no
    starts); `own` is True for the run of that site itself. `spread` has the run's waits over phases, if it
    was repeated.
    """

    site: str
    accuracy: TwinAccuracy | None
    own: bool
    spread: PhaseSpread | None

    @property
    def sentence(self) -> str:
        """The verdict, to follow the name of the run; empty where nothing is known."""
        return plain(self.spans)

    @property
    def spans(self) -> tuple[TextSpan, ...]:
        """The verdict with what its parts say."""
        if self.accuracy is None:
            return ()
        return self.accuracy.spans if self.own else (*self.of_site, TextSpan(": "), *self.accuracy.spans)

    @property
    def of_site(self) -> tuple[TextSpan, ...]:
        """Which site the run is a change of."""
        return render(self.what_if)

    @property
    def what_if(self) -> Claim:
        """The claim of `of_site`."""
        site = NamedThing("site", self.site, ClaimPlace("runs", 0))
        alone = Population(0, 0, 0) if self.accuracy is None else self.accuracy.population
        subject = replace(site, role="subject")
        return Claim(subject, PhaseRelation.WHAT_IF, (), (site,), alone, (site.place,))

    @property
    def brief(self) -> str:
        """A few words for the title of the run; empty where nothing is known."""
        if self.accuracy is None or not self.accuracy.brief:
            return ""
        return self.accuracy.brief if self.own else f"what-if; {self.accuracy.brief}"

    @property
    def doubt(self) -> str:
        """Why changes of the site cannot be believed; empty if they can."""
        return "" if self.doubted is None else plain(render(self.doubted))

    @property
    def doubted(self) -> Claim | None:
        """The claim of `doubt`."""
        if self.accuracy is None or not self.accuracy.misleading:
            return None
        return self.accuracy.doubt(f"the model of {self.site}")

    @property
    def hidden(self) -> str:
        """Why the run is shown only if asked for; empty for a run that is shown."""
        return "" if self.own else self.doubt


@dataclass(frozen=True, eq=False)
class SiteVerdicts:
    """The verdicts of runs that are compared, by their places: None for runs of other policies."""

    names: tuple[str, ...]
    schedules: tuple[Schedule, ...]
    runs: tuple[RunVerdict | None, ...]

    @property
    def reference(self) -> int | None:
        """The place of the first site, which the other sites are changes of; None without one."""
        return next((place for place, run in enumerate(self.runs) if run is not None), None)

    @property
    def verdict(self) -> str:
        """The sentence on the first site, after its name; empty where nothing is known."""
        run = None if self.reference is None else self.runs[self.reference]
        return "" if run is None or run.accuracy is None else f"{run.site}: {run.accuracy.verdict}"

    @property
    def doubt(self) -> str:
        """Why changes of the first site cannot be believed; empty if they can, or without a site."""
        return "" if self.doubted is None else plain(render(self.doubted))

    @property
    def doubted(self) -> Claim | None:
        """The claim of `doubt`."""
        run = None if self.reference is None else self.runs[self.reference]
        return None if run is None else run.doubted

    @property
    def sentences(self) -> list[str]:
        """The text of `told`."""
        return [plain(spans) for spans in self.told]

    @property
    def told(self) -> list[tuple[TextSpan, ...]]:
        """How far each run of a site is to be believed, after its name; nothing is said twice."""
        told, sites = list[tuple[TextSpan, ...]](), set[str]()
        for place, (name, run) in enumerate(zip(self.names, self.runs, strict=True)):
            if run is None or run.accuracy is None or (run.own and run.site in sites):
                continue
            head = TextSpan(name, NamedThing("subject", name, ClaimPlace("runs", place)))
            told.append((head, TextSpan(": "), *(run.of_site if run.site in sites else run.spans)))
            sites.add(run.site)
        return told

    @property
    def hidden(self) -> dict[int, str]:
        """The places of the runs that are shown only if asked for, and why."""
        return {place: run.hidden for place, run in enumerate(self.runs) if run is not None and run.hidden}

    def only(self, places: Iterable[int]) -> SiteVerdicts:
        """The verdicts of some of the runs, in this order."""
        chosen = tuple(places)
        return SiteVerdicts(
            tuple(self.names[place] for place in chosen),
            tuple(self.schedules[place] for place in chosen),
            tuple(self.runs[place] for place in chosen),
        )

    def change(self, first: int, second: int, jobs: Mask) -> PhasedChange | None:
        """The change of the mean wait of some jobs, (n,), between two runs; None where neither is repeated,
        or these jobs did not wait in the first.
        """
        spreads = self._spread(first), self._spread(second)
        return change_between(self.schedules[first], self.schedules[second], spreads, jobs)

    def change_line(self, first: int, second: int, jobs: Mask) -> str:
        """The change of the mean wait of some jobs, (n,), in words, after the names of both runs; empty where
        `change` gives none.
        """
        claim = self.change_claim(first, second, jobs)
        return "" if claim is None else plain(line([claim]))

    def change_claim(self, first: int, second: int, jobs: Mask) -> Claim | None:
        """What `change` gives, as a claim on both runs."""
        change = self.change(first, second, jobs)
        if change is None:
            return None
        relation = PhaseRelation.CHANGED_BY_CHANCE if change.by_chance else PhaseRelation.CHANGED
        names = f"{self.names[second]} against {self.names[first]}"
        return self._claim(second, names, relation, change.quantities, jobs & self._ran(first))

    def lines(self, jobs: Mask) -> list[str]:
        """What phases make of the mean waits of `jobs`, (n,), and of changes from the first site."""
        return [plain(line([claim])) for claim in self.claims(jobs)]

    def line(self, place: int, jobs: Mask) -> str:
        """The text of `claim`; empty where nothing is known."""
        claim = self.claim(place, jobs)
        return "" if claim is None else plain(line([claim]))

    def claims(self, jobs: Mask) -> tuple[Claim, ...]:
        """The claim on each run of a site of which something is known."""
        claims = (self.claim(place, jobs) for place in range(len(self.runs)))
        return tuple(claim for claim in claims if claim is not None)

    def claim(self, place: int, jobs: Mask) -> Claim | None:
        """The spread of the mean wait of `jobs`, (n,), of the first site, or the change from it to another
        run of a site; None where nothing is known.
        """
        # Without the spread of the first site over phases nothing can be said of a difference.
        first = self.reference
        spread = None if first is None else self._spread(first)
        if first is None or spread is None or self.runs[place] is None:
            return None
        if place != first:
            return self.change_claim(first, place, jobs)
        means = spread.mean_waits(jobs)
        quantities = (
            ClaimQuantity("low", float(means.min()), Unit.SECONDS),
            ClaimQuantity("high", float(means.max()), Unit.SECONDS),
            ClaimQuantity("phases", len(means), Unit.PHASES),
        )
        return self._claim(place, self.names[place], PhaseRelation.SPREAD, quantities, jobs)

    def _claim(
        self, place: int, name: str, relation: PhaseRelation, quantities: Sequence[ClaimQuantity], jobs: Mask
    ) -> Claim:
        """A claim on those of `jobs`, (n,), that ran in all phases of the run at a place."""
        there = jobs & self._ran(place)
        submit = self.schedules[place].submit[there]
        span = (int(submit.min()), int(submit.max())) if len(submit) else (0, 0)
        subject = NamedThing("subject", name, ClaimPlace("runs", place))
        people = Population(len(submit), *span)
        return Claim(subject, relation, tuple(quantities), (), people, (subject.place,))

    def _ran(self, place: int) -> Mask:
        """The jobs that ran in all phases of a run, (n,)."""
        spread = self._spread(place)
        return self.schedules[place].ran if spread is None else spread.ran

    def facts(
        self, place: int, jobs: Mask, ranges: Mapping[str, Sequence[float]] | None = None
    ) -> dict[str, object]:
        """What is said of a run, for programs: the mean waits over phases, s, and the verdict.

        `ranges` are the least and the largest of each metric over these phases, where they are known. Both
        are None for runs of other policies, `phases` also where it is not repeated, and `verdict` where the
        log gives no starts.
        """
        run, spread = self.runs[place], self._spread(place)
        phases: dict[str, object] | None = None
        if spread is not None:
            phases = {"count": len(spread), "wait_mean": spread.mean_waits(jobs).tolist()}
            if ranges:
                phases["metrics"] = {name: list(bounds) for name, bounds in ranges.items()}
        return {"phases": phases, "verdict": None if run is None else run.sentence or None}

    def _spread(self, place: int) -> PhaseSpread | None:
        run = self.runs[place]
        return None if run is None else run.spread


def phase_spreads(schedules: Sequence[Schedule], control: Control | None = None) -> Spreads:
    """Repeat the runs of sites in further phases of slurmctld's loops. Raises Cancelled."""
    spreads = {place: phase_spread(schedule, control) for place, schedule in enumerate(schedules)}
    return {place: spread for place, spread in spreads.items() if spread is not None}


def site_accuracy(
    schedule: Schedule,
    spread: PhaseSpread | None = None,
    log: Trace | None = None,
    control: Control | None = None,
) -> TwinAccuracy | None:
    """The accuracy of the site that a schedule is of; None for other policies, and logs without starts.

    The site is simulated once more where the schedule is a what-if: of changed options, of another machine
    than the site's, of a workload of its own, or of other jobs than those of the `log`, if that is given.
    `spread` is that of the schedule. Raises Cancelled.
    """
    site = schedule.policy.site
    trace = schedule.trace.as_logged if log is None else log
    if site is None or not trace.has_recorded_schedule:
        return None
    if trace is not schedule.trace or _is_another_site(schedule):
        from engine.simulation.run import simulate

        policy = site_policy(site.unchanged)
        machine = machine_of(policy, trace.cluster)
        schedule, spread = simulate(trace, machine, policy, control=control), None
    accuracy = accuracy_of(schedule)
    if accuracy is None or not accuracy.misleading:
        return accuracy
    # Phases may explain an order of accounts that is not the real one.
    spread = phase_spread(schedule, control) if spread is None else spread
    return accuracy if spread is None else replace(accuracy, orders=account_orders(schedule, spread))


def site_verdicts(
    names: Sequence[str],
    schedules: Sequence[Schedule],
    spreads: Spreads,
    accurate: Accurate = site_accuracy,
) -> SiteVerdicts:
    """The verdicts of compared runs of a log; `accurate` is asked for the first site alone.

    Raises what `accurate` does.
    """
    first = next((place for place, each in enumerate(schedules) if each.policy.site is not None), None)
    runs: list[RunVerdict | None] = [None] * len(schedules)
    if first is not None and (site := schedules[first].policy.site) is not None:
        accuracy = accurate(schedules[first], spreads.get(first))
        own = not is_change(schedules[first])
        name = names[first] if own else escaped(site.unchanged.spelling)
        for place, schedule in enumerate(schedules):
            if (other := schedule.policy.site) is not None:
                # The site as its files say may also stand behind a change of it.
                itself = other.unchanged.spelling == site.unchanged.spelling and not is_change(schedule)
                runs[place] = RunVerdict(name, accuracy, itself, spreads.get(place))
    return SiteVerdicts(tuple(names), tuple(schedules), tuple(runs))


def is_change(schedule: Schedule) -> bool:
    """True if a site's schedule is a what-if: of other options than its files have, of another machine than
    that of its files, or of other jobs than those of the log.
    """
    return _is_another_site(schedule) or (schedule.policy.site is not None and is_what_if(schedule.trace))


def _is_another_site(schedule: Schedule) -> bool:
    """True if a site's schedule is of other options, or of another machine, than its files have."""
    site = schedule.policy.site
    if site is None:
        return False
    machine = machine_of(site_policy(site.unchanged), schedule.trace.cluster)
    return bool(site.changes) or schedule.cluster != machine
