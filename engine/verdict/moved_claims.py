"""Claims on what moved between two schedules of a log: jobs that start earlier or later, and their users."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from engine.claims.claim import Claim, ClaimPlace, ClaimQuantity, NamedThing, Relation, Unit
from engine.claims.words import plain, sentence
from engine.metrics.difference import Difference
from engine.schedule.names import name_job
from engine.verdict.verdict import Teller
from engine.words import listed

HOUR = 3600
MOST_NAMED = 5
"""Jobs that a sentence names of those that were given up, those that lost most."""


def moved(
    difference: Difference, names: tuple[str, str], places: tuple[int, int] = (0, 1)
) -> tuple[Claim, ...]:
    """Claims on the second schedule against the first; `names` and `places` are those of both runs.

    Times are hours of waiting of a user in all, of the compared jobs.
    """
    teller = Teller.over(names[1], places[1], difference.second, difference.jobs)
    compared = teller.population.jobs
    if not compared:
        return (teller.claim(Relation.NONE_COMPARED), *_given_up(difference, names, places))
    jobs = ClaimQuantity("jobs", compared, Unit.JOBS)
    # Jobs that are neither earlier nor later started at the same time in both.
    counts = {
        "earlier": int(difference.users.earlier.sum()),
        "later": int(difference.users.later.sum()),
    }
    same = compared - sum(counts.values())
    if same == compared:
        # The jobs come first, then who gains and who loses.
        claims = [teller.claim(Relation.STAYED, [jobs])]
    else:
        numbers = [ClaimQuantity(*each, Unit.NUMBER) for each in [*counts.items(), ("same", same)]]
        claims = [teller.claim(Relation.MOVED, [jobs, *numbers])]
    others = len(difference.jobs) - compared
    if others:
        claims.append(teller.claim(Relation.NOT_COMPARED, [ClaimQuantity("others", others, Unit.JOBS)]))
    claims += _given_up(difference, names, places)
    for sign in (1, -1):
        claims += _side(teller, difference, sign)
    return tuple(claims)


def moved_text(difference: Difference, names: tuple[str, str]) -> str:
    """The claims on the second of two schedules as sentences, for a place that names both runs itself."""
    return " ".join(plain(sentence(claim)) for claim in moved(difference, names))


def _given_up(difference: Difference, names: tuple[str, str], places: tuple[int, int]) -> Iterator[Claim]:
    """The jobs that each schedule gave up after failures, and what was lost with them."""
    schedules = difference.first, difference.second
    for name, place, schedule, lost in zip(names, places, schedules, difference.given_up, strict=True):
        if not lost:
            continue
        jobs = np.zeros(len(schedule.start), np.bool_)
        jobs[[each.job for each in lost]] = True
        teller, rows = Teller.over(name, place, schedule, jobs), [ClaimPlace("jobs", own.job) for own in lost]
        area = ClaimQuantity("area", sum(each.area for each in lost), Unit.PROCESSOR_SECONDS)
        titles = [name_job(schedule, each.job) for each in lost[:MOST_NAMED]]
        if len(lost) == 1:
            job = NamedThing("job", titles[0], rows[0])
            yield teller.claim(Relation.GAVE_UP_ONE, [area], [job], rows)
            continue
        which = listed([*titles, "others"] if len(lost) > MOST_NAMED else titles)
        count = ClaimQuantity("jobs", len(lost), Unit.JOBS)
        yield teller.claim(Relation.GAVE_UP_SOME, [count, area], [NamedThing("which", which, rows[0])], rows)


def _side(teller: Teller, difference: Difference, sign: int) -> list[Claim]:
    """The users who wait less in all (longer, if `sign` is -1), and the user with whom this is most."""
    # The sign turns losers into gainers, so that the same text serves both sides.
    net: NDArray[np.int64] = sign * difference.users.net
    users = np.flatnonzero(net > 0)
    if not len(users):
        return []
    code = int(net.argmax())
    user = NamedThing("user", f"user {difference.second.trace.user.shown[code]}", ClaimPlace("users", code))
    most = ClaimQuantity("most", int(net[code]) / HOUR, Unit.HOURS, user.place)
    evidence = [ClaimPlace("users", int(each)) for each in users]
    if len(users) == 1:
        alone = Relation.ONE_GAINS if sign > 0 else Relation.ONE_LOSES
        return [teller.claim(alone, [most], [user], evidence)]
    quantities = [
        ClaimQuantity("users", len(users), Unit.USERS),
        ClaimQuantity("all", int(net[users].sum()) / HOUR, Unit.HOURS),
        most,
    ]
    return [
        teller.claim(Relation.SOME_GAIN if sign > 0 else Relation.SOME_LOSE, quantities, [user], evidence)
    ]
