"""Fairshare: the usage of the machine by each user, which decays by half in each half-life."""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from engine.arrays import Floats, Ints
from engine.compiler.kernels import inner_kernel
from engine.compiler.packed_tuples import unchanging

SIGNIFICANT_BITS = 40
"""Bits of sort keys, such as usage factors: rounding errors lie behind these and decide no order."""

_SPLITTER = 2.0 ** (53 - SIGNIFICANT_BITS) + 1
"""Veltkamp's constant C: x C - (x C - x) in float64 is x rounded to SIGNIFICANT_BITS."""


class Usage(NamedTuple):
    """Decayed usage of each user, or group of users, updated at each second in which a job starts or ends.

    With the mean life l = h / ln 2, h the half-life, the usage of a user is U(t) = sum over jobs of P l
    (e^(-(t - end) / l) - e^(-(t - start) / l)). From one such second, `since`, to the next it is U(t) =
    U(since) e^(-(t - since) / l) + rate l (1 - e^(-(t - since) / l)), `rate` the sum of P of the user's
    running jobs; without decay U(since) + rate (t - since). No term is ever subtracted from another, so that
    rounding errors stay small relative to the sum.

    If the total is requested, the last row covers all users together: their usage, and the sum of their
    shares.
    """

    weight: Floats  # (n,) P_j, share of the machine
    user: Ints  # (n,) codes
    share: Floats  # (users + 1,) share of each user, any positive number
    used: Floats  # (users + 1,) U(since), machine-seconds
    since: Ints  # (users + 1,) s, time of the last update
    rate: Floats  # (users + 1,) sum of P_j of the user's running jobs
    running: Ints  # (users + 1,) jobs
    mean_life: float  # h / ln 2, s; 0: usage is never forgotten
    at_end: bool  # usage counts when a job ends, as a whole
    of_all: bool  # whether the last row, for all users, is maintained


def make_usage(
    weight: Floats, user: Ints, share: Floats, half_life: int, at_end: bool, all_shares: float = 0.0
) -> Usage:
    """The usage before the first start; `share`, (users,), is what each user's usage is divided by.

    `all_shares` is the sum of shares for `overall_factor`, which leaves out users without a job
    that runs; 0 if the total is not needed.
    """
    # One row more than users: the last one is the total of all.
    rows = len(share) + 1
    return Usage(
        weight=weight,
        user=user,
        share=np.append(share, all_shares or 1.0),
        used=np.zeros(rows),
        since=np.zeros(rows, np.int64),
        rate=np.zeros(rows),
        running=np.zeros(rows, np.int64),
        mean_life=half_life / math.log(2.0),
        at_end=at_end,
        of_all=all_shares > 0,
    )


@cache
def no_usage() -> Usage:
    """The empty state, for policies that do not use fairshare."""
    return unchanging(make_usage(np.zeros(0), np.zeros(0, np.int64), np.zeros(0), 0, at_end=False))


@inner_kernel
def usage_started(usage: Usage, job: int, now: int) -> None:
    """Count the job as running from `now` on."""
    # Such usage is counted at the end in one amount.
    if usage.at_end:
        return
    user, weight = usage.user[job], usage.weight[job]
    _add_rate(usage, user, now, weight)
    if usage.of_all:
        _add_rate(usage, len(usage.share) - 1, now, weight)


@inner_kernel
def usage_ended(usage: Usage, job: int, start: int, now: int) -> None:
    """Count the job, started at `start`, as ended at `now`."""
    user, weight = usage.user[job], usage.weight[job]
    _take(usage, user, now, weight, start)
    if usage.of_all:
        _take(usage, len(usage.share) - 1, now, weight, start)


@inner_kernel
def significant(number: float) -> float:
    """The number rounded to SIGNIFICANT_BITS."""
    scaled = _SPLITTER * number
    return float(scaled - (scaled - number))


@inner_kernel
def usage_factor(usage: Usage, user: int, now: int) -> float:
    """U_u(now) / share_u, to SIGNIFICANT_BITS."""
    return significant(_used_at(usage, user, now) / usage.share[user])


@inner_kernel
def overall_factor(usage: Usage, now: int) -> float:
    """The usage of all users over the sum of their shares; with equal shares the mean factor."""
    return usage_factor(usage, len(usage.share) - 1, now)


@inner_kernel
def _add_rate(usage: Usage, row: int, now: int, weight: float) -> None:
    _add_area(usage, row, now, 0.0)
    usage.rate[row] += weight
    usage.running[row] += 1


@inner_kernel
def _take(usage: Usage, row: int, now: int, weight: float, start: int) -> None:
    """Subtract an ended job from the usage rate or, with `at_end`, add its whole usage."""
    if usage.at_end:
        _add_area(usage, row, now, weight * (now - start))
        return
    _add_area(usage, row, now, 0.0)
    usage.running[row] -= 1
    # With nothing running the rate is 0, whatever rounding left of it.
    usage.rate[row] = usage.rate[row] - weight if usage.running[row] > 0 else 0.0


@inner_kernel
def _add_area(usage: Usage, row: int, now: int, area: float) -> None:
    """Update the row's usage to `now`, and add `area` machine-seconds."""
    usage.used[row] = _used_at(usage, row, now) + area
    usage.since[row] = now


@inner_kernel
def _used_at(usage: Usage, row: int, now: int) -> float:
    """U(now), machine-seconds; `now` is not before the row's last start or end of a job."""
    elapsed = now - usage.since[row]
    if usage.mean_life == 0:
        return float(usage.used[row] + usage.rate[row] * elapsed)
    lives = elapsed / usage.mean_life
    if usage.rate[row] == 0:
        return float(usage.used[row] * math.exp(-lives))
    forgotten = -math.expm1(-lives)  # 1 - e^-lives, exact where that is small
    kept = 1 - forgotten if forgotten < 0.5 else math.exp(-lives)
    return float(usage.used[row] * kept + usage.rate[row] * usage.mean_life * forgotten)
