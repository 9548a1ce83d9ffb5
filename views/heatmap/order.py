"""In which order users stand below one another."""

from __future__ import annotations

import re
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.trace import Trace

OrderKind = Literal["violations", "name", "usage"]
Ints = NDArray[np.int64]


def user_order(trace: Trace, totals: Ints, by: OrderKind = "violations") -> Ints:
    """Codes of the users with any violation, from top to bottom.

    `totals`, shape (users,), are their violated jobs times minutes, summed over all runs that
    are shown together, so that all have the same rows.
    """
    users = np.flatnonzero(totals > 0)
    if by == "violations":
        return users[np.argsort(-totals[users], kind="stable")]
    if by == "name":
        return np.array(sorted(users, key=lambda code: _natural(trace.user.names[code])), np.int64)
    used = np.zeros(len(trace.user.names), np.int64)
    np.add.at(used, trace.user.codes, trace.procs * trace.runtime)
    return users[np.argsort(-used[users], kind="stable")]


def _natural(name: str) -> list[tuple[int, str]]:
    """Numbers within names count as numbers: user2 stands before user10."""
    parts = re.split(r"(\d+)", name)
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts if part]
