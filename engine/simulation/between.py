"""What is done at events between the passes of `pass_every`: jobs start in their order, as far as they fit.

So Slurm's main scheduler does (its documentation, "Scheduling Configuration Guide"): it goes through the
waiting jobs in order, and the first of a partition that does not fit holds back all behind it whose
partitions share nodes with its own. Nothing is reserved, and nothing backfilled.
"""

from __future__ import annotations

from engine.compiler.kernels import inner_kernel
from engine.schedule.schedule import Decision
from engine.simulation.log_buffer import note_reason
from engine.simulation.machine_state import begin_sweep, fits_now, occupy
from engine.simulation.profile import hold
from engine.simulation.queue import remove, remove_at
from engine.simulation.scheduler import Scheduler, count_start, held, planned_end, short_of

_BEHIND = int(Decision.BEHIND)


@inner_kernel
def start_in_order(s: Scheduler, now: int) -> None:
    """Start the waiting jobs in their order, but for those that a blocked one holds back."""
    queue, between = s.queue, s.between
    between.blocked[:] = 0
    blocked = 0
    if s.machine.free.shape[0] > 1:
        begin_sweep(s.machine)
    index = queue.bounds[0]
    while index < queue.bounds[1]:
        job = queue.jobs[index]
        own = between.queue[job]
        if between.blocked[own] != 0:
            _note_behind(s, now, job, index - queue.bounds[0])
        elif held(s, now, job):
            pass
        elif fits_now(s.work, s.machine, job):
            remove_at(queue, index)  # those in front move up to it
            if s.rules.own_backfill_order:
                remove(s.behind, job)
            _start(s, now, job)
        else:
            if s.log_buffer.on:
                short_of(s, now, job, True)
            for other in range(len(between.blocked)):
                if between.shared[own, other] and between.blocked[other] == 0:
                    between.blocked[other] = 1
                    blocked += 1
        if blocked == len(between.blocked) and not s.log_buffer.on:
            return
        index += 1


@inner_kernel
def _start(s: Scheduler, now: int, job: int) -> None:
    """As `start_job`, but that the reservations of the last pass are not those of the next."""
    occupy(s.work, s.machine, job)
    expected = now + s.work.estimate[job]
    if s.rules.plans:
        machine, first, count = s.machine, s.machine.first_piece[job], s.machine.piece_count[job]
        hold(s.profile, s.work.need, job, now, planned_end(s.rules, expected), machine.pieces, first, count)
    count_start(s, now, job, expected)


@inner_kernel
def _note_behind(s: Scheduler, now: int, job: int, front: int) -> None:
    """A job that a blocked one holds back; a limit would hold it anyway."""
    if s.log_buffer.on and not held(s, now, job):
        note_reason(s.log_buffer, now, job, _BEHIND, front, False)
