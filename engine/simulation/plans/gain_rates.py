"""Rates for greedy planning: the gain in D per second of a job's or user's wait, and users' likely usage."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.compiler.kernels import inner_kernel
from engine.simulation.workload import Ints

Floats = NDArray[np.float64]


class GainRates(NamedTuple):
    """Gains in D per second of wait (scratch), and the runtimes of ended jobs; empty for other searches."""

    of_job: Floats  # (n,) gain per second that the job waits less, without users' normalized waits
    of_user: Floats  # (users,) gain per second that the user waits less, times the user's usage
    area: Floats  # (n,) processor-seconds, P_j times the estimated runtime
    due: Ints  # (n,) s, latest start of a job that has waited too long; NEVER for others
    use: Floats  # (users,) processor-seconds, likely usage with the jobs planned so far
    ran: Ints  # (users + 1,) s, total runtime of the user's ended jobs; the last row is for all users
    asked: Ints  # (users + 1,) s, total estimate of these jobs


def make_gain_rates(jobs: int, users: int) -> GainRates:
    """The rates before the first end of a job."""
    return GainRates(
        of_job=np.zeros(jobs),
        of_user=np.zeros(users),
        area=np.zeros(jobs),
        due=np.zeros(jobs, np.int64),
        use=np.zeros(users),
        ran=np.zeros(users + 1, np.int64),
        asked=np.zeros(users + 1, np.int64),
    )


@inner_kernel
def learn_runtime(rates: GainRates, user: int, length: int, ran: int) -> None:
    """Count an ended job of the user: it was estimated to run for `length` and ran for `ran`, s."""
    everybody = len(rates.ran) - 1
    rates.ran[user] += ran
    rates.asked[user] += length
    rates.ran[everybody] += ran
    rates.asked[everybody] += length


@inner_kernel
def likely_runtime(rates: GainRates, user: int, length: int) -> float:
    """The likely runtime of a job of the user with the estimate `length`, both s.

    It is the estimate times the share of their estimates for which the user's ended jobs ran. One job of this
    length that behaves like the average of all users is counted with them, for users with few ended jobs.
    """
    everybody = len(rates.ran) - 1
    usual = float(length)
    if rates.asked[everybody] > 0:
        usual = length * (rates.ran[everybody] / rates.asked[everybody])
    return float(length * (rates.ran[user] + usual) / (rates.asked[user] + length))
