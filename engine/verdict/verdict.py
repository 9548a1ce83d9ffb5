"""Verdicts: of each run who was hurt most, by what, and which other run would help."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.answer.inferred_reasons import names_reasons
from engine.claims.advice import LEAST_HELP
from engine.claims.claim import Claim, ClaimPlace, ClaimQuantity, NamedThing, Population, Relation, Sure, Unit
from engine.fairness.violations import Violations
from engine.metrics.evaluation import Evaluation
from engine.metrics.hours import months
from engine.policy.policy import Policy
from engine.schedule.schedule import Decision, Schedule
from engine.schedule.wait_pieces import NO_REASON, keeps_reasons, wait_pieces
from engine.trace import Names
from engine.verdict.lateness import late_jobs, late_users, lateness_of_users

Mask = NDArray[np.bool_]
Ints = NDArray[np.int64]

CAUSES = {
    Decision.CPUS: Relation.WAITS_FOR_PROCESSORS,
    Decision.RAM: Relation.WAITS_FOR_RAM,
    Decision.FRAGMENTED: Relation.WAITS_FOR_PLACE,
    Decision.RESERVATION: Relation.WAITS_FOR_RESERVATIONS,
    Decision.LIMIT: Relation.WAITS_FOR_LIMITS,
    Decision.BEHIND: Relation.WAITS_BEHIND,
    Decision.STOPPED: Relation.WAITS_RUN_AGAIN,
    Decision.PREEMPTED: Relation.WAITS_RUN_AGAIN,
    Decision.UNTOLD: Relation.WAITS_UNTOLD,
    Decision.UNTRIED: Relation.WAITS_UNTRIED,
    Decision.PRIORITY: Relation.WAITS_BEHIND,
    Decision.RESOURCE: Relation.WAITS_FOR_RESOURCES,
    Decision.POWER: Relation.WAITS_FOR_POWER,
    Decision.PRICE: Relation.WAITS_FOR_PRICE,
    Decision.NODES: Relation.WAITS_FOR_NODES,
    Decision.CLEANING: Relation.WAITS_FOR_NODES,
    Decision.CLOSED: Relation.WAITS_BESIDE_SITE_RESERVATIONS,
    Decision.OUTSIDE: Relation.WAITS_BESIDE_SITE_RESERVATIONS,
    Decision.SITE_LIMIT: Relation.WAITS_FOR_LIMITS,
    Decision.DEPENDENCY: Relation.WAITS_NOT_ELIGIBLE,
    Decision.BEGIN: Relation.WAITS_NOT_ELIGIBLE,
    Decision.HELD: Relation.WAITS_NOT_ELIGIBLE,
    NO_REASON: Relation.WAITS_FOR_PASS,
}
"""What is claimed of waiting for each kind of reason."""


@dataclass(frozen=True)
class WaitCause:
    """What waiting of a run is for: its share of all waiting, in %, and the job that waits most for it."""

    relation: Relation
    share: float
    job: int


@dataclass(frozen=True, eq=False)
class JudgedRun:
    """A run as claims see it: judged by expected ends, and measured on the jobs of all compared runs."""

    name: str
    evaluation: Evaluation

    @property
    def schedule(self) -> Schedule:
        """Its schedule."""
        return self.evaluation.schedule

    @property
    def violations(self) -> Violations:
        """The expected ends of its jobs, and how late they are."""
        return self.evaluation.violations

    @property
    def jobs(self) -> Mask:
        """The measured jobs, shape (n,), the same in all runs that are compared."""
        return self.evaluation.jobs

    @cached_property
    def lateness(self) -> Ints:
        """The time by which jobs of each user end late, in all, s, shape (users,)."""
        return lateness_of_users(self.schedule, self.violations, self.jobs)

    @cached_property
    def causes(self) -> tuple[WaitCause, ...]:
        """What the measured jobs wait for, the largest share first; empty if none waits. The run needs its
        reasons.
        """
        pieces = wait_pieces(self.schedule)
        there = self.jobs[pieces.job]
        seconds, job = pieces.seconds[there], pieces.job[there]
        kinds, kind = np.unique(pieces.kind[there], return_inverse=True)
        # Several kinds of reasons are the same to who reads a sentence: it is about all of these together.
        relations = [cause_of(self.schedule, int(each)) for each in kinds]
        shares = []
        for relation in dict.fromkeys(relations):
            own = np.array([each is relation for each in relations])[kind]
            longest = int(np.bincount(job[own], seconds[own]).argmax())
            share = 100.0 * float(seconds[own].sum()) / float(seconds.sum())
            shares.append(WaitCause(relation, share, longest))
        return tuple(sorted(shares, key=lambda cause: -cause.share))

    @property
    def users(self) -> int:
        """The number of users with measured jobs."""
        return int(np.count_nonzero(np.bincount(self.schedule.trace.user.codes[self.jobs])))

    @property
    def total(self) -> int:
        """The lateness of all users, s."""
        return int(self.lateness.sum())


def judged_runs(
    names: Sequence[str], evaluations: Sequence[Evaluation], known: Sequence[JudgedRun] = ()
) -> list[JudgedRun]:
    """Runs with the names that people read, evaluated together.

    Of `known` runs those with the same evaluation are taken, with what is worked out of them.
    """
    before = {(run.name, id(run.evaluation)): run for run in known}
    pairs = zip(names, evaluations, strict=True)
    return [before.get((name, id(each))) or JudgedRun(name, each) for name, each in pairs]


def run_verdicts(runs: Sequence[JudgedRun]) -> list[tuple[Claim, ...]]:
    """The verdict of each run: claims in the order in which they are read; empty without measured jobs.

    What would help is said of the other simulated runs among these.
    """
    if not runs or not runs[0].jobs.any():
        return [() for _ in runs]
    spans = months(runs[0].schedule.trace)
    return [_verdict(runs, place, spans) for place in range(len(runs))]


def _verdict(runs: Sequence[JudgedRun], place: int, spans: Names) -> tuple[Claim, ...]:
    run = runs[place]
    teller = Teller.of(run, place)
    cause = _cause(run, teller)
    # Nobody is late: there is no worst user, and nothing to help.
    if not run.total:
        users = ClaimQuantity("users", run.users, Unit.USERS, teller.boxes)
        return teller.claim(Relation.NOBODY_LATE, [users]), cause
    worst = int(run.lateness.argmax())
    return (_late(run, teller, spans), _worst(run, teller, worst), cause, *_help(runs, place, teller, worst))


@dataclass(frozen=True)
class Teller:
    """Makes claims about a run and its measured jobs."""

    subject: NamedThing
    population: Population

    @classmethod
    def of(cls, run: JudgedRun, place: int) -> Teller:
        """The teller of a run by its place; it needs a measured job."""
        return cls.over(run.name, place, run.schedule, run.jobs)

    @classmethod
    def over(cls, name: str, place: int, schedule: Schedule, jobs: Mask) -> Teller:
        """The teller of a schedule and some of its jobs, by its name and place among the runs."""
        submit = schedule.submit[jobs]
        span = (int(submit.min()), int(submit.max())) if len(submit) else (0, 0)
        return cls(NamedThing("subject", name, ClaimPlace("runs", place)), Population(len(submit), *span))

    @property
    def place(self) -> ClaimPlace:
        """Where the run is seen."""
        return self.subject.place

    @property
    def boxes(self) -> ClaimPlace:
        """Where its users are seen as boxes."""
        return ClaimPlace("boxes", self.place.row)

    def claim(
        self,
        relation: Relation,
        quantities: Sequence[ClaimQuantity] = (),
        about: Sequence[NamedThing] = (),
        evidence: Sequence[ClaimPlace] = (),
        sure: Sure = Sure.COUNTED,
    ) -> Claim:
        """A claim, which its run shows unless there is better evidence."""
        rows = tuple(evidence) or (self.place,)
        return Claim(self.subject, relation, tuple(quantities), tuple(about), self.population, rows, sure)


def _late(run: JudgedRun, teller: Teller, spans: Names) -> Claim:
    late = late_jobs(run.schedule, run.violations, run.jobs)
    chosen, by_month = late_users(run.schedule, late, run.jobs, spans)
    return teller.claim(
        Relation.LATE_IN_MONTHS if by_month else Relation.LATE_WITH_JOBS,
        [
            ClaimQuantity("late users", int(chosen.sum()), Unit.NUMBER, teller.boxes),
            ClaimQuantity("users", run.users, Unit.USERS, teller.boxes),
        ],
        evidence=[ClaimPlace("users", int(code)) for code in np.flatnonzero(chosen)],
    )


def _worst(run: JudgedRun, teller: Teller, user: int) -> Claim:
    """The user in the first row of the heatmap, with the mean over all of the user's measured jobs."""
    own = run.jobs & (run.schedule.trace.user.codes == user)
    latest = int(np.where(own, run.violations.tardiness, -1).argmax())
    named = user_named(run, user)
    mean = float(run.lateness[user]) / int(own.sum())
    quantity = ClaimQuantity("lateness", mean, Unit.SECONDS, ClaimPlace("jobs", latest))
    return teller.claim(Relation.WORST_USER, [quantity], [named], [named.place, ClaimPlace("jobs", latest)])


def user_named(run: JudgedRun, code: int) -> NamedThing:
    """A user by its code."""
    return NamedThing("user", f"user {run.schedule.trace.user.shown[code]}", ClaimPlace("users", code))


def _cause(run: JudgedRun, teller: Teller) -> Claim:
    """What most waiting of the measured jobs is for, of all their waiting."""
    if not keeps_reasons(run.schedule):
        return _reasons_missing(run, teller)
    if not run.causes:
        jobs = teller.population.jobs
        return teller.claim(Relation.NOBODY_WAITS, [ClaimQuantity("jobs", jobs, Unit.JOBS, teller.place)])
    return cause_claim(run.causes[0], teller)


def _reasons_missing(run: JudgedRun, teller: Teller) -> Claim:
    """Why a run has no reasons for its waits; what the log names of recorded ones is counted."""
    if run.schedule.policy.simulated:
        return teller.claim(Relation.REASONS_NOT_KEPT)
    waited = run.jobs & (run.schedule.wait > 0)
    named = waited & names_reasons(run.schedule)
    if not named.any():
        return teller.claim(Relation.REASONS_NOT_RECORDED)
    counts = [
        ClaimQuantity("named", int(named.sum()), Unit.NUMBER, teller.place),
        ClaimQuantity("waited", int(waited.sum()), Unit.JOBS, teller.place),
    ]
    return teller.claim(Relation.REASONS_NAMED, counts)


def cause_claim(cause: WaitCause, teller: Teller) -> Claim:
    """What is said of a cause of waiting, which the job shows that waits most for it."""
    longest = ClaimPlace("jobs", cause.job)
    share = ClaimQuantity("share", cause.share, Unit.PERCENT, longest)
    return teller.claim(cause.relation, [share], evidence=[longest])


def cause_of(schedule: Schedule, kind: int) -> Relation:
    """What is claimed of waiting for a kind of reason under a schedule's policy."""
    if kind == Decision.BEHIND and schedule.policy.depth == "stop":
        return Relation.WAITS_PASSED_BY_NOBODY
    return CAUSES[Decision(kind) if kind != NO_REASON else NO_REASON]


OF_SITE = "the rules of the site"
"""What a run as a site obeys, and what the site's log was made under."""

LIMITS = (
    *("max_user_jobs", "max_user_cpus", "max_queue_cpus", "queue_limits", "queue_nodes"),
    *("power_cap", "power_off", "price_below"),
)
"""The keys of policies that hold jobs back by limits, or keep them to some nodes."""


def _obeyed(runs: Sequence[JudgedRun], place: int) -> tuple[str, ...]:
    """The limits under which a run was made, by name. Of a log's own schedule only a site's are known."""
    policies = [run.schedule.policy for run in runs]
    own = policies[place]
    if own.site is not None or (not own.simulated and any(policy.site for policy in policies)):
        return (OF_SITE,)
    return tuple(key for key in LIMITS if own.simulated and getattr(own, key) != getattr(Policy, key))


def best_other(
    runs: Sequence[JudgedRun], place: int, unsure: Container[int] = (), within: bool = True
) -> int | None:
    """The place of the other simulated run with the least lateness in all, None where there is none.

    The `unsure` places are passed over. Runs obey the limits that this run obeys, or, unless `within`, do not
    obey all of them: less lateness without limits is no advice for who needs them. A site and its log are
    compared with changes of the site alone, and users who react with users who do: nobody decides that.
    """
    limits = set(_obeyed(runs, place))

    def stands_in(other: int) -> bool:
        policy = runs[other].schedule.policy
        if policy.variant.react is not runs[place].schedule.policy.variant.react:
            return False
        if not policy.simulated or (limits <= set(_obeyed(runs, other))) is not within:
            return False
        # The site as it is changes nothing.
        return policy.site is None or (OF_SITE in limits and bool(policy.site.changes))

    others = (
        other for other in range(len(runs)) if other != place and other not in unsure and stands_in(other)
    )
    return min(others, key=lambda other: runs[other].total, default=None)


def named_limits(runs: Sequence[JudgedRun], place: int, other: int) -> NamedThing:
    """The limits that a run obeys and another does not."""
    lacking = [limit for limit in _obeyed(runs, place) if limit not in _obeyed(runs, other)]
    return NamedThing("limits", " and ".join(lacking), ClaimPlace("runs", place))


def saved(base: JudgedRun, other: JudgedRun) -> float:
    """The part of all lateness that another run saves, in %; 0 where no job is late."""
    return 100.0 * (base.total - other.total) / base.total if base.total else 0.0


def _help(runs: Sequence[JudgedRun], place: int, teller: Teller, worst: int) -> list[Claim]:
    """The simulated run with the least lateness in all, if there is another one to compare with.

    If only runs that obey fewer limits have less lateness, this is said of them.
    """
    run = runs[place]
    best, free = best_other(runs, place), best_other(runs, place, within=False)
    if best is not None and runs[best].total < run.total:
        return [_helps(runs, place, teller, worst, best)]
    if free is not None and runs[free].total < run.total:
        named = NamedThing("run", runs[free].name, ClaimPlace("runs", free))
        less = ClaimQuantity("less", saved(run, runs[free]), Unit.PERCENT, named.place)
        about = [named, named_limits(runs, place, free)]
        return [teller.claim(Relation.LESS_WITHOUT, [less], about, [named.place], _sure(run))]
    # Of a recorded schedule with less lateness there is nothing to run.
    if any(other.total < run.total for other in runs):
        return []
    # What obeys no limits is not the best of the runs that obey them.
    bound = [k for k in range(len(runs)) if not set(_obeyed(runs, k)) <= set(_obeyed(runs, place))]
    if best is None and free is None and not bound:
        return []
    if bound and run.schedule.policy.simulated:
        return [teller.claim(Relation.LEAST_WITHOUT, about=[named_limits(runs, bound[0], place)])]
    return [teller.claim(Relation.LEAST_LATE)]


def _sure(run: JudgedRun) -> Sure:
    """How sure a comparison of a run with a simulated one is."""
    return Sure.COUNTED if run.schedule.policy.simulated else Sure.SIMULATED


def _helps(runs: Sequence[JudgedRun], place: int, teller: Teller, worst: int, best: int) -> Claim:
    """What the best other run brings, which has less lateness."""
    run = runs[place]
    less = saved(run, runs[best])
    named = NamedThing("run", runs[best].name, ClaimPlace("runs", best))
    share = ClaimQuantity("less", less, Unit.PERCENT, named.place)
    sure = _sure(run)
    if less < LEAST_HELP:
        return teller.claim(Relation.HELPS_LITTLE, [share], [named], [named.place], sure)
    own = int(np.count_nonzero(run.schedule.trace.user.codes[run.jobs] == worst))
    mean = ClaimQuantity("lateness", float(runs[best].lateness[worst]) / own, Unit.SECONDS, named.place)
    if runs[best].lateness[worst] == 0:
        return teller.claim(Relation.HELPS_WHOLLY, [share], [named], [named.place], sure)
    # What helps all together may leave out who is hurt most.
    relieved = runs[best].lateness[worst] < run.lateness[worst]
    relation = Relation.HELPS if relieved else Relation.HELPS_OTHERS
    return teller.claim(relation, [mean, share], [named], [named.place], sure)
