"""Fairshare: how much each user has used of the machine, forgotten by half each half-life."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.compiler.kernels import inner_kernel

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

QUANTUM = 2.0**-10
"""Usage factors closer than this, in machine-seconds, are equal: the last bits of a float decide no turn."""

REBASE = 32  # half-lives after which the epoch moves on, long before powers of two overflow


class Usage(NamedTuple):
    """Decayed usage of each user.

    With h the half-life and G(t) = 2^((t - epoch) / h), the usage of a user,
    U(t) = sum over jobs of P h / ln 2 (2^(-(t - e) / h) - 2^(-(t - b) / h)), is
    h / ln 2 (settled / G(t) + rate): a job adds -P G(b) to `settled` and P to `rate` at its
    start b, and the opposite at its end e. So a pass needs one power for all users.
    Without decay G(t) = t - epoch and U(t) = settled + rate G(t).
    """

    weight: Floats  # (n,) P_j, share of the machine
    user: Ints  # (n,) codes
    share: Floats  # (users,)
    settled: Floats  # (users,)
    rate: Floats  # (users,)
    running: Ints  # (users,) jobs
    epoch: Ints  # (1,) s
    half_life: int  # s; 0: usage is never forgotten
    at_end: bool  # usage counts when a job ends, as a whole


def make_usage(weight: Floats, user: Ints, share: Floats, epoch: int, half_life: int, at_end: bool) -> Usage:
    """Nobody has used anything. `share` has shape (users,); usage is divided by it."""
    users = len(share)
    return Usage(
        weight=weight,
        user=user,
        share=share,
        settled=np.zeros(users),
        rate=np.zeros(users),
        running=np.zeros(users, np.int64),
        epoch=np.full(1, epoch, np.int64),
        half_life=half_life,
        at_end=at_end,
    )


@inner_kernel
def usage_started(usage: Usage, job: int, now: int) -> None:
    """The job starts to use the machine."""
    if usage.at_end:
        return
    user = usage.user[job]
    growth = usage_growth(usage, now)  # first, since it may change what is settled
    usage.settled[user] -= usage.weight[job] * growth
    usage.rate[user] += usage.weight[job]
    usage.running[user] += 1


@inner_kernel
def usage_ended(usage: Usage, job: int, start: int, now: int) -> None:
    """The job ends."""
    user = usage.user[job]
    weight = usage.weight[job]
    growth = usage_growth(usage, now)
    if usage.at_end:
        area = weight * (now - start)
        if usage.half_life > 0:
            area *= np.log(2.0) / usage.half_life * growth
        usage.settled[user] += area
        return
    usage.settled[user] += weight * growth
    usage.running[user] -= 1
    # With nothing running the rate is 0, whatever rounding left of it.
    usage.rate[user] = usage.rate[user] - weight if usage.running[user] > 0 else 0.0


@inner_kernel
def usage_factor(usage: Usage, user: int, growth: float) -> float:
    """U_u / share_u in whole quanta, at the time whose `usage_growth` is given."""
    if usage.half_life > 0:
        used = usage.half_life / np.log(2.0) * (usage.settled[user] / growth + usage.rate[user])
    else:
        used = usage.settled[user] + usage.rate[user] * growth
    return float(np.floor(used / usage.share[user] / QUANTUM + 0.5))


@inner_kernel
def usage_growth(usage: Usage, now: int) -> float:
    """G(now); moves the epoch on where it has fallen far behind."""
    elapsed = now - usage.epoch[0]
    if usage.half_life == 0:
        return float(elapsed)
    if elapsed > REBASE * usage.half_life:
        # By whole half-lives, so that the division is exact.
        halvings = elapsed // usage.half_life
        for user in range(len(usage.settled)):
            usage.settled[user] *= 2.0 ** (-float(halvings))
        usage.epoch[0] += halvings * usage.half_life
        elapsed -= halvings * usage.half_life
    return float(2.0 ** (elapsed / usage.half_life))
