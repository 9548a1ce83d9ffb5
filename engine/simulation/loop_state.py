"""The state of the event loop itself: the numbers that change from event to event."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.simulation.log_buffer import NOBODY
from engine.simulation.machine_state import NEVER
from engine.simulation.workload import Ints


class LoopState(NamedTuple):
    """Numbers of the event loop, each an array of shape (1,), so that kernels can change it.

    Times are in seconds; flags are 1 or 0. The arrays are views of `memory`, in this order, so that a fork
    copies all of them at once.
    """

    memory: Ints  # (17,) all numbers below
    submitted: Ints  # number of submitted jobs, and the turn of the job that is submitted next
    passes: Ints  # number of passes that were made
    next_pass: Ints  # time of the next pass where passes are made at an interval, or NEVER
    freed_until: Ints  # end of the time that reservations left free when they moved in the last sweep
    disturbed: Ints  # whether a pass may start jobs that already waited at the last pass
    valid_reservations: Ints  # jobs at the queue's front whose reservations a new sweep would make alike
    pass_due: Ints  # whether an event of this second calls for a pass
    first_new: Ints  # turn of the first job that was submitted in this second
    open_second: Ints  # time of the second whose events are half done, or NEVER
    pauses: Ints  # whether the loop returns after each submission
    target: Ints  # job at whose start a fork ends, or NOBODY
    reasons_outdated: Ints  # whether a backfilled job may have changed the reasons that were logged
    overran: Ints  # whether a job ran beyond its estimate in this second
    plan_still_until: Ints  # until when kept reservations only shift as far as overdue jobs delay them
    next_search: Ints  # time of the next search for a better plan, or NEVER
    plan_changed: Ints  # whether the plan has changed since a search found nothing better
    next_hour: Ints  # time at which the clock alone may let a job start, or NEVER


def make_loop_state() -> LoopState:
    """The loop state before the first event."""
    memory = np.zeros(len(LoopState._fields) - 1, np.int64)
    state = _views(memory)
    state.next_pass[0] = state.next_search[0] = state.open_second[0] = state.next_hour[0] = NEVER
    state.target[0] = NOBODY
    return state


def copy_of_loop_state(state: LoopState) -> LoopState:
    """A copy that shares no memory with `state`."""
    return _views(state.memory.copy())


def _views(memory: Ints) -> LoopState:
    return LoopState(memory, *(memory[index : index + 1] for index in range(len(memory))))
