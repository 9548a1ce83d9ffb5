"""Fair start times: when a job would start if no job came after it (Tang et al. 2013, section 4.2).

At each submission the state of the simulation is copied to a *fork*, which is simulated until the job starts.
In the fork no further job is submitted, every job runs for its estimate, predictors learn nothing, usage
accrues and nodes fail as in reality. Where the real start is later than the fair one, later jobs delayed this
job. Alternatively (`exact`) jobs run for their real runtimes in the fork, so that the effect of wrong
estimates does not count as unfair.
"""

from __future__ import annotations

import numpy as np

from engine.compiler.kernels import inner_kernel
from engine.simulation.credits import copy_of_credits
from engine.simulation.estimator import Estimator
from engine.simulation.failures.node_failures import is_outage
from engine.simulation.failures.resuming import resumable_workload
from engine.simulation.log_buffer import make_log_buffer
from engine.simulation.loop import DONE, NEEDS_ROOM, simulate_events
from engine.simulation.loop_state import copy_of_loop_state
from engine.simulation.machine_state import NEVER
from engine.simulation.order import TotalWaits
from engine.simulation.plans.criteria import Criteria
from engine.simulation.plans.search_log import make_search_table
from engine.simulation.profile.lines import copy_profile
from engine.simulation.profile.state import Profile
from engine.simulation.queue import Queue
from engine.simulation.running import copy_running
from engine.simulation.scheduler import (
    Scheduler,
)
from engine.simulation.tuner import Tuner
from engine.simulation.workload import Ints

_PRIVATE = {
    "machine": (
        "free",
        "free_total",
        "widest",
        "ahead",
        "spare",
        "first_piece",
        "piece_count",
        "pieces_used",
        "reserved_start",
        "failed",
        "sweep",
    ),
    "run": (
        "leaving",
        "leaving_end",
        "end",
        "sequence",
        "started",
        "line",
        "line_end",
        "expected",
        "running",
        "begun",
    ),
    "outage_state": ("begun", "lasting", "stopped", "used", "restarts"),
    "limits": ("user_jobs", "user_cpus", "queue_cpus"),
    "preemption": ("held", "chosen"),
    "profile": Profile._fields,
    "plan": Profile._fields,
    "search": ("random", "waiting", "listed", "many", "moved", "best", "old", "rows"),
    "reservations": (
        "jobs",
        "size",
        "start",
        "length",
        "latest",
        "since",
        "rows",
        "first",
        "row_count",
        "used",
        "waiting_pieces",
    ),
}
"""Arrays that a fork changes, so that it needs its own copies of them, by part of `Scheduler`."""

_SHARED_CRITERIA = ("weights", "user", "penalty", "procs", "promised")
_PRIVATE_CRITERIA = tuple(name for name in Criteria._fields if name not in _SHARED_CRITERIA)


def make_fork(s: Scheduler, exact: bool) -> Scheduler:
    """The scheduler into which `fair_starts` copies states; it shares the arrays that no simulation changes.

    In it jobs run for their estimates or, if `exact`, for their real runtimes.
    """
    changed = {
        part: getattr(s, part)._replace(**{name: getattr(getattr(s, part), name).copy() for name in names})
        for part, names in _PRIVATE.items()
    }
    # Usage by fairshare is written at each start and end, of which only these four arrays change.
    usage = s.order.usage
    usage = usage._replace(
        used=usage.used.copy(),
        since=usage.since.copy(),
        rate=usage.rate.copy(),
        running=usage.running.copy(),
    )
    # Jobs that failed have done a part of their work; that part differs between the copies.
    changed["work"] = s.work if not len(s.work.done) else resumable_workload(s.work)
    queue = _private_queue(s.queue)
    # A plan search keeps sums over the jobs that have started.
    criteria = s.search.criteria
    private = {name: getattr(criteria, name).copy() for name in _PRIVATE_CRITERIA}
    changed["search"] = changed["search"]._replace(
        criteria=criteria._replace(**private), table=make_search_table(False)
    )
    # Logs, tunings and clocks of passes are left out or frozen: the fork answers when a job would start,
    # nothing else.
    return s._replace(
        **changed,
        rules=s.rules._replace(
            is_fork=True,
            exact=exact,
            always_whole=s.rules.relaxed >= 0 or s.rules.preempts,
            resumes=False,
        ),
        order=s.order._replace(
            usage=usage,
            factors=s.order.factors.copy(),
            known_at=s.order.known_at.copy(),
            waits=TotalWaits(s.order.waits.number.copy(), s.order.waits.offset.copy()),
            credits=copy_of_credits(s.order.credits),
        ),
        queue=queue,
        backfill_queue=_private_queue(s.backfill_queue) if s.rules.own_backfill_order else queue,
        log_buffer=make_log_buffer(False, len(s.start)),
        tuner=_frozen(s.tuner),
        blocked_head=s.blocked_head.copy(),
        least_procs=s.least_procs.copy(),
        examined=s.examined.copy(),
        user_tests=s.user_tests._replace(number=s.user_tests.number.copy()),
        similar_state=s.similar_state.copy(),
        similar_time=s.similar_time.copy(),
        loop=copy_of_loop_state(s.loop),
        start=s.start.copy(),
    )


def _frozen(tuner: Tuner) -> Tuner:
    """A copy of the tuner whose tunables never change."""
    return tuner._replace(
        tunables=tuner.tunables.copy(),
        due=np.full_like(tuner.due, NEVER),
        changed=tuner.changed.copy(),
        busy=tuner.busy[:0],
        waits_since=tuner.waits_since[:0],
        ended=tuner.ended[:0],
    )


def _private_queue(queue: Queue) -> Queue:
    return queue._replace(
        jobs=queue.jobs.copy(),
        bounds=queue.bounds.copy(),
        key=queue.key.copy(),
        tie=queue.tie.copy(),
        buffer=queue.buffer.copy(),
    )


@inner_kernel
def fair_starts(s: Scheduler, estimator: Estimator, fork: Scheduler, control: Ints, fair: Ints) -> int:
    """Simulate as `simulate_events` does, and write each job's fair start into `fair`, (n,) s.

    Returns DONE, or NEEDS_ROOM as `simulate_events` does; then, if `s.loop.target[0]` is a job, the fork of
    its submission is still to be simulated.
    """
    while True:
        # A negative target: no fork is under way, and the true simulation goes on to the next submission.
        if s.loop.target[0] < 0:
            state = simulate_events(s, estimator, control)
            if state in (DONE, NEEDS_ROOM):
                return state
            # The loop paused behind the job that was submitted last: its fork is next.
            s.loop.target[0] = s.loop.submitted[0] - 1
        job = s.loop.target[0]
        # The state is copied anew also where the fork lacked room: it begins again in larger tables.
        _copy_state(s, fork, job)
        if simulate_events(fork, estimator, control) == NEEDS_ROOM:
            return NEEDS_ROOM
        fair[job] = fork.start[job]
        s.loop.target[0] = -1


@inner_kernel
def _copy_state(s: Scheduler, fork: Scheduler, job: int) -> None:
    """Overwrite the fork with the state of `s`, in which `job` has just been submitted as the last job."""
    passes = fork.loop.passes[0]
    for index in range(len(s.loop.memory)):
        fork.loop.memory[index] = s.loop.memory[index]
    # Nobody is submitted to the fork any more: a fair start is one without later submissions.
    fork.loop.submitted[0] = len(s.start)
    fork.loop.passes[0] = passes
    # The fork runs through without a pause, and has no plan or reservation that still holds.
    fork.loop.pauses[0] = fork.loop.valid_reservations[0] = fork.loop.plan_still_until[0] = 0
    fork.loop.disturbed[0] = 1
    fork.loop.target[0] = job
    fork.least_procs[0] = s.least_procs[0]
    _copy_machine_state(s, fork)
    # Only what changes in a run is copied; what jobs ask for is shared by both.
    # Running jobs are taken over as they are in the second in which the job was submitted.
    second = s.work.submit[s.loop.submitted[0] - 1]
    copy_running(s.run, fork.run, second, fork.rules.exact)
    for index in range(s.run.running[0]):
        running = s.run.line[index]
        if not is_outage(s, running):
            fork.start[running] = s.start[running]
            _copy_stops(s, fork, running)
        if s.machine.free.shape[0] > 1:
            fork.machine.first_piece[running] = s.machine.first_piece[running]
            fork.machine.piece_count[running] = s.machine.piece_count[running]
    fork.outage_state.begun[0], fork.outage_state.lasting[0] = (
        s.outage_state.begun[0],
        s.outage_state.lasting[0],
    )
    # Runs that failures stop in the fork are written from the first row on: nobody reads them.
    fork.outage_state.used[0] = 0
    fork.reservations.waiting_pieces[0] = s.reservations.waiting_pieces[0]
    _copy_queues(s, fork)
    _copy_counters(s, fork)
    if s.rules.plans:
        _copy_plan(s, fork)
    if s.rules.planned:
        _copy_search(s, fork)


@inner_kernel
def _copy_stops(s: Scheduler, fork: Scheduler, job: int) -> None:
    """Copy how often failures stopped the job, what it bid and paid and, where jobs resume, what is left."""
    # What failures have changed of the job: the fork must not see it as it was in the log.
    if len(s.work.done) > 0:
        fork.work.runtime[job] = s.work.runtime[job]
        fork.work.walltime[job] = s.work.walltime[job]
        fork.work.estimate[job] = s.work.estimate[job]
        fork.work.done[job] = s.work.done[job]
    if len(s.outage_state.restarts) > 0:
        fork.outage_state.restarts[job] = s.outage_state.restarts[job]
    if len(s.order.credits.paid) > 0:
        fork.order.credits.paid[job] = s.order.credits.paid[job]
    if s.rules.preempts:
        fork.preemption.held[job] = s.preemption.held[job]


@inner_kernel
def _copy_machine_state(s: Scheduler, fork: Scheduler) -> None:
    for node in range(s.machine.free.shape[0]):
        for k in range(s.machine.free.shape[1]):
            fork.machine.free[node, k] = s.machine.free[node, k]
    for k in range(s.machine.free.shape[1]):
        fork.machine.free_total[k] = s.machine.free_total[k]
        fork.machine.widest[k] = s.machine.widest[k]
    fork.machine.pieces_used[0] = s.machine.pieces_used[0]


@inner_kernel
def _copy_queues(s: Scheduler, fork: Scheduler) -> None:
    waiting = s.queue.bounds[1] - s.queue.bounds[0]
    # The order stays, wherever the jobs lie in the array.
    fork.queue.bounds[0] = 0
    fork.queue.bounds[1] = waiting
    for index in range(waiting):
        job = s.queue.jobs[s.queue.bounds[0] + index]
        fork.queue.jobs[index] = job
        fork.start[job] = -1
        _copy_stops(s, fork, job)
    if s.rules.own_backfill_order:
        fork.backfill_queue.bounds[0] = 0
        fork.backfill_queue.bounds[1] = waiting
        for index in range(waiting):
            fork.backfill_queue.jobs[index] = s.backfill_queue.jobs[s.backfill_queue.bounds[0] + index]


@inner_kernel
def _copy_counters(s: Scheduler, fork: Scheduler) -> None:
    """Copy the tunables, and what users and queues hold and have used."""
    for tunable in range(len(s.tuner.tunables)):
        fork.tuner.tunables[tunable] = s.tuner.tunables[tunable]
    if s.limits.on:
        for user in range(len(s.limits.user_jobs)):
            fork.limits.user_jobs[user] = s.limits.user_jobs[user]
            fork.limits.user_cpus[user] = s.limits.user_cpus[user]
        for queue in range(len(s.limits.queue_cpus)):
            fork.limits.queue_cpus[queue] = s.limits.queue_cpus[queue]
    # Usage decays: an amount is worth something only with the time since which it holds, and the rate.
    usage, copy = s.order.usage, fork.order.usage
    for user in range(len(usage.used)):
        copy.used[user] = usage.used[user]
        copy.since[user] = usage.since[user]
        copy.rate[user] = usage.rate[user]
        copy.running[user] = usage.running[user]
    for user in range(len(s.order.waits.number)):
        fork.order.waits.number[user] = s.order.waits.number[user]
        fork.order.waits.offset[user] = s.order.waits.offset[user]
    # Both arrays of credits are empty where the policy gives users no budget.
    for user in range(len(s.order.credits.left)):
        fork.order.credits.left[user] = s.order.credits.left[user]
    if len(s.order.credits.due) > 0:
        fork.order.credits.due[0] = s.order.credits.due[0]
    # Factors cached in the fork are of what it simulated before.
    for user in range(len(fork.order.known_at)):
        fork.order.known_at[user] = -1


@inner_kernel
def _copy_search(s: Scheduler, fork: Scheduler) -> None:
    """Copy what a search depends on; the list of waiting jobs is made by the fork itself."""
    search = fork.search
    # The list of the fork's last run is emptied first: its jobs may have started since.
    for turn in range(search.many[0]):
        search.listed[search.waiting[turn]] = 0
    search.many[0] = 0
    search.random[0] = s.search.random[0]
    for user in range(len(search.criteria.waited)):
        search.criteria.waited[user] = s.search.criteria.waited[user]
        search.criteria.used[user] = s.search.criteria.used[user]


@inner_kernel
def _copy_plan(s: Scheduler, fork: Scheduler) -> None:
    """Copy the profile and the reservations of the waiting jobs."""
    copy_profile(s.profile, fork.profile)
    # The fork plans anew, unless reservations are kept between passes: then it needs their rows too.
    reservations = fork.reservations
    reservations.size[0] = 0
    reservations.used[0] = s.reservations.used[0] if s.rules.keeps else 0
    for index in range(s.queue.bounds[0], s.queue.bounds[1]):
        job = s.queue.jobs[index]
        reservations.latest[job] = s.reservations.latest[job]
        reservations.start[job] = s.reservations.start[job]
        reservations.length[job] = s.reservations.length[job]
        reservations.first[job] = s.reservations.first[job]
        reservations.row_count[job] = s.reservations.row_count[job]
        if s.rules.keeps:
            for row in range(reservations.first[job], reservations.first[job] + reservations.row_count[job]):
                for column in range(reservations.rows.shape[1]):
                    reservations.rows[row, column] = s.reservations.rows[row, column]
