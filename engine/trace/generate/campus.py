"""The jobs of a campus: users' bursts of similar jobs, put in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.trace.generate.campus_model import EXAMPLE, CampusModel
from engine.trace.generate.campus_users import User, draw_users
from engine.trace.generate.generated import (
    DAY,
    HOUR,
    WALLTIMES,
    GeneratedJobs,
    GeneratedLog,
    round_up,
    sizes_of,
)

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

SHORTEST, LONGEST = 60, 30 * DAY

_BURST_SPREAD = 1.0  # of the logarithm, like every spread here: jobs of a user's bursts,
_LENGTH_SPREAD = 1.2  # their runtimes from burst to burst,
_JOB_SPREAD = 0.4  # runtimes within a burst,
_SLACK_SPREAD = 1.2  # walltime over the longest runtime of a burst (never below it),
_RAM_SPREAD = 0.6  # and RAM from burst to burst
_GAP, _GAP_SPREAD = 60.0, 1.0  # s, median time between two submissions of a burst
_USUAL_WIDTH = 0.75  # of the bursts; the others have the user's second width
_WHOLE_NODE = 0.01  # of a heavy user's bursts take whole nodes,
_TWO_NODES = 0.01  # as many take two


@dataclass(frozen=True, eq=False)
class _Burst:
    """Similar jobs that a user submits one after the other.

    `submit` (s) and `length` (a runtime relative to the user's other jobs) have shape
    (jobs,); the rest is the same for all: nodes, CPUs and MiB a node, and how much longer
    than the longest runtime the walltime is.
    """

    submit: Floats
    length: Floats
    nodes: int
    cpus: int
    ram: int
    slack: float


def campus_jobs(seed: int, model: CampusModel = EXAMPLE) -> GeneratedJobs:
    """The jobs of a workload.

    The same seed gives the same jobs, as long as NumPy keeps its random streams. They are
    about as many as the model says and ask for about its load: like an accounting log this
    leaves out jobs that could not end before the log does. Raises ValueError where
    the model's spells do not fit into its days.
    """
    rng = np.random.default_rng(seed)
    table = np.concatenate(
        [
            _timed(user, number, list(_bursts(user, model, rng)))
            for number, user in enumerate(draw_users(model, rng))
        ],
        axis=1,
    )
    submit, runtime = table[:2]
    order = np.argsort(submit, kind="stable")
    columns = table[:, order[(submit + runtime)[order] <= model.days * DAY]]
    columns[-1] = _by_first_job(columns[-1])
    no_gpus = np.zeros_like(columns[:1])
    return GeneratedJobs(*np.concatenate((columns, no_gpus)))


def _bursts(user: User, model: CampusModel, rng: np.random.Generator) -> Iterator[_Burst]:
    sizes = sizes_of(model.cluster.groups[0].ram)
    left = user.jobs
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
            slack=float(np.exp(_SLACK_SPREAD * abs(rng.standard_normal()))),
        )


def _draw_shape(user: User, model: CampusModel, rng: np.random.Generator) -> tuple[int, int]:
    """Nodes, and CPUs on each of them, of the jobs of one burst."""
    luck = rng.random()
    if not user.heavy:
        return 1, user.widths[0 if luck < _USUAL_WIDTH else 1]
    if luck < _WHOLE_NODE:
        return 1, model.cluster.groups[0].cpus
    return (2 if luck < _WHOLE_NODE + _TWO_NODES else 1), user.widths[0]


def _timed(user: User, number: int, bursts: Sequence[_Burst]) -> Ints:
    """The jobs of a user's bursts, of such runtimes that they make up the user's work.

    One row a column of Jobs, shape (7, jobs).
    """
    length = sum(burst.nodes * burst.cpus * float(burst.length.sum()) for burst in bursts)
    rows = []
    for burst in bursts:
        runtime = np.clip(np.ceil(burst.length * (user.work / length)), SHORTEST, LONGEST)
        walltime = _rounded(float(runtime.max()) * burst.slack, WALLTIMES)
        rows.append(
            np.broadcast_arrays(burst.submit, runtime, walltime, burst.nodes, burst.cpus, burst.ram, number)
        )
    return np.concatenate(rows, axis=1).astype(np.int64)


def _factor(spread: float, rng: np.random.Generator) -> float:
    """A lognormal factor of median 1."""
    return float(np.exp(spread * rng.standard_normal()))


def _rounded(value: float, sizes: tuple[int, ...]) -> int:
    return int(round_up(np.array([value]), sizes)[0])


def _by_first_job(user: Ints) -> Ints:
    """The same users, numbered from 1 in the order in which they first come."""
    _, first, code = np.unique(user, return_index=True, return_inverse=True)
    number = np.empty(len(first), np.int64)
    number[np.argsort(first)] = np.arange(1, len(first) + 1)
    return number[code]


def campus_log(seed: int, model: CampusModel = EXAMPLE) -> GeneratedLog:
    """The jobs of `campus_jobs` as a log, in one part. Raises ValueError as it does."""
    jobs = campus_jobs(seed, model)
    return GeneratedLog(model.cluster, model.zero, model.timezone, len(jobs), (jobs,))
