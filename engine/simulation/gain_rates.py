"""What greedy plans go by: the gain in D for each second of a job's or user's wait, and what users use."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.compiler.kernels import inner_kernel
from engine.simulation.workload import Ints

Floats = NDArray[np.float64]


class GainRates(NamedTuple):
    """Gains for a second less of wait (scratch), and how much jobs ran of what they asked for; else empty."""

    of_job: Floats  # (n,) gain by a second, users' normalized waits apart
    of_user: Floats  # (users,) gain by a second, times what the user uses
    area: Floats  # (n,) P_j times what is believed of the runtime, processor-seconds
    due: Ints  # (n,) s, by when the job was to start that has waited too long; NEVER for others
    use: Floats  # (users,) processor-seconds that the user has likely used when what was taken so far has run
    ran: Ints  # (users + 1,) s, of the user's jobs that ended; the last row is of all users
    asked: Ints  # (users + 1,) s, what was believed of these


def make_gain_rates(jobs: int, users: int) -> GainRates:
    """No job has ended."""
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
    """A job of the user that was believed to run for `length` ended after `ran`, both s."""
    everybody = len(rates.ran) - 1
    rates.ran[user] += ran
    rates.asked[user] += length
    rates.ran[everybody] += ran
    rates.asked[everybody] += length


@inner_kernel
def likely_runtime(rates: GainRates, user: int, length: int) -> float:
    """How long a job of the user likely runs that is believed to run for `length`, both s.

    As much of that as the user's jobs did that ended, and one more that did as everybody's.
    """
    everybody = len(rates.ran) - 1
    usual = float(length)
    if rates.asked[everybody] > 0:
        usual = length * (rates.ran[everybody] / rates.asked[everybody])
    return float(length * (rates.ran[user] + usual) / (rates.asked[user] + length))
