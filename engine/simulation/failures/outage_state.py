"""Nodes that are down, as the kernels see them.

Outage k is simulated as job n + k, which takes all of its node and ends when it is expected to. So
reservations, profiles and plans know when the node comes back.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from engine.compiler.packed_tuples import unchanging
from engine.machine.outages import Outages
from engine.simulation.machine_state import NEVER, MachineState
from engine.simulation.workload import Ints, Workload


class OutageState(NamedTuple):
    """The outages, m of them, and the runs of jobs that they stopped.

    Outage k takes one row of `MachineState.pieces`, row k.
    """

    node: Ints  # (m,) node that is down
    start: Ints  # (m,) s, when the node fails; ascending
    end: Ints  # (m,) s, when the node comes back
    begun: Ints  # (1,) number of outages that have begun
    lasting: Ints  # (1,) number of outages that have begun and are not over
    stopped: Ints  # (room, 6) of each stopped run: job, start, end (s), first row in `pieces`, number of
    #  rows, and the job for which it was stopped, or -1
    used: Ints  # (1,) rows of `stopped` in use
    restarts: Ints  # (n,) how often failures stopped the job; (0,) where nothing fails
    failures: Ints  # (nodes,) scratch: how often each node has failed so far; (0,) where nothing fails
    up: Ints  # (nodes,) scratch: s for which each node was up so far; (0,) where nothing fails


def make_outage_state(work: Workload, outages: Outages, first: int, preempts: bool = False) -> OutageState:
    """The state before the first failure; outages from before the first submission, `first`, begin then.

    Where the policy `preempts`, runs are stopped though nothing fails.
    """
    if not len(outages):
        none = np.zeros(0, np.int64)
        return _outage_state(none, none, none, 0, 0) if preempts else _no_outages()
    table = outages.clipped(first, NEVER)
    jobs, nodes = (len(work.submit), len(work.capacity)) if len(table) else (0, 0)
    return _outage_state(table.node, table.start, table.end, jobs, nodes)


@cache
def _no_outages() -> OutageState:
    none = np.zeros(0, np.int64)
    return unchanging(_outage_state(none, none, none, 0, 0))


def _outage_state(node: Ints, start: Ints, end: Ints, jobs: int, nodes: int) -> OutageState:
    return OutageState(
        node=np.array(node),
        start=np.array(start),
        end=np.array(end),
        begun=np.zeros(1, np.int64),
        lasting=np.zeros(1, np.int64),
        stopped=np.zeros((0, 6), np.int64),
        used=np.zeros(1, np.int64),
        restarts=np.zeros(jobs, np.int64),
        failures=np.zeros(nodes, np.int64),
        up=np.zeros(nodes, np.int64),
    )


def with_outages(
    work: Workload, machine: MachineState, outage_state: OutageState
) -> tuple[Workload, MachineState]:
    """Workload and machine with the needs and the node pieces of outages, numbered behind those of jobs."""
    if not len(outage_state.node):
        return work, machine
    node, outages = outage_state.node, len(outage_state.node)
    whole = work.capacity[node]
    # Outage i is job n + i: it holds the whole of one node, in row i of the table of pieces, which stand in
    # front of all rows of jobs. So the kernels free and take nodes of outages as those of jobs.
    machine = machine._replace(
        pieces=np.ascontiguousarray(np.column_stack((node, np.left_shift(np.int64(1), node % 64), whole))),
        first_piece=np.concatenate((machine.first_piece, np.arange(outages))),
        piece_count=np.concatenate((machine.piece_count, np.ones(outages, np.int64))),
        pieces_used=np.full(1, outages, np.int64),
    )
    return work._replace(need=np.concatenate((work.need, whole))), machine
