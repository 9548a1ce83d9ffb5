"""The filler of pybatsim, the Python schedulers of Batsim: whatever fits starts, in order of submission."""

import batchscope


@batchscope.scheduler
def filler(state):
    """No job gets a reservation, so that wide jobs may wait for ever."""
    for job in state.waiting.index:
        if state.fits(job):
            yield job
