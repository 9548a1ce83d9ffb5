"""The EASY backfilling of Batsim (Dutot et al. 2016, "Batsim: a realistic language-independent resources and
jobs management systems simulator"), as a published schedule shows: it reserves named nodes, not their number.
"""

import batchscope


@batchscope.scheduler
def batsim(state):
    """A job that may end after the reserved time takes no node that is reserved, though another gets free.

    Jobs take the free nodes with the lowest numbers; `memory` has the nodes of each job.
    """
    held, running = state.memory, state.running
    free = set(range(state.machine.procs)).difference(*(held[job] for job in running.index.tolist()))
    waiting = state.waiting
    jobs = zip(waiting.index.tolist(), waiting.procs.tolist(), waiting.estimate.tolist(), strict=True)
    first, reserved, due = None, set(), 0
    ends = list(zip(running.expected_end.tolist(), running.index.tolist(), strict=True))
    for job, procs, estimate in jobs:
        fits = free - reserved if first is not None and state.now + estimate > due else free
        if procs <= len(fits):
            held[job] = set(sorted(fits)[:procs])
            free -= held[job]
            ends.append((state.now + estimate, job))
            yield job
        elif first is None:
            first, at_end = job, set(free)
            for end, ending in sorted(ends):
                if len(at_end) >= procs and end > due:
                    break  # all nodes that get free at the reserved time count
                at_end |= held[ending]
                due = end
            reserved = set(sorted(at_end)[:procs])
            yield first, due
