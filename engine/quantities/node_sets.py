"""The nodes on which jobs ran, by the log: several a job, which filters look among."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np

from engine.arrays import Ints, Mask
from engine.slurm.values.host_list import compress_hosts
from engine.trace import Pieces, Trace

_NONE = np.empty(0, np.int64)


@dataclass(frozen=True, eq=False)
class NodeSets:
    """The nodes of n jobs, empty for jobs without nodes in the log; `names` are those of all nodes."""

    names: Sequence[str]
    pieces: Pieces

    @classmethod
    def of_log(cls, trace: Trace) -> NodeSets:
        """The nodes on which the jobs of a trace ran, by the log."""
        if trace.recorded_nodes is None:
            return cls((), Pieces(np.zeros(len(trace) + 1, np.int64), {"node": _NONE}))
        return cls(trace.cluster.node_names(), trace.recorded_nodes)

    def known(self) -> Mask:
        """The jobs with known nodes, shape (n,)."""
        return np.asarray(np.diff(self.pieces.offset) > 0)

    def any_of(self, nodes: Mask) -> Mask:
        """The jobs that ran on at least one of these nodes, shape (n,); `nodes` has shape (names,)."""
        if not len(nodes):
            return np.zeros(len(self.pieces.offset) - 1, np.bool_)
        before = np.concatenate(([0], np.cumsum(nodes[self.pieces["node"]])))
        return np.asarray(before[self.pieces.offset[1:]] > before[self.pieces.offset[:-1]])

    @cached_property
    def lists(self) -> NodeListNames:
        """The different lists of nodes, each formatted at its access."""
        return NodeListNames(self, self._codes[0])

    @property
    def codes(self) -> Ints:
        """The index in `lists` of each job's nodes, shape (n,)."""
        return self._codes[1]

    @cached_property
    def _codes(self) -> tuple[Ints, Ints]:
        """The first job of each list, and the list of each job. Sums of random words distinguish lists."""
        words = np.random.default_rng(0).integers(0, 1 << 63, len(self.names), np.uint64)
        with np.errstate(over="ignore"):
            sums = np.concatenate((np.zeros(1, np.uint64), np.cumsum(words[self.pieces["node"]])))
            sums_of_jobs = sums[self.pieces.offset[1:]] - sums[self.pieces.offset[:-1]]
        _, first, codes = np.unique(sums_of_jobs, return_index=True, return_inverse=True)
        return first.astype(np.int64), codes.astype(np.int64)


class NodeListNames(Sequence[str]):
    """Lists of nodes like `c[001-003]`, formatted at their access, as there may be as many as jobs."""

    def __init__(self, sets: NodeSets, jobs: Ints) -> None:
        self._sets, self._jobs = sets, jobs

    def __len__(self) -> int:
        return len(self._jobs)

    @overload
    def __getitem__(self, which: int) -> str: ...
    @overload
    def __getitem__(self, which: slice) -> list[str]: ...
    def __getitem__(self, which: int | slice) -> str | list[str]:
        if isinstance(which, slice):
            return [self[k] for k in range(len(self))[which]]
        job, pieces = self._jobs[which], self._sets.pieces
        nodes = np.unique(pieces["node"][pieces.offset[job] : pieces.offset[job + 1]])
        return compress_hosts([self._sets.names[node] for node in nodes.tolist()])
