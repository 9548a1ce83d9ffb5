"""The limits of a site that held jobs, as the decision log names them: whose they are, what they allow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from engine.arrays import Floats, Ints, Mask

LimitSort = Literal["jobs", "amount", "spent", "ahead"]
"""What is limited: running jobs; what they hold of a resource; resources times time of all that ran, as usage
decays; and what running jobs may still take by their time limits.
"""

UNBOUNDED = 1 << 60
"""No limit, as the schedulers have it (`engine.slurm.scheduler.bounds`)."""

PARTS = 256
"""A SITE_LIMIT row is the number of the limit times this, and what of it was exceeded, see `held_by`."""


class HeldBy(NamedTuple):
    """A limit that held a job: its number, its owner, what is limited, and the most that is allowed.

    `resource` is a name, or empty for a number of jobs; `most` is a number of jobs, an amount (RAM in MiB),
    or an amount times minutes.
    """

    number: int
    owner: str
    sort: LimitSort
    resource: str
    most: int


@dataclass(frozen=True, eq=False)
class SiteLimits:
    """C limits of a site, over K resources, and the limits of n jobs.

    `owner` are the names of those whose jobs count together: `account astro`, `user bob in QOS high`; and
    `scope` says the same for programs: a sort, and names, as `("group", "astro", "")`, where a sort `qos` is
    followed by the name of the quality of service. Job j counts towards the limits
    `bound[offset[j]:offset[j + 1]]` with `total[j]`, and is held back by those of them that it `holds` for.
    """

    owner: tuple[str, ...]
    scope: tuple[tuple[str, ...], ...]
    resource: tuple[str, ...]
    most_jobs: Ints  # (C,)
    most: Ints  # (C, K)
    most_spent: Floats  # (C or 0, K), amounts times minutes
    most_ahead: Floats  # (C or 0, K), amounts times minutes
    offset: Ints  # (n + 1,)
    bound: Ints  # (rows,)
    holds: Mask  # (rows,)
    total: Ints  # (n, K)

    def held_by(self, value: int) -> HeldBy:
        """The limit that a SITE_LIMIT row of this value names."""
        number, part = divmod(value, PARTS)
        if part == 0:
            return HeldBy(number, self.owner[number], "jobs", "", int(self.most_jobs[number]))
        sort, column = divmod(part - 1, len(self.resource))
        name, kind = self.resource[column], _SORTS[sort]
        table = {"amount": self.most, "spent": self.most_spent, "ahead": self.most_ahead}[kind]
        return HeldBy(number, self.owner[number], kind, name, int(table[number, column]))

    def amounts(self, held: HeldBy) -> Ints:
        """How much each job, (n,), asks for of what is limited."""
        if held.sort == "jobs":
            return np.ones(len(self.total), np.int64)
        return np.asarray(self.total[:, self.resource.index(held.resource)], np.int64)

    def used(self, held: HeldBy, taken: Ints) -> int:
        """How much of a limit is used while each job has `taken` so much, (n,): 0 if it does not run."""
        return int(taken[self.counted(held.number)].sum())

    def passed(self, held: HeldBy, taken: Ints) -> tuple[int, tuple[str, ...]]:
        """How much of that is taken by jobs which the limit does not hold back, and the qualities of service
        whose own limits hold these instead, by name.
        """
        most = self.most_jobs if held.sort == "jobs" else self.most[:, self.resource.index(held.resource)]
        own, names, used = self.scope[held.number], set[str](), 0
        for job in np.flatnonzero((taken > 0) & self.counted(held.number)).tolist():
            rows = slice(*self.offset[job : job + 2].tolist())
            numbers = self.bound[rows][self.holds[rows]]
            # An owner has several limits where these hold back different jobs.
            theirs = [self.scope[number] for number in numbers[most[numbers] < UNBOUNDED].tolist()]
            if own in theirs:
                continue
            names |= {scope[1] for scope in theirs if _counts_alike(scope, own)}
            used += int(taken[job])
        return used, tuple(sorted(names))

    def counted(self, number: int) -> Mask:
        """The jobs that count towards a limit, (n,)."""
        counts = np.zeros(len(self.offset) - 1, np.bool_)
        rows = np.flatnonzero(self.bound == number)
        counts[np.searchsorted(self.offset, rows, "right") - 1] = True
        return counts


def _counts_alike(scope: tuple[str, ...], own: tuple[str, ...]) -> bool:
    """Whether a limit of a quality of service goes before another limit: one of a group before that of a
    group, and so for users and accounts; a limit on jobs of each user in an association yields to both.
    """
    if scope[0] != "qos":
        return False
    each = "group" if len(scope) == 2 else scope[2]
    of_own = own[0] if own[0] != "qos" else "group" if len(own) == 2 else own[2]
    return each == of_own or (own[0] == "user" and each == "account")


_SORTS: tuple[LimitSort, ...] = ("amount", "spent", "ahead")
