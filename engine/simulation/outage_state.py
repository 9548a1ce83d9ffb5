"""Nodes that are down, as the kernels see them.

An outage runs like a job that takes all of its node and ends when it is expected to: outage k is
job n + k. So whatever looks ahead (reservations, profiles, plans) knows when the node comes back.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from engine.compiler.packed import unchanging
from engine.machine.outages import Outages
from engine.simulation.machine_state import NEVER, MachineState
from engine.simulation.workload import Ints, Workload


class OutageState(NamedTuple):
    """The outages, m of them, and the runs of jobs that they cut short.

    The one row of `pieces` that outage k takes is row k.
    """

    node: Ints  # (m,)
    start: Ints  # (m,) s, ascending
    end: Ints  # (m,) s
    begun: Ints  # (1,) number of outages that have begun
    lasting: Ints  # (1,) number of outages that have begun and are not over
    stopped: Ints  # (room, 5) job, start, end (s), first row of `pieces`, number of rows
    used: Ints  # (1,) rows of `stopped`
    restarts: Ints  # (n,) how often the job was stopped; (0,) where nothing fails


def make_outage_state(work: Workload, outages: Outages, first: int) -> OutageState:
    """Nothing is down yet; what is down before `first`, s, when the first job comes, fails then."""
    if not len(outages):
        return _no_outages()
    table = outages.clipped(first, NEVER)
    return _outage_state(table.node, table.start, table.end, len(work.submit) if len(table) else 0)


@cache
def _no_outages() -> OutageState:
    none = np.zeros(0, np.int64)
    return unchanging(_outage_state(none, none, none, 0))


def _outage_state(node: Ints, start: Ints, end: Ints, jobs: int) -> OutageState:
    return OutageState(
        node=np.array(node),
        start=np.array(start),
        end=np.array(end),
        begun=np.zeros(1, np.int64),
        lasting=np.zeros(1, np.int64),
        stopped=np.zeros((0, 5), np.int64),
        used=np.zeros(1, np.int64),
        restarts=np.zeros(jobs, np.int64),
    )


def with_outages(
    work: Workload, machine: MachineState, outage_state: OutageState
) -> tuple[Workload, MachineState]:
    """The same with what outages need, behind what jobs do, and where."""
    if not len(outage_state.node):
        return work, machine
    outages = len(outage_state.node)
    whole = work.capacity[outage_state.node]
    machine = machine._replace(
        pieces=np.ascontiguousarray(np.concatenate((outage_state.node[:, None], whole), axis=1)),
        first_piece=np.concatenate((machine.first_piece, np.arange(outages))),
        piece_count=np.concatenate((machine.piece_count, np.ones(outages, np.int64))),
        pieces_used=np.full(1, outages, np.int64),
    )
    return work._replace(need=np.concatenate((work.need, whole))), machine
