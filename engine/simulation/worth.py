"""What greedy plans go by: what seconds of jobs and of users' waits are worth, and how much users use."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.compiler.kernels import inner_kernel
from engine.simulation.workload import Ints

Floats = NDArray[np.float64]


class Worth(NamedTuple):
    """Scratch of a plan that is made, and how much jobs ran of what they asked for; else empty."""

    of_job: Floats  # (n,) gain by a second, users' normalized waits apart
    of_user: Floats  # (users,) gain by a second, times what the user uses
    area: Floats  # (n,) P_j times what is believed of the runtime, processor-seconds
    due: Ints  # (n,) s, by when the job was to start that has waited too long; NEVER for others
    use: Floats  # (users,) processor-seconds that the user has likely used when what was taken so far has run
    ran: Ints  # (users + 1,) s, of the user's jobs that ended; the last row is of all users
    asked: Ints  # (users + 1,) s, what was believed of these


def make_worth(jobs: int, users: int) -> Worth:
    """No job has ended."""
    return Worth(
        of_job=np.zeros(jobs),
        of_user=np.zeros(users),
        area=np.zeros(jobs),
        due=np.zeros(jobs, np.int64),
        use=np.zeros(users),
        ran=np.zeros(users + 1, np.int64),
        asked=np.zeros(users + 1, np.int64),
    )


@inner_kernel
def learn_runtime(worth: Worth, user: int, length: int, ran: int) -> None:
    """A job of the user that was believed to run for `length` ended after `ran`, both s."""
    everybody = len(worth.ran) - 1
    worth.ran[user] += ran
    worth.asked[user] += length
    worth.ran[everybody] += ran
    worth.asked[everybody] += length


@inner_kernel
def likely_runtime(worth: Worth, user: int, length: int) -> float:
    """How long a job of the user likely runs that is believed to run for `length`, both s.

    As much of that as the user's jobs did that ended, and one more that did as everybody's.
    """
    everybody = len(worth.ran) - 1
    usual = float(length)
    if worth.asked[everybody] > 0:
        usual = length * (worth.ran[everybody] / worth.asked[everybody])
    return float(length * (worth.ran[user] + usual) / (worth.asked[user] + length))
