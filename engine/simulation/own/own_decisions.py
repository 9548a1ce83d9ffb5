"""What a simulation asks of a user's own code: the order of a queue, and which jobs a pass starts."""

from __future__ import annotations

import numpy as np

from engine.compiler.callback import call_address
from engine.compiler.kernels import inner_kernel, step_kernel
from engine.simulation.log_buffer import NOBODY, note_reserved
from engine.simulation.machine_state import begin_sweep, fits_now
from engine.simulation.queue import Queue, remove, sort_queue
from engine.simulation.scheduler import (
    Scheduler,
    begin_reasons,
    is_held_by_limit,
    is_short_of_resources,
    start_job,
)
from engine.simulation.workload import Workload

ORDER, BACKFILL, PASS, TIME = range(4)
"""Entries of `Scheduler.asked`: the addresses of the functions for the order, the backfill order and a pass
(0: none), and the time, s, of the reservation or the next pass that the last one answered."""

ENDS, WAKES = -1, -2
"""Answers of a pass that name no job: it ends, or it asks for another pass at a time. From `RESERVES` down an
answer is a reservation; from 0 up the job to start."""

RESERVES = -3

FINE, LIMITED, TOO_LARGE = range(3)
"""What became of the start that was answered last: it was made, a limit of the policy forbids it, or the free
resources are too few. The next call is told."""


@inner_kernel
def ask_for_order(address: int, threshold: int, work: Workload, queue: Queue, now: int) -> None:
    """Have the keys of the waiting jobs written, and sort the queue by them, the smallest first.

    A job that has waited for more than `threshold` s (0: none) goes before all others.
    """
    call_address(address, now, 0)
    for index in range(queue.bounds[0], queue.bounds[1]):
        job = queue.jobs[index]
        queue.tie[job] = 1.0
        if threshold > 0 and now - work.submit[job] > threshold:
            queue.key[job] = -np.inf
            queue.tie[job] = 0.0  # a key of the user's code may be -inf too
    sort_queue(queue)


@step_kernel
def asked_pass(s: Scheduler, now: int) -> None:
    """A pass that starts the jobs that the user's code answers, one after the other, each checked.

    A start that a limit or the free resources forbid is not made, and the code's caller is told which.
    """
    s.blocked_head[0] = NOBODY
    if s.machine.free.shape[0] > 1:
        begin_sweep(s.machine)
    # Each answer is carried out at once: the next call sees the machine as it is then.
    answer = call_address(s.asked[PASS], now, FINE)
    while answer != ENDS:
        became = FINE
        if answer == WAKES:
            s.loop.next_pass[0] = min(s.loop.next_pass[0], s.asked[TIME])
        elif answer <= RESERVES:
            note_reserved(s.log_buffer, now, RESERVES - answer, s.asked[TIME])
        elif is_held_by_limit(s, now, answer):
            became = LIMITED
        # Checked here, not by the user's code: a start that does not fit would break the kernel's counts.
        elif not fits_now(s.work, s.machine, answer):
            became = TOO_LARGE
        else:
            remove(s.queue, answer)
            start_job(s, now, answer)
        answer = call_address(s.asked[PASS], now, became)
    if s.log_buffer.on:
        # What fits and was not started waits because the user's code decided so: no reason of ours is true.
        begin_reasons(s)
        for index in range(s.queue.bounds[0], s.queue.bounds[1]):
            is_short_of_resources(s, now, s.queue.jobs[index], False)
