"""The result of generators: jobs in order of submission, and the log that contains them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints
from engine.machine.cluster import Cluster

GPU = "gpu"
"""The name of GPUs in descriptions of machines."""

HOUR = 3600
DAY = 24 * HOUR

RAM_SIZES = (
    *(100, 200, 400),
    *(gib << 10 for gib in (1, 2, 3, 4, 6, 8, 10, 16, 20, 32, 50, 64, 100, 128, 200, 256, 400)),
)
"""Requested MiB per node; users who need more request all of a node's RAM."""


@dataclass(frozen=True, eq=False)
class GeneratedJobs:
    """Jobs in order of submission: an entry for each job in every column, shape (n,), int64.

    Times are seconds from the log's zero. A job asks for `nodes` nodes and on each of them
    for `cpus` processors, `ram` MiB (0: no request), and `gpus`. Users are numbered from 1.
    """

    submit: Ints
    runtime: Ints
    walltime: Ints
    nodes: Ints
    cpus: Ints
    ram: Ints
    user: Ints
    gpus: Ints

    def __len__(self) -> int:
        return len(self.submit)


@dataclass(frozen=True, eq=False)
class GeneratedLog:
    """A synthetic log: `jobs` jobs in parts, in sequence, of a machine, beginning at `zero` (Unix time).

    The parts are generated on demand, so that a log may be longer than memory.
    """

    cluster: Cluster
    zero: int
    timezone: str
    jobs: int
    parts: Iterable[GeneratedJobs]


def sizes_of(node_ram: int | None) -> tuple[int, ...]:
    """The RAM_SIZES that fit into a node of `node_ram` MiB, and all its RAM; all sizes if it is None."""
    return RAM_SIZES if node_ram is None else (*(size for size in RAM_SIZES if size < node_ram), node_ram)


def round_up(values: NDArray[np.float64], sizes: tuple[int, ...]) -> Ints:
    """The smallest of the ascending sizes that is at least each value, otherwise the largest size; shape
    (n,).
    """
    index = np.minimum(np.searchsorted(sizes, values), len(sizes) - 1)
    return np.array(sizes, np.int64)[index]
