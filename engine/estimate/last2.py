"""The mean runtime of the last two completed jobs of a user (Tsafrir, Etsion & Feitelson 2007)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.arrays import Ints
from engine.compiler.kernels import inner_kernel

UNKNOWN = -1


class Last2(NamedTuple):
    """Runtimes of each user's last two completed jobs, s; UNKNOWN while there are fewer."""

    last: Ints  # (users,) s, runtime of the last completed job
    before: Ints  # (users,) s, runtime of the job completed before that


def make_last2(users: int) -> Last2:
    """The state before the first completion."""
    return Last2(np.full(users, UNKNOWN, np.int64), np.full(users, UNKNOWN, np.int64))


@inner_kernel
def last2_learn(p: Last2, user: int, runtime: int) -> None:
    """Record that a job of this user ended after `runtime` s."""
    p.before[user] = p.last[user]
    p.last[user] = runtime


@inner_kernel
def last2_predict(p: Last2, user: int, otherwise: int) -> int:
    """The mean of the two runtimes, s, rounded down, or `otherwise` where there are fewer."""
    if p.before[user] == UNKNOWN:
        return otherwise
    return int((p.last[user] + p.before[user]) // 2)
