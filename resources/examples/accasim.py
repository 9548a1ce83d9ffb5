"""The EASY backfilling of AccaSim 1.1.3 (Galleguillos et al. 2020, "AccaSim: a customizable workload
management simulator for job dispatching research in HPC systems"), as its program decides, not its text.
"""

import batchscope


@batchscope.scheduler
def accasim(state):
    """The blocked job is tried again when its reserved time has come, and not before; all others fill.

    They fill whatever is free: the reserved nodes that the program hands on are always none.
    """
    memory, waiting = state.memory, state.waiting
    procs = dict(zip(waiting.index.tolist(), waiting.procs.tolist(), strict=True))
    queue = list(procs)
    due = memory.get("at") is not None and memory["at"] <= state.now
    if memory.get("blocked") is not None:
        first = queue.pop(0)
        if due and procs[first] <= state.free:
            yield first
            memory.clear()
    if memory.get("blocked") is None:
        while queue:
            job = queue.pop(0)
            if procs[job] > state.free:
                memory.update(blocked=job, at=state.earliest(job))
                yield job, memory["at"]
                break
            yield job
    for job in queue:
        if procs[job] <= state.free:
            yield job
