"""The jobs of a campus: users' bursts of similar jobs, put in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engine.arrays import Floats, Ints
from engine.trace.generate.campus_model import EXAMPLE, CampusModel
from engine.trace.generate.campus_users import User, draw_users
from engine.trace.generate.generated_log import (
    DAY,
    HOUR,
    GeneratedJobs,
    GeneratedLog,
    round_up,
    sizes_of,
)
from engine.trace.generate.requests import draw_requests

SHORTEST, LONGEST = 60, 30 * DAY

_BURST_SPREAD = 1.0  # of the logarithm, like every spread here: jobs of a user's bursts,
_LENGTH_SPREAD = 1.2  # their runtimes from burst to burst,
_JOB_SPREAD = 0.4  # runtimes within a burst,
_RAM_SPREAD = 0.6  # and RAM from burst to burst
_GAP, _GAP_SPREAD = 60.0, 1.0  # s, median time between two submissions of a burst
_USUAL_WIDTH = 0.75  # share of bursts with the user's first width; others have the second
_WHOLE_NODE = 0.01  # of a heavy user's bursts take whole nodes,
_TWO_NODES = 0.01  # as many take two


@dataclass(frozen=True, eq=False)
class _Burst:
    """Similar jobs that a user submits in sequence.

    `submit` (s) and `length` (a runtime relative to the user's other jobs) have shape
    (jobs,); the rest is the same for all: nodes, CPUs and MiB a node, and the user's number.
    """

    submit: Floats
    length: Floats
    nodes: int
    cpus: int
    ram: int
    user: int


def campus_jobs(seed: int, model: CampusModel = EXAMPLE) -> GeneratedJobs:
    """The jobs of a workload.

    The same seed gives the same jobs, as long as NumPy keeps its random streams. Their number and load are
    about those of the model: like an accounting log it leaves out jobs that could not end before the log
    does. Raises ValueError if the model's spells do not fit into its days.
    """
    rng = np.random.default_rng(seed)
    bursts: list[_Burst] = []
    wanted: list[Floats] = []
    for number, user in enumerate(draw_users(model, rng)):
        bursts_of_user = list(_bursts(user, number, model, rng))
        bursts += bursts_of_user
        wanted.append(_runtimes(user, bursts_of_user))
    jobs = np.array([len(burst.submit) for burst in bursts], np.int64)
    # Requests have random numbers of their own: a change of their model does not change other draws.
    walltime, runtime = draw_requests(
        model.requests, np.concatenate(wanted), np.cumsum(jobs) - jobs, np.random.default_rng((seed, 1))
    )
    submit = np.concatenate([burst.submit for burst in bursts]).astype(np.int64)
    same = [(burst.nodes, burst.cpus, burst.ram, burst.user) for burst in bursts]
    asked = np.repeat(np.column_stack((walltime, same)), jobs, axis=0).T
    order = np.argsort(submit, kind="stable")
    # As in an accounting log, what would end after the log is not in it.
    order = order[(submit + runtime)[order] <= model.days * DAY]
    nodes, cpus, ram, user_code = asked[1:, order]
    no_gpus = np.zeros(len(order), np.int64)
    return GeneratedJobs(
        *(submit[order], runtime[order], asked[0, order]),
        *(nodes, cpus, ram, _by_first_job(user_code), no_gpus),
    )


def _bursts(user: User, number: int, model: CampusModel, rng: np.random.Generator) -> Iterator[_Burst]:
    sizes = sizes_of(model.cluster.groups[0].ram)
    left = user.jobs
    # A user submits several like jobs in a row: the shape and memory are drawn for all of them.
    while left > 0:
        jobs = min(left, 1 + int(user.burst * _factor(_BURST_SPREAD, rng)))
        left -= jobs
        hour = rng.choice(len(user.hours), p=user.hours) + rng.random()
        gaps = _GAP * np.exp(_GAP_SPREAD * rng.standard_normal(jobs))
        nodes, cpus = _draw_shape(user, model, rng)
        yield _Burst(
            submit=hour * HOUR + np.cumsum(gaps),
            length=_factor(_LENGTH_SPREAD, rng) * np.exp(_JOB_SPREAD * rng.standard_normal(jobs)),
            nodes=nodes,
            cpus=cpus,
            ram=_rounded(user.ram * cpus * _factor(_RAM_SPREAD, rng), sizes),
            user=number,
        )


def _draw_shape(user: User, model: CampusModel, rng: np.random.Generator) -> tuple[int, int]:
    """Nodes, and CPUs on each of them, of the jobs of a burst."""
    luck = rng.random()
    if not user.heavy:
        return 1, user.widths[0 if luck < _USUAL_WIDTH else 1]
    if luck < _WHOLE_NODE:
        return 1, model.cluster.groups[0].cpus
    return (2 if luck < _WHOLE_NODE + _TWO_NODES else 1), user.widths[0]


def _runtimes(user: User, bursts: Sequence[_Burst]) -> Floats:
    """The runtimes of the jobs of a user's bursts, scaled to the user's work; s, shape (jobs,)."""
    length = sum(burst.nodes * burst.cpus * float(burst.length.sum()) for burst in bursts)
    lengths = np.concatenate([burst.length for burst in bursts])
    return np.clip(np.ceil(lengths * (user.work / length)), SHORTEST, LONGEST)


def _factor(spread: float, rng: np.random.Generator) -> float:
    """A lognormal factor of median 1."""
    return float(np.exp(spread * rng.standard_normal()))


def _rounded(value: float, sizes: tuple[int, ...]) -> int:
    return int(round_up(np.array([value]), sizes)[0])


def _by_first_job(user: Ints) -> Ints:
    """The users, numbered from 1 in the order of their first jobs."""
    _, first, code = np.unique(user, return_index=True, return_inverse=True)
    number = np.empty(len(first), np.int64)
    number[np.argsort(first)] = np.arange(1, len(first) + 1)
    return number[code]


def campus_log(seed: int, model: CampusModel = EXAMPLE) -> GeneratedLog:
    """The jobs of `campus_jobs` as a log, in one part. Raises ValueError as it does."""
    jobs = campus_jobs(seed, model)
    return GeneratedLog(model.cluster, model.zero, model.timezone, len(jobs), (jobs,))
