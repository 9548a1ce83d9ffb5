"""Claims on what moved between two schedules of a log: jobs that start earlier or later, and their users."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.claims.claim import Claim, ClaimPlace, ClaimQuantity, NamedThing, Relation, Unit
from engine.claims.words import plain, sentence
from engine.metrics.difference import Difference
from engine.verdict.verdict import Teller

HOUR = 3600


def moved(difference: Difference, name: str, place: int) -> tuple[Claim, ...]:
    """Claims on the second schedule against the first; `name` and `place` are those of the second run.

    Times are hours of waiting of a user in all, of the compared jobs.
    """
    teller = Teller.over(name, place, difference.second, difference.jobs)
    compared = teller.population.jobs
    if not compared:
        return (teller.claim(Relation.NONE_COMPARED),)
    jobs = ClaimQuantity("jobs", compared, Unit.JOBS)
    counts = {
        "earlier": int(difference.users.earlier.sum()),
        "later": int(difference.users.later.sum()),
    }
    same = compared - sum(counts.values())
    if same == compared:
        claims = [teller.claim(Relation.STAYED, [jobs])]
    else:
        numbers = [ClaimQuantity(*each, Unit.NUMBER) for each in [*counts.items(), ("same", same)]]
        claims = [teller.claim(Relation.MOVED, [jobs, *numbers])]
    others = len(difference.jobs) - compared
    if others:
        claims.append(teller.claim(Relation.NOT_COMPARED, [ClaimQuantity("others", others, Unit.JOBS)]))
    for sign in (1, -1):
        claims += _side(teller, difference, sign)
    return tuple(claims)


def moved_text(difference: Difference, name: str) -> str:
    """The claims on the second of two schedules as sentences, for a place that names both runs itself."""
    return " ".join(plain(sentence(claim)) for claim in moved(difference, name, 1))


def _side(teller: Teller, difference: Difference, sign: int) -> list[Claim]:
    """The users who wait less in all (longer, if `sign` is -1), and the user with whom this is most."""
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
