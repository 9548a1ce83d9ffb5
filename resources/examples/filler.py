"""The filler of pybatsim, the Python schedulers of Batsim: whatever fits starts, in order of submission."""

import batchscope


@batchscope.scheduler
def filler(state):
    """No job gets a reservation, so that wide jobs may wait for ever."""
    waiting = state.waiting
    for job, procs in zip(waiting.index, waiting.procs, strict=True):
        if procs <= state.free:
            yield job
