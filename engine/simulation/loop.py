"""The event loop: what happens at one second, second by second in which anything happens."""

from __future__ import annotations

from engine.compiled import inner_kernel
from engine.fairness.usage import usage_ended
from engine.simulation.control import CANCEL, ENDED
from engine.simulation.journal import NOBODY
from engine.simulation.order import STATIC
from engine.simulation.queue import enqueue
from engine.simulation.running import overrun, pop_ended
from engine.simulation.site import vacate
from engine.simulation.sweep import Scheduler, scheduling_pass, try_arrived
from engine.simulation.workload import Ints


@inner_kernel
def simulate_events(s: Scheduler, control: Ints) -> bool:
    """Run all jobs that are not refused; `s.start` gets their starts.

    At one second, in this order: estimates that are overrun grow, jobs are submitted, jobs
    end (in the order they were started), and one pass is made. Returns True when all is
    done, and False when a table might become too small in the next second: with larger
    tables the call goes on from there. Stops early when `control[CANCEL]` is set.
    """
    work = s.work
    jobs = len(work.submit)
    submitted, passes = s.reached
    while submitted < jobs or s.run.counts[0] > 0:
        s.reached[0] = submitted
        s.reached[1] = passes
        if control[CANCEL] != 0:
            return True
        if _tables_may_overflow(s):
            return False
        now = work.submit[submitted] if submitted < jobs else s.run.end[s.run.heap[0]]
        if s.run.counts[0] > 0:
            now = min(now, s.run.end[s.run.heap[0]])
        disturbed = s.run.keeps_line and overrun(s.run, now, s.start, work.walltime)

        first = submitted
        while submitted < jobs and work.submit[submitted] == now:
            submitted += 1
        for job in range(first, submitted):
            if not s.refused[job]:
                enqueue(s.queue, job)
                s.least[0] = min(s.least[0], work.need[job, 0])
                if s.own_backfill_order:
                    enqueue(s.behind, job)

        while s.run.counts[0] > 0 and s.run.end[s.run.heap[0]] == now:
            job = pop_ended(s.run)
            vacate(work, s.site, job)
            if s.order.code != STATIC:
                usage_ended(s.order.usage, job, s.start[job], now)
            control[ENDED] += 1
            disturbed = True

        if s.queue.bounds[0] < s.queue.bounds[1]:
            passes += 1
            if not disturbed and _only_arrivals_matter(s, submitted - first):
                try_arrived(s, now, first, submitted)
            else:
                scheduling_pass(s, now)
    s.reached[1] = passes
    return True


@inner_kernel
def _tables_may_overflow(s: Scheduler) -> bool:
    """Whether one pass could write more rows than there is room for."""
    log_full = s.journal.on and s.journal.used[0] + s.most_rows > s.journal.rows.shape[0]
    on_nodes = s.site.free.shape[0] > 1
    return bool(log_full or (on_nodes and s.site.pieces_used[0] + s.most_rows > s.site.pieces.shape[0]))


@inner_kernel
def _only_arrivals_matter(s: Scheduler, arrived: int) -> bool:
    """Whether a pass would decide as the last one did, but for the jobs that just came.

    So it is on a pool, under an order that does not move, while the same job is blocked. On
    nodes a new pass may reserve other nodes than the last one.
    """
    if s.order.code != STATIC or s.site.free.shape[0] > 1 or s.head[0] == NOBODY:
        return False
    return s.queue.jobs[s.queue.bounds[0]] == s.head[0] and (s.by_arrival or arrived <= 1)
