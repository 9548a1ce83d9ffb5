"""Judges of claims on the waits of groups of jobs: sums over starts and submissions, job by job."""

from __future__ import annotations

from collections import Counter, defaultdict

from engine.claims.claim import Claim, Relation, Sure, Unit
from engine.claims.waits import GroupRelation
from tests.engine.verdict.causes import causes
from tests.engine.verdict.seen import Numbers, Seen

DAY = 86_400

KINDS = {
    GroupRelation.RESOURCES: {
        *(Relation.WAITS_FOR_PROCESSORS, Relation.WAITS_FOR_RAM),
        *(Relation.WAITS_FOR_RESOURCES, Relation.WAITS_FOR_PLACE),
    },
    GroupRelation.PRIORITY: {Relation.WAITS_PASSED_BY_NOBODY},
    GroupRelation.LIMITS: {Relation.WAITS_FOR_LIMITS},
    GroupRelation.LIMIT: {Relation.WAITS_FOR_LIMITS},
    GroupRelation.RESERVATIONS: {Relation.WAITS_FOR_RESERVATIONS},
    GroupRelation.NOT_REACHED: {Relation.WAITS_UNTRIED},
    GroupRelation.STOPPED_RUNS: {Relation.WAITS_RUN_AGAIN},
    GroupRelation.NEXT_PASS: {Relation.WAITS_FOR_PASS},
}
"""What may be said of single waits, for each kind of a policy that is simulated."""


def judge_group(claim: Claim, own: Seen) -> bool:
    """Whether a claim about the users, partitions or accounts that wait holds."""
    said = {quantity.name: quantity.value for quantity in claim.quantities}
    trace = own.schedule.trace
    (group,) = (each for each in claim.about if each.role == "group")
    field, _, name = group.name.partition(" ")
    column = {"user": trace.user, "partition": trace.queue, "account": trace.group}[field]
    wait = {job: int(own.schedule.start[job]) - int(own.schedule.submit[job]) for job in own.jobs}
    sums: Counter[str] = Counter()
    jobs: dict[str, list[int]] = defaultdict(list)
    for job, seconds in wait.items():
        if seconds > 0:
            sums[column.names[column.codes[job]]] += seconds
            jobs[column.names[column.codes[job]]].append(job)
    submits = [int(trace.submit[job]) for job in jobs[name]]
    size = DAY if claim.quantity("all").unit is Unit.DAYS else 1
    people = claim.population
    return (
        (people.jobs, people.begin, people.end) == (len(submits), min(submits), max(submits))
        and _near(said["all"] * size, sums[name])
        and _near(said["part"], 100 * sums[name] / sum(sums.values()))
        and _share(claim, said, own, jobs[name])
        and (sums[name] == max(sums.values()) or said["share"] * said["part"] >= 100 * 5 - 1e-6)
    )


def _share(claim: Claim, said: Numbers, own: Seen, jobs: list[int]) -> bool:
    """Whether the share of the group's waiting lies between what is surely and what may be of the kind."""
    seconds = said["share"] / 100 * said["all"] * (DAY if claim.quantity("all").unit is Unit.DAYS else 1)
    if claim.sure is Sure.INFERRED:
        return own.schedule.policy.recorded and _seems(claim, seconds, own, jobs)
    assert isinstance(claim.relation, GroupRelation)
    kinds, found = KINDS[claim.relation], causes(own.schedule, jobs)
    least = sum(spent for each, spent in found.items() if each <= kinds)
    most = sum(spent for each, spent in found.items() if each & kinds)
    return least - 1e-3 <= seconds <= most + 1e-3


def _seems(claim: Claim, seconds: float, own: Seen, jobs: list[int]) -> bool:
    """Of a recorded schedule: whether too few processors were idle, on a pool."""
    if not own.schedule.cluster.pooled or own.schedule.cluster.limits_ram:
        return True
    waits = Seen(own.schedule, own.capacity, jobs).waits
    kind = "yes" if claim.relation is GroupRelation.RESOURCES else "no"
    sure, later = (sum(waits[each, behind] for behind in (False, True)) for each in (kind, "later"))
    return sure - 1e-3 <= seconds <= sure + later + 1e-3


def _near(value: float, other: float) -> bool:
    return abs(value - other) <= 1e-6 * max(1.0, abs(other))
