"""The limits of a site that held jobs, as the decision log names them: whose they are, what they allow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

LimitSort = Literal["jobs", "amount", "spent", "ahead"]
"""What is limited: running jobs; what they hold of a resource; resources times time of all that ran, as usage
decays; and what running jobs may still take by their time limits.
"""

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

    `owner` are the names of those whose jobs count together: `account astro`, `user bob in QOS high`. Job j
    counts towards the limits `bound[offset[j]:offset[j + 1]]` with `total[j]`.
    """

    owner: tuple[str, ...]
    resource: tuple[str, ...]
    most_jobs: Ints  # (C,)
    most: Ints  # (C, K)
    most_spent: Floats  # (C or 0, K), amounts times minutes
    most_ahead: Floats  # (C or 0, K), amounts times minutes
    offset: Ints  # (n + 1,)
    bound: Ints  # (rows,)
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

    def used(self, held: HeldBy, running: Mask) -> int:
        """How much of a limit of running jobs, or of what these hold, the running jobs, (n,), use."""
        counts = running & self.counted(held.number)
        if held.sort == "jobs":
            return int(counts.sum())
        return int(self.total[counts, self.resource.index(held.resource)].sum())

    def asked(self, held: HeldBy, job: int) -> int:
        """How much of what is limited a job asks for."""
        return 1 if held.sort == "jobs" else int(self.total[job, self.resource.index(held.resource)])

    def counted(self, number: int) -> Mask:
        """The jobs that count towards a limit, (n,)."""
        counts = np.zeros(len(self.offset) - 1, np.bool_)
        rows = np.flatnonzero(self.bound == number)
        counts[np.searchsorted(self.offset, rows, "right") - 1] = True
        return counts


_SORTS: tuple[LimitSort, ...] = ("amount", "spent", "ahead")
