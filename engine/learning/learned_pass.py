"""A pass that asks which job to start next, and does the rest: the same for training and for use.

In training the environment answers what it is asked; a trained policy is asked by `follow`, in a scheduler
of a user's file. Both start the same jobs at the same times.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from typing import Any

import numpy as np

from engine.learning.observation import Observation, observed
from engine.simulation.own.visible_state import PassState

ASKS = object()
"""What `decisions` yields to be sent the place of the next job among the first that wait."""

_CHOSEN = "batchscope.learning: chosen"  # in the scheduler's memory: the job that waits for its processors


def decisions(state: PassState, jobs: int, backfill: bool) -> Generator[Any, int | None, None]:
    """One pass: yields ASKS for the next job, starts it, or reserves for it and backfills beside it.

    A job that was chosen starts as soon as its processors are free; until then nothing else is chosen. A
    place behind the jobs that wait counts as the first.
    """
    chosen = state.memory.get(_CHOSEN)
    while True:
        if chosen is None:
            waiting = min(state.machine.waiting, jobs)
            if not waiting:
                return
            place = yield ASKS
            chosen = state.place(place if place is not None and 0 <= place < waiting else 0)
            if state.procs_of(chosen) > state.free:
                state.memory[_CHOSEN] = chosen
                yield chosen, state.earliest(chosen)  # for the decision log, once
                break
        elif state.procs_of(chosen) > state.free:
            break
        yield chosen
        chosen = state.memory[_CHOSEN] = None
    if backfill:
        yield from _beside(state, chosen)


def _beside(state: PassState, chosen: int) -> Iterator[Any]:
    """Start others in order of submission that do not delay the chosen job, as EASY does."""
    waiting = state.waiting
    procs = waiting.procs
    left = procs <= state.free  # what does not fit now fits no better once others have started
    if not left.any():
        return
    at, running = state.earliest(chosen), state.running
    # What is free at that time beyond the chosen job's processors may be held for longer.
    ending = running.expected_end.searchsorted(at, "right")
    spare = state.free + int(running.procs[:ending].sum()) - state.procs_of(chosen)
    over_in_time = state.now + waiting.estimate <= at
    for place in np.flatnonzero(left & (over_in_time | (procs <= spare))).tolist():
        wide = int(procs[place])
        if wide <= state.free and (over_in_time[place] or wide <= spare):
            if not over_in_time[place]:
                spare -= wide
            yield int(waiting.index[place])


def follow(
    state: PassState, policy: Callable[[Observation], int], *, jobs: int = 32, backfill: bool = True
) -> Iterator[Any]:
    """A pass in which a trained policy chooses: `yield from batchscope.follow(state, policy)`.

    `policy(observation)` returns the place of the next job among the first `jobs` that wait; observation,
    `jobs` and `backfill` are those of `batchscope.env`, in which it was trained. The machine is a pool.
    """
    deciding = decisions(state, jobs, backfill)
    place: int | None = None
    while True:
        try:
            answer = deciding.send(place)
        except StopIteration:
            return
        # An answer is sent only where it was asked for.
        place = None
        if answer is ASKS:
            place = int(policy(observed(state, jobs)))
        else:
            yield answer
