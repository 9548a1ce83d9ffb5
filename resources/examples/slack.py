"""Slack-based backfilling after Talby & Feitelson 1999 ("Supporting priorities and improving utilization of
the IBM SP scheduler using slack-based backfilling"), with one promise: that of the first waiting job.
"""

import batchscope
from batchscope import Range


@batchscope.scheduler
def slack(state, *, slack: Range(0, 5) = 0.5):
    """The first waiting job may be delayed by so many of its estimates; 0 is EASY."""
    waiting = state.waiting
    jobs = list(zip(waiting.index, waiting.procs, waiting.estimate, strict=True))
    while jobs and state.fits(jobs[0][0]):
        yield jobs.pop(0)[0]
    if not jobs:
        return
    (first, wide, length), *others = jobs
    # A promise that was given is kept: later passes may only bring it forward.
    promise = int(state.earliest(first) + slack * length)
    promise = min(promise, state.memory.get(first, promise))
    state.memory[first] = promise
    if promise > state.now:
        yield first, promise
    running = state.running
    spare = state.free + running.procs[running.expected_end <= promise].sum() - wide
    for job, procs, estimate in others:
        ends_in_time = state.now + estimate <= promise
        if (ends_in_time or procs <= spare) and state.fits(job):
            if not ends_in_time:
                spare -= procs
            yield job
