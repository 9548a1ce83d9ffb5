"""Advice for who decides: what to change, what it brings, who pays, each a sentence of claims."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import replace

import numpy as np

from engine.claims.advice import LEAST_ENERGY, LEAST_HELP, is_harm
from engine.claims.claim import Claim, ClaimPlace, ClaimQuantity, NamedThing, Relation, Unit
from engine.claims.words import shown
from engine.metrics.difference import difference
from engine.metrics.hours import DAY
from engine.metrics.loss import loss_of_capacity
from engine.policy.phrases import policy_has_no_keys, policy_phrases
from engine.policy.policy import PRESETS, Policy
from engine.search.weekly import LATENESS, WAITS, Certainty, certainty
from engine.verdict.verdict import JudgedRun, Teller, best_other, named_limits, saved, user_named

ClaimSentence = tuple[Claim, ...]
"""Claims that are said in one sentence: what changes, and how sure that is."""


_MONTH = 30
"""Days of a month."""


def advice(
    runs: Sequence[JudgedRun], baseline: int, by_chance: Container[int] = ()
) -> tuple[ClaimSentence, ...]:
    """What to change from the baseline, what that brings and who pays; empty for a single run.

    The change is to the other simulated run in which jobs end late by the least time in all, if that saves
    LEAST_HELP % of it. Where weeks can tell gains from noise, only a run is advised whose lateness of the
    mean week is lower beyond it. At the places `by_chance` phases of a site's loops explain the change of the
    mean wait. Without measured jobs there is nothing to say.
    """
    best, base = best_other(runs, baseline), runs[baseline]
    if not base.jobs.any():
        return ()
    teller = Teller.of(base, baseline)
    # Nothing helps enough to be worth a change.
    if best is None or saved(base, runs[best]) < LEAST_HELP:
        return tuple((claim,) for claim in _nothing(runs, baseline, teller))
    sure_of = {place: certainty(runs, place, baseline, LATENESS) for place in range(len(runs))}
    # Another run may save less, but surely.
    unsure = {place for place, sure in sure_of.items() if sure.is_known and not sure.is_lower}
    sure = best_other(runs, baseline, unsure)
    is_sure = sure is not None and saved(base, runs[sure]) >= LEAST_HELP
    best = sure if sure is not None and is_sure else best
    named = NamedThing("base", base.name, teller.place)
    other = NamedThing("run", runs[best].name, ClaimPlace("runs", best))
    less = ClaimQuantity("less", saved(base, runs[best]), Unit.PERCENT, other.place)
    if not is_sure:
        quantities = [less, *_weeks_of_half(base)]
        return ((teller.claim(Relation.NO_SURE_CHANGE, quantities, [other, named], [other.place]),),)
    rule = NamedThing("rule", _rule(runs[best].schedule.policy), other.place)
    relation = Relation.CHANGE if base.schedule.policy.simulated else Relation.CHANGE_OF_REAL
    change = teller.claim(relation, [less], [other, rule, named], [other.place])
    waits = certainty(runs, best, baseline, WAITS, best in by_chance)
    return (
        (change, *sure_of[best].claims),
        _brings(base, runs[best], teller, other.place, waits),
        *_idle(base, runs[best], teller, other.place),
        *_energy(base, runs[best], teller, other.place),
        (_pays(base, runs[best], teller, other.place), *_harm(base, runs[best], teller)),
    )


def _weeks_of_half(run: JudgedRun) -> list[ClaimQuantity]:
    """The fewest weeks of submission with half of all lateness, which is not 0, and all weeks with a job.

    Where lateness comes in few weeks, nearly all of it can go without any gain in the mean week.
    """
    submit = run.schedule.submit[run.jobs]
    week = (submit - int(submit.min())) // (7 * DAY)
    late = np.sort(np.bincount(week, run.violations.tardiness[run.jobs]))[::-1]
    # The weeks with the most lateness come first, until half of it is reached.
    few = int(np.searchsorted(late.cumsum(), late.sum() / 2)) + 1
    return [
        ClaimQuantity("few", few, Unit.NUMBER),
        ClaimQuantity("weeks", int(np.count_nonzero(np.bincount(week))), Unit.WEEKS),
    ]


def _nothing(runs: Sequence[JudgedRun], baseline: int, teller: Teller) -> tuple[Claim, ...]:
    """That no run with the baseline's limits is worth a change, or that there is none, and the best run
    without them, if that is worth it.
    """
    base, free = runs[baseline], best_other(runs, baseline, within=False)
    least = ClaimQuantity("least", LEAST_HELP, Unit.PERCENT)
    if free is not None and saved(base, runs[free]) >= LEAST_HELP:
        run = NamedThing("run", runs[free].name, ClaimPlace("runs", free))
        less = ClaimQuantity("less", saved(base, runs[free]), Unit.PERCENT, run.place)
        about = [run, named_limits(runs, baseline, free)]
        if best_other(runs, baseline) is None:  # of no runs nothing is said as if they had been tried
            return (teller.claim(Relation.NO_RUN_WITHIN, [less], about, [run.place]),)
        return (teller.claim(Relation.NO_CHANGE_WITHIN, [least, less], about, [run.place]),)
    if best_other(runs, baseline) is None:
        return ()
    return (teller.claim(Relation.NO_CHANGE, [least], [NamedThing("base", base.name, teller.place)]),)


def _rule(policy: Policy) -> str:
    """What a policy does, in brackets; empty for a site and for a user's own code."""
    if policy_has_no_keys(policy):
        return ""
    _, text = PRESETS.get(policy.preset, (policy, ""))
    return f" ({text if text and policy.spelling == policy.preset else ', '.join(policy_phrases(policy))})"


def _brings(
    base: JudgedRun, other: JudgedRun, teller: Teller, place: ClaimPlace, waits: Certainty
) -> ClaimSentence:
    """The change of all waiting, and how sure it is; one within noise is neither a gain nor a cost."""
    jobs = teller.population.jobs
    before, after = (int(run.schedule.wait[run.jobs].sum()) for run in (base, other))
    means = [
        ClaimQuantity("jobs", jobs, Unit.JOBS),
        ClaimQuantity("before", before / jobs, Unit.SECONDS, teller.place),
        ClaimQuantity("after", after / jobs, Unit.SECONDS, place),
    ]
    # Where all jobs wait less, but those of the mean week longer, nothing is sure either.
    if waits.is_known and not (waits.is_lower if after <= before else waits.is_higher):
        return teller.claim(Relation.NO_SURE_WAITING, means, evidence=[place]), *waits.claims
    relation = Relation.LESS_WAITING if after <= before else Relation.MORE_WAITING
    days = _days("days", abs(before - after), place)
    return teller.claim(relation, [days, *means], evidence=[place]), *waits.claims


def _idle(base: JudgedRun, other: JudgedRun, teller: Teller, place: ClaimPlace) -> Iterator[ClaimSentence]:
    """The change of the processor-hours that idle while jobs ask for processors, if people can read it.

    It is a sentence of its own, since a change may save waiting and cost use, or the other way round. Time
    that idles beside waiting jobs is no loss where as much is used all the same.
    """
    before = ClaimQuantity("before", _idle_hours(base), Unit.PROCESSOR_HOURS, teller.place)
    after = ClaimQuantity("after", _idle_hours(other), Unit.PROCESSOR_HOURS, place)
    if shown(before) != shown(after):
        relation = Relation.LESS_IDLE if after.value < before.value else Relation.MORE_IDLE
        yield (
            teller.claim(relation, [before, after], evidence=[place]),
            *_use(base, other, teller, place),
        )


def _use(base: JudgedRun, other: JudgedRun, teller: Teller, place: ClaimPlace) -> Iterator[Claim]:
    """The used parts of the machine's time, or that they are the same as people read them."""
    used = [run.evaluation.summary["utilization"] for run in (base, other)]
    if used[0] is None or used[1] is None:
        return
    before = ClaimQuantity("before", 100 * used[0], Unit.TENTHS, teller.place)
    after = ClaimQuantity("after", 100 * used[1], Unit.TENTHS, place)
    if shown(before) == shown(after):
        alike = replace(before, name="used")
        yield teller.claim(Relation.USED_ALIKE, [alike], evidence=[teller.place, place])
    else:
        yield teller.claim(Relation.USED_OTHERWISE, [before, after], evidence=[place])


def _energy(base: JudgedRun, other: JudgedRun, teller: Teller, place: ClaimPlace) -> Iterator[ClaimSentence]:
    """The change of the energy from the first submission to the last end, by the month of logs that last one.

    Nothing where the power of the machine is not known. A change below LEAST_ENERGY % is none.
    """
    kwh = [run.evaluation.summary["energy"] for run in (base, other)]
    if kwh[0] is None or kwh[1] is None:
        return
    before = ClaimQuantity("before", kwh[0], Unit.KWH, teller.place)
    after = ClaimQuantity("after", kwh[1], Unit.KWH, place)
    more = kwh[1] - kwh[0]
    # So small a change is no difference that anybody would act on.
    if 100 * abs(more) < LEAST_ENERGY * kwh[0]:
        yield (teller.claim(Relation.ENERGY_ALIKE, [after], evidence=[place]),)
        return
    relation = Relation.LESS_ENERGY if more < 0 else Relation.MORE_ENERGY
    told = [teller.claim(relation, [before, after], evidence=[place])]
    months = int(base.schedule.end[base.jobs].max() - base.schedule.submit[base.jobs].min()) / (_MONTH * DAY)
    # On a log of less than a month nothing is told by the month.
    if months >= 1:
        by = ClaimQuantity("by", abs(more) / months, Unit.KWH, place)
        told.append(teller.claim(Relation.ENERGY_A_MONTH, [by], evidence=[place]))
    yield tuple(told)


def _days(name: str, seconds: int, place: ClaimPlace) -> ClaimQuantity:
    """Waiting in days, below a day in smaller units."""
    if seconds < DAY:
        return ClaimQuantity(name, seconds, Unit.SECONDS, place)
    return ClaimQuantity(name, seconds / DAY, Unit.DAYS, place)


def _idle_hours(run: JudgedRun) -> float:
    """Processor-hours that stood idle while waiting jobs asked for them (`demand` of `loss_of_capacity`)."""
    schedule, jobs = run.schedule, run.jobs
    begin, end = int(schedule.submit[jobs].min()), int(schedule.end[jobs].max())
    down = schedule.outages.clipped(begin, end).cpu_seconds(schedule.cluster.node_cpus())
    capacity = schedule.cluster.cpus * (end - begin) - down
    return (loss_of_capacity(schedule, jobs).demand or 0.0) * float(capacity) / 3600


def _pays(base: JudgedRun, other: JudgedRun, teller: Teller, place: ClaimPlace) -> Claim:
    """The users whose waiting in all grows, by how much, and the user with whom it grows most."""
    # Positive where a user waits less in all: those who pay are below 0.
    net = difference(base.schedule, other.schedule, base.jobs & other.jobs).users.net
    paying, gaining = int((net < 0).sum()), ClaimQuantity("gaining", int((net > 0).sum()), Unit.USERS)
    if not paying:
        return teller.claim(Relation.NOBODY_PAYS, [gaining])
    # The user who loses most is named, with the mean wait of their own jobs under both runs.
    most = int(net.argmin())
    user = user_named(base, most)
    own = base.jobs & (base.schedule.trace.user.codes == most)
    before, after = (float(run.schedule.wait[own].mean()) for run in (base, other))
    quantities = [
        _days("longer", -int(net[most]), user.place),
        ClaimQuantity("before", before, Unit.SECONDS, user.place),
        ClaimQuantity("after", after, Unit.SECONDS, user.place),
        ClaimQuantity("users", base.users, Unit.USERS),
        gaining,
    ]
    evidence = [ClaimPlace("users", int(code)) for code in np.flatnonzero(net < 0)]
    if paying == 1:
        return teller.claim(Relation.ONE_PAYS, quantities, [user], evidence)
    quantities += [
        ClaimQuantity("paying", paying, Unit.NUMBER, place),
        _days("all", -int(net[net < 0].sum()), place),
    ]
    return teller.claim(Relation.SOME_PAY, quantities, [user], evidence)


def _harm(base: JudgedRun, other: JudgedRun, teller: Teller) -> Iterator[Claim]:
    """The longest wait of a job under either run, where it rises so much that who decides must know.

    Sums of users hide it: a user with many jobs gains in all while one of them starves.
    """
    before, after = (int(np.where(run.jobs, run.schedule.wait, -1).argmax()) for run in (base, other))
    # Each run's own longest wait, which need not be of the same job.
    longest = int(base.schedule.wait[before]), int(other.schedule.wait[after])
    if is_harm(*longest):
        quantities = [
            ClaimQuantity(name, wait, Unit.SECONDS, ClaimPlace("jobs", job))
            for name, wait, job in zip(("before", "after"), longest, (before, after), strict=True)
        ]
        user = user_named(base, int(base.schedule.trace.user.codes[after]))
        yield teller.claim(Relation.LONGEST_WAIT_RISES, quantities, [user], [ClaimPlace("jobs", after)])
