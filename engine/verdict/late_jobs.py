"""Claims on jobs that end late: how many, how late, and in which queue and month most of them are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.claims.claim import Claim, ClaimPlace, ClaimQuantity, NamedThing, Relation, Unit
from engine.shown_text import shown_name
from engine.trace import MISSING, Names
from engine.verdict.lateness import late_jobs
from engine.verdict.verdict import JudgedRun, Teller

Kind = Literal["queues", "months"]

_MOST: dict[Kind, tuple[Relation, Relation]] = {
    "queues": (Relation.MOST_LATE_BY_QUEUE, Relation.MORE_LATE_BY_QUEUE),
    "months": (Relation.MOST_LATE_BY_MONTH, Relation.MORE_LATE_BY_MONTH),
}
"""What is said of the group with most late jobs: if it has more than half of them, and if not."""


def lateness_claims(run: JudgedRun, place: int, queues: Names, months: Names) -> tuple[Claim, ...]:
    """What is claimed of the late jobs of a run, by its place, which needs a measured job."""
    return tuple(_claims(run, Teller.of(run, place), queues, months))


def _claims(run: JudgedRun, teller: Teller, queues: Names, months: Names) -> Iterator[Claim]:
    late = run.jobs & run.violations.violated
    count, jobs = int(late.sum()), teller.population.jobs
    if not count:
        yield teller.claim(
            Relation.NOBODY_LATE, [ClaimQuantity("users", run.users, Unit.USERS, teller.boxes)]
        )
        return
    quantities = [
        ClaimQuantity("late", count, Unit.NUMBER),
        ClaimQuantity("jobs", jobs, Unit.JOBS),
        ClaimQuantity("share", 100 * count / jobs, Unit.TENTHS),
    ]
    yield teller.claim(Relation.LATE_JOBS, quantities)
    # Who waits for a result does not notice these.
    slight = count - int(late_jobs(run.schedule, run.violations, late).sum())
    if slight:
        yield teller.claim(Relation.SLIGHTLY_LATE, [ClaimQuantity("slight", slight, Unit.NUMBER)])
    kinds: dict[Kind, Names] = {"queues": queues, "months": months}
    for kind, groups in kinds.items():
        if len(np.unique(groups.codes[run.jobs])) > 1:
            yield _most(run, teller, kind, groups, late)


def _most(run: JudgedRun, teller: Teller, kind: Kind, groups: Names, late: NDArray[np.bool_]) -> Claim:
    """The group with the most late jobs, which part of all late jobs these are, and of the group's jobs."""
    counts = np.bincount(groups.codes[late], minlength=len(groups.names))
    code, total = int(counts.argmax()), int(counts.sum())
    own = int(counts[code])
    most, more = _MOST[kind]
    group = NamedThing("group", group_name(kind, groups, code), ClaimPlace(kind, code))
    quantities = [
        ClaimQuantity("share", 100 * own / total, Unit.TENTHS, group.place),
        ClaimQuantity("own", own, Unit.NUMBER, group.place),
        ClaimQuantity("jobs", int((groups.codes[run.jobs] == code).sum()), Unit.JOBS, group.place),
    ]
    # More than half of all late jobs is told as most of them.
    return teller.claim(most if 2 * own > total else more, quantities, [group], [group.place])


def group_name(kind: Kind, groups: Names, code: int) -> str:
    """A queue or a month as sentences name it."""
    name = shown_name(groups.names[code])
    if name == str(MISSING):
        return "no queue"
    return f"queue {name}" if kind == "queues" else name
