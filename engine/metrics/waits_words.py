"""Waits by kind of reason, as claims: who waits most and for what, and what can be done about."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.arrays import Mask
from engine.claims.claim import Claim, ClaimPlace, ClaimQuantity, NamedThing, Population, Sure, Unit
from engine.claims.waits import GroupRelation
from engine.claims.words import plain, together
from engine.metrics.waits import BY, KINDS, GroupWaits
from engine.schedule.schedule import Decision, LimitKind, Schedule
from engine.schedule.site_reasons import minutes_of, resource_of
from engine.schedule.wait_pieces import keeps_reasons, wait_pieces
from engine.shown_text import with_kind

_LEAST_SHARE = 0.05
"""The part of all waits that a kind has in a group to be told beside what most waiting is for."""

_TOLD = ("limits", "dependencies", "reservations", "not reached", "held", "stopped runs", "priority")
"""The kinds about which something can be done, unlike a lack of room."""

_LIMIT_NAMES = {
    LimitKind.USER_JOBS: "max_user_jobs",
    LimitKind.USER_CPUS: "max_user_cpus",
    LimitKind.QUEUE_CPUS: "max_queue_cpus",
}
_DAY = 86_400


def waits_sentence(schedule: Schedule, waits: GroupWaits) -> str:
    """What is claimed of the waits in words, to follow the name of a run; empty where nobody waits."""
    text = plain(together(waits_claims(schedule, waits)))
    return f"{text}." if text else ""


def waits_claims(schedule: Schedule, waits: GroupWaits, place: int = 0) -> tuple[Claim, ...]:
    """The group that waits most, and what most of its waiting is for; and the most that could be changed.

    The second is told where it is a twentieth of all waiting: limits, reservations and the like, of any
    group. `place` is that of the run.
    """
    total = int(waits.seconds.sum())
    if total == 0:
        return ()
    first = int(waits.seconds.argmax())
    told = [list(KINDS).index(kind) for kind in _TOLD]
    # Of equal parts that is named about which something can be done.
    kinds = [*told, *(column for column in range(len(KINDS)) if column not in told)]
    pairs = [(first, kinds[int(waits.parts[first, kinds].argmax())])]
    best = _largest(waits, told)
    if best not in pairs and waits.parts[best] >= _LEAST_SHARE * total:
        pairs.append(best)
    return tuple(_claim(schedule, waits, place, *pair) for pair in pairs)


def _claim(schedule: Schedule, waits: GroupWaits, place: int, row: int, column: int) -> Claim:
    """What is claimed of a kind of the waits of a group."""
    jobs = _jobs_of(schedule, waits, row)
    submit = schedule.submit[jobs]
    whose = " and ".join(
        with_kind(field, name) for field, name in zip(waits.by, waits.names[row], strict=True)
    )
    group = NamedThing("group", whose, ClaimPlace("groups", row))
    # Waits of a group are told relative to those of everybody, and the kind relative to the group's.
    seconds, total = int(waits.seconds[row]), int(waits.seconds.sum())
    days = ClaimQuantity("all", seconds / _DAY, Unit.DAYS, group.place)
    kind, spent = list(KINDS)[column], int(waits.parts[row, column])
    relation, about = GroupRelation(kind), [group]
    more: list[ClaimQuantity] = []
    # A limit is named if a single limit explains at least half of the waits.
    if relation is GroupRelation.LIMITS and (named := _named_limit(schedule, jobs)) is not None:
        relation, spent, more, things = named
        about += things
    quantities = [
        ClaimQuantity("all", seconds, Unit.SECONDS, group.place) if seconds < _DAY else days,
        ClaimQuantity("part", 100 * seconds / total, Unit.PERCENT, group.place),
        ClaimQuantity("share", 100 * spent / seconds, Unit.PERCENT, group.place),
        *more,
    ]
    subject = NamedThing("subject", str(schedule.policy), ClaimPlace("runs", place))
    people = Population(len(submit), int(submit.min()), int(submit.max()))
    sure = Sure.INFERRED if waits.inferred else Sure.COUNTED
    return Claim(subject, relation, tuple(quantities), tuple(about), people, (group.place,), sure)


def _jobs_of(schedule: Schedule, waits: GroupWaits, row: int) -> Mask:
    """The jobs of a group that waited, shape (n,)."""
    jobs: Mask = schedule.ran & (schedule.start > schedule.submit)
    if waits.measured is not None:
        jobs = jobs & waits.measured
    for field, name in zip(waits.by, waits.names[row], strict=True):
        column = BY[field](schedule.trace)
        jobs = jobs & (column.codes == column.names.index(name))
    return jobs


def _largest(waits: GroupWaits, kinds: Sequence[int]) -> tuple[int, int]:
    """The group and the kind with the most seconds together, of these kinds."""
    row, column = divmod(int(waits.parts[:, list(kinds)].argmax()), len(kinds))
    return row, kinds[column]


def _named_limit(
    schedule: Schedule, jobs: Mask
) -> tuple[GroupRelation, int, list[ClaimQuantity], list[NamedThing]] | None:
    """The limit at which these jobs wait, and for how long, s: the only one, or of a site the one that makes
    up at least a half of their waiting at limits.
    """
    if not keeps_reasons(schedule):
        return None
    pieces = wait_pieces(schedule)
    # Only pieces of waits whose reason is a limit; the value of a piece says which.
    at_limits = jobs[pieces.job] & np.isin(pieces.kind, (Decision.LIMIT, Decision.SITE_LIMIT))
    values, number = np.unique(pieces.value[at_limits], return_inverse=True)
    spent = np.bincount(number, pieces.seconds[at_limits], len(values)).astype(np.int64)
    limits, place, first = schedule.site_limits, ClaimPlace("runs", 0), int(spent.argmax())
    # Limits of a policy have no owner: with several nothing single can be named.
    if len(values) != 1 and (limits is None or 2 * spent[first] < spent.sum()):
        return None
    value, seconds = int(values[first]), int(spent[first])
    if limits is None:
        return GroupRelation.LIMIT, seconds, [], [NamedThing("limit", _LIMIT_NAMES[LimitKind(value)], place)]
    held = limits.held_by(value)
    owner = NamedThing("owner", held.owner, place)
    if held.sort == "jobs":
        return GroupRelation.LIMIT_OF_JOBS, seconds, [ClaimQuantity("most", held.most, Unit.JOBS)], [owner]
    most = ClaimQuantity("most", held.most, Unit.MIB if held.resource == "ram" else Unit.COUNT)
    if held.sort == "amount":
        resource = NamedThing("resource", resource_of(held.resource, held.most), place)
        return GroupRelation.LIMIT_OF_AMOUNT, seconds, [most], [resource, owner]
    resource = NamedThing("resource", minutes_of(held.resource), place)
    return GroupRelation.LIMIT_OF_TIME, seconds, [most], [resource, owner]
