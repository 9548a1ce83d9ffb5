"""The event loop: it goes from one second with events to the next, and handles all events of a second."""

from __future__ import annotations

from engine.compiler.kernels import inner_kernel, step_kernel
from engine.estimate.predictor import predictor_ended, predictor_moved, predictor_started
from engine.fairness.usage import usage_ended
from engine.simulation.arrange import arrange
from engine.simulation.arrivals import assign_turns, at_turn, has_dependencies, known_arrivals, next_expected
from engine.simulation.conservative import (
    compress,
    next_planned,
    plan_anew,
    plan_arrived,
    pull_forward,
    start_planned,
)
from engine.simulation.control import CANCEL, ENDED
from engine.simulation.easy import easy_pass, try_arrived
from engine.simulation.estimator import Estimator, estimate_again, estimate_first
from engine.simulation.failures.node_failures import fail_nodes, is_outage, next_failure, repair
from engine.simulation.failures.reliability import rank_nodes
from engine.simulation.failures.resuming import seconds_done
from engine.simulation.hours import next_hour
from engine.simulation.limits import count_running
from engine.simulation.log_buffer import NOBODY
from engine.simulation.machine_state import NEVER, vacate
from engine.simulation.order import wait_begins
from engine.simulation.overdue import plan_moves_until
from engine.simulation.own.own_decisions import PASS, asked_pass
from engine.simulation.plans.criteria import job_stopped
from engine.simulation.plans.gain_rates import learn_runtime
from engine.simulation.plans.improve import improve
from engine.simulation.plans.search import GREEDY
from engine.simulation.preemption.preempting_pass import preempting_pass
from engine.simulation.profile.lines import hold, pass_time, release
from engine.simulation.queue import enqueue
from engine.simulation.reservation_pass import reserving_pass
from engine.simulation.running import ends_at, next_end, next_overrun, overrun, pop_ended
from engine.simulation.scheduler import (
    STOP,
    Scheduler,
    planned_end,
    uses_fairshare,
)
from engine.simulation.switching import leave_nodes, put_nodes_in_order
from engine.simulation.tables import tables_are_short
from engine.simulation.tuner import check, next_check, note_change, note_end, skip_checks
from engine.simulation.window import window_pass
from engine.simulation.workload import Ints

DONE, NEEDS_ROOM, PAUSED = range(3)


@inner_kernel
def simulate_events(s: Scheduler, estimator: Estimator, control: Ints) -> int:
    """Simulate all jobs that are not refused, and write their starts into `s.start`.

    Events of one second are handled in this order: overrun estimates grow, jobs are submitted, jobs end (in
    the order of their starts) and nodes come back, nodes fail, tunings are checked, and one pass is made.

    `control`, shape (2,), is the array of a `Control`. Returns DONE at the end; NEEDS_ROOM before a second
    for which a table may be too short; PAUSED after each submission where `s.loop.pauses[0]` is set. Called
    again, it continues from there. Stops early when `control[CANCEL]` is set or the job `s.loop.target[0]`
    has started.
    """
    while control[CANCEL] == 0:
        now = s.loop.open_second[0]
        if now == NEVER:
            now = _next_event(s)
            if now == NEVER:
                break
            assign_turns(s.arrivals, s.work.submit, now)
            if tables_are_short(s, now):
                return NEEDS_ROOM
            s.loop.first_new[0] = s.loop.submitted[0]
            rank_nodes(s, now)
            put_nodes_in_order(s.switching, s.machine.draft, now)
            if s.rules.plans:
                pass_time(s.profile, now)
            overran = _overrun(s, now)
            # Kept reservations remember it: what overdue jobs alone changed is shifted, not planned anew.
            if s.rules.keeps:
                s.loop.overran[0] = overran
                s.loop.plan_still_until[0] = 0
        else:
            rank_nodes(s, now)  # a fork may have gone on to a later second in the meantime
        if _submit_all(s, estimator, now):
            s.loop.open_second[0] = now
            return PAUSED
        s.loop.open_second[0] = NEVER
        # After any event but a submission, jobs in later gaps may be able to start now.
        freed = s.loop.overran[0] != 0 or next_failure(s.outage_state) == now
        while ends_at(s.run, now):
            freed = True
            job = pop_ended(s.run)
            if is_outage(s, job):
                repair(s, job)
            else:
                _end(s, estimator, now, job)
                if s.loop.target[0] == NOBODY:  # a fork's ends are not progress
                    control[ENDED] += 1
        fail_nodes(s, estimator, control, now)
        if len(s.tuner.due) > 0 and next_check(s.tuner) == now:
            # Checks that cannot change a tunable are skipped while the machine is empty.
            resting = check(s.tuner, s.work, s.queue, s.run.end, s.start, now)
            coming = _next_arrival(s)
            if resting and _is_empty(s) and coming != NEVER:
                skip_checks(s.tuner, now, coming)
            s.loop.pass_due[0] = s.loop.disturbed[0] = 1
            s.loop.valid_reservations[0] = 0
        if len(s.asked) > 0 and s.loop.next_pass[0] <= now and s.rules.pass_every == 0:
            # The user's code asked to be called now, whatever else happens.
            s.loop.pass_due[0] = 1
            s.loop.next_pass[0] = NEVER
        if s.rules.by_hours and s.loop.next_hour[0] <= now:
            # A higher cap or cheaper energy may let jobs start though nothing else happened.
            s.loop.pass_due[0] = s.loop.disturbed[0] = 1
        overran_only = started = False
        if s.rules.keeps:
            searched = _search(s, now)
            overran_only = s.loop.overran[0] != 0 and s.loop.pass_due[0] == 0 and not searched
            if s.rules.best_gap and (freed or searched):
                pull_forward(s, now)
        if _its_turn(s, now):
            started = _pass(s, estimator, control, now)
            # Under stable rules a further pass at once would start nothing: only an event changes that.
            s.loop.disturbed[0] = not (
                s.rules.stable_without_start and (s.rules.stable_with_start or not started)
            )
        if s.rules.keeps:
            # Where the cap changes by the clock, a plan does not merely shift.
            if overran_only and not started and not s.rules.best_gap and len(s.hours.cap_time) == 0:
                s.loop.plan_still_until[0] = plan_moves_until(s, now)
            if s.rules.searches:
                s.loop.next_search[0] = _next_search(s, now)
        if s.rules.by_hours:
            s.loop.next_hour[0] = next_hour(s.hours, s.work, s.queue, now)
        if s.rules.pass_every > 0:
            s.loop.next_pass[0] = _next_turn(s, now)
        if s.loop.target[0] != NOBODY and s.start[s.loop.target[0]] >= 0:
            break
    return DONE


@inner_kernel
def _search(s: Scheduler, now: int) -> bool:
    """Search for a better plan if one is due at `now`; returns whether it was."""
    # Where the last search had tried every move in vain and nothing has changed the plan since, a further
    # one would find nothing.
    if s.loop.next_search[0] != now or s.loop.plan_changed[0] == 0:
        return False
    over = improve(s, now)
    # The new order may leave gaps, so all reservations move forward as far as they can.
    compress(s, now, NEVER)
    s.loop.plan_changed[0] = not over
    return True


@step_kernel
def _submit_all(s: Scheduler, estimator: Estimator, now: int) -> bool:
    """Submit the jobs of this second; True where the loop is to pause after the submission of one of them."""
    # With dependencies only the jobs that have a turn by now count; all of this second have got theirs
    # before.
    known = known_arrivals(s.arrivals, len(s.work.submit))
    while s.loop.submitted[0] < known:
        job = at_turn(s.arrivals, s.loop.submitted[0])
        if s.work.submit[job] != now:
            break
        s.loop.submitted[0] += 1
        if not s.refused[job]:
            _submit(s, estimator, now, job)
            # A caller that forks at each submission needs the state between this job and the next of the
            # same second.
            if s.loop.pauses[0] != 0:
                return True
    return False


@step_kernel
def _pass(s: Scheduler, estimator: Estimator, control: Ints, now: int) -> bool:
    """Make one scheduling pass, unless no job waits; returns whether it started any job.

    Unless the loop is `disturbed`, only jobs from `first_new` on can start.
    """
    if s.queue.bounds[0] == s.queue.bounds[1]:
        return False
    s.loop.passes[0] += 1
    before = s.run.begun[0]
    # The user's own scheduler replaces all passes; kept plans only start what is due.
    if len(s.asked) > 0 and s.asked[PASS] != 0:
        if estimator.anew:
            estimate_again(estimator, s.work, s.queue, s.machine.free_total[0])
        asked_pass(s, now)
    elif s.rules.keeps:
        if s.log_buffer.on or next_planned(s) == now:
            start_planned(s, now)
    elif _only_arrivals_matter(s):
        try_arrived(s, now, s.loop.first_new[0], s.loop.submitted[0])
    # A full pass is of use only where the free processors are enough for the smallest waiting job.
    elif s.machine.free_total[0] >= s.least_procs[0] or s.rules.always_whole:
        arrange(s, estimator, now)
        if s.rules.preempts:
            preempting_pass(s, estimator, control, now)
        if s.rules.windows:
            window_pass(s, now)
        elif s.rules.plans:
            reserving_pass(s, now)
        else:
            easy_pass(s, now)
    # Nothing fits, so nobody is blocked at a head that a short pass could rely on.
    else:
        s.blocked_head[0] = NOBODY
    # A fork must not teach the predictor, which both share.
    if estimator.learns and not s.rules.is_fork:
        for index in range(before, s.run.begun[0]):
            predictor_started(estimator.predictor, s.run.started[index], now)
    return bool(s.run.begun[0] > before)


@step_kernel
def _next_event(s: Scheduler) -> int:
    """The next second with an event, or NEVER after the end of the last job; refused jobs are skipped."""
    coming = _next_arrival(s)
    if coming == NEVER and _is_empty(s):
        return NEVER  # no job is left, so checks and passes are over too
    now = min(s.loop.next_pass[0], next_failure(s.outage_state), coming)
    if s.run.running[0] > 0:
        now = min(now, next_end(s.run))
    if s.rules.keeps:
        now = min(now, s.loop.next_search[0], max(next_planned(s), s.loop.plan_still_until[0]))
    if s.rules.by_hours:
        now = min(now, s.loop.next_hour[0])
    return int(min(now, next_check(s.tuner)))


@inner_kernel
def _next_arrival(s: Scheduler) -> int:
    """The next submission, s; NEVER where none is known."""
    # Jobs that have a turn but are not submitted yet come first: a pause may have left some of this second.
    if has_dependencies(s.arrivals):
        if s.loop.submitted[0] < known_arrivals(s.arrivals, 0):
            return int(s.work.submit[at_turn(s.arrivals, s.loop.submitted[0])])
        job = next_expected(s.arrivals, s.work.submit)
        return NEVER if job == NOBODY else int(s.work.submit[job])
    # Refused jobs are never submitted, so that they cause no event of their own.
    while s.loop.submitted[0] < len(s.work.submit) and s.refused[s.loop.submitted[0]]:
        s.loop.submitted[0] += 1
    if s.loop.submitted[0] == len(s.work.submit):
        return NEVER
    return int(s.work.submit[s.loop.submitted[0]])


@inner_kernel
def _is_empty(s: Scheduler) -> bool:
    """Whether no job waits or runs."""
    # Outages stand among the running jobs. A machine with nothing but outages has nothing to decide.
    running = s.run.running[0] - (s.outage_state.lasting[0] if len(s.outage_state.start) > 0 else 0)
    return bool(running == 0 and s.queue.bounds[0] == s.queue.bounds[1])


@step_kernel
def _overrun(s: Scheduler, now: int) -> bool:
    """Raise the estimates of jobs that ran for all of theirs and do not end now; returns whether any did."""
    changed = False
    while s.run.overruns:
        job = next_overrun(s.run, now)
        if job == NOBODY:
            break
        changed = True
        before = planned_end(s.rules, s.run.expected[job])
        overrun(s.run, job, now, s.start[job] + s.work.walltime[job])
        # Its place in the profile grows with the estimate: given back from the start on, held from now on.
        if s.rules.plans:
            machine, end = s.machine, planned_end(s.rules, s.run.expected[job])
            first, count = machine.first_piece[job], machine.piece_count[job]
            release(s.profile, s.work.need, job, s.start[job], before, machine.pieces, first, count)
            hold(s.profile, s.work.need, job, now, end, machine.pieces, first, count)
    # Reservations of the last sweep relied on the old end.
    if changed:
        s.loop.disturbed[0] = 1
        s.loop.valid_reservations[0] = 0
        if s.rules.keeps:
            plan_anew(s, now)
    return changed


@inner_kernel
def _submit(s: Scheduler, estimator: Estimator, now: int, job: int) -> None:
    """Put a submitted job into the queue, and decide whether it calls for a pass."""
    if has_dependencies(s.arrivals):
        _take_turn(s, estimator, now, job)
    estimate_first(estimator, s.work, job, now)
    enqueue(s.queue, job)
    wait_begins(s.order, job, now)
    s.least_procs[0] = min(s.least_procs[0], s.work.need[job, 0])
    if s.machine.free.shape[0] > 1:
        s.reservations.waiting_pieces[0] += s.reservations.most_pieces[job]
    if s.rules.own_backfill_order:
        enqueue(s.backfill_queue, job)
    if s.rules.keeps:
        plan_arrived(s, now, job)
    # With `gate`, a job that needs more processors than are free calls for no pass. Passes at an interval are
    # made while a job waits, whatever happened, so the gate does not apply to them.
    gated = s.rules.gate and s.rules.pass_every == 0
    if not gated or s.work.need[job, 0] <= s.machine.free_total[0]:
        s.loop.pass_due[0] = 1


@inner_kernel
def _take_turn(s: Scheduler, estimator: Estimator, now: int, job: int) -> None:
    """Replace the job's rank and submission of the trace by those of the simulation.

    They were prepared before it was known when a job with dependencies would be submitted.
    """
    turn, jobs = s.arrivals.turn[job], len(s.start)
    # With dependencies, jobs that the order holds for equal share a prepared rank: their turns decide among
    # them.
    s.queue.rank[job] = s.queue.rank[job] * jobs + turn
    if s.rules.own_backfill_order:
        s.backfill_queue.rank[job] = s.backfill_queue.rank[job] * jobs + turn
    if len(s.tuner.waits_since) > 0:
        s.tuner.waits_since[job] = now
    predictor_moved(estimator.predictor, job, now)


@step_kernel
def _end(s: Scheduler, estimator: Estimator, now: int, job: int) -> None:
    """Handle the end of a job: free its resources, count its usage, train the predictor, update the plan."""
    s.loop.pass_due[0] = s.loop.disturbed[0] = 1
    vacate(s.work, s.machine, job)
    if len(s.switching.took) > 0:
        first, count = s.machine.first_piece[job], s.machine.piece_count[job]
        leave_nodes(s.switching, s.machine.pieces, first, count, now)
    count_running(s.limits, s.work, job, -1)
    note_change(s.tuner, now, -s.work.need[job, 0])
    note_end(s.tuner, job)
    if uses_fairshare(s):
        usage_ended(s.order.usage, job, s.start[job], now)
    if estimator.learns and not s.rules.is_fork:
        predictor_ended(estimator.predictor, job, s.start[job], now, seconds_done(s.work, job))
    if s.rules.plans:
        machine, expected = s.machine, s.run.expected[job]
        # An end off its time leaves a gap, or a profile in which the job still stands: reservations are
        # made anew.
        if expected != now:
            s.loop.valid_reservations[0] = 0
        release(
            s.profile,
            s.work.need,
            job,
            s.start[job],
            planned_end(s.rules, expected),
            machine.pieces,
            machine.first_piece[job],
            machine.piece_count[job],
        )
        if s.rules.keeps:
            # The search is told the true length, and looks again at once where the gap is long enough to
            # matter.
            if s.rules.searches:
                length, ran = s.reservations.length[job], now - s.start[job]
                job_stopped(s.search.criteria, job, length, ran)
                if s.search.method == GREEDY and not s.rules.is_fork:
                    learn_runtime(s.search.rates, s.search.criteria.user[job], length, ran)
                if expected - now >= s.search.period and _several_wait(s):
                    s.loop.next_search[0] = now
            s.loop.plan_changed[0] = 1
            if s.rules.best_gap:
                s.loop.freed_until[0] = 0
            if max(expected, s.loop.freed_until[0]) > now:
                compress(s, now, expected)


@step_kernel
def _its_turn(s: Scheduler, now: int) -> bool:
    """Whether a pass is made now: if an event called for one or, with `pass_every`, at the next interval."""
    # A kept plan may have a start that is due now, whatever happened.
    triggered = s.loop.pass_due[0] != 0 or s.rules.keeps
    s.loop.pass_due[0] = 0
    if s.rules.pass_every == 0:
        return triggered
    if triggered:
        s.loop.disturbed[0] = 1  # the event may come between two intervals: the next pass sees it
    return bool(s.loop.disturbed[0] != 0 and (now - s.rules.zero) % s.rules.pass_every == 0)


@inner_kernel
def _next_turn(s: Scheduler, now: int) -> int:
    """The next multiple of `pass_every` at which a pass can start a job, s; NEVER where none can.

    The policy makes a pass at each multiple while a job waits. Passes that would repeat the last one are left
    out: those before the next event that sets `disturbed`.
    """
    if s.loop.disturbed[0] == 0 or s.queue.bounds[0] == s.queue.bounds[1]:
        return NEVER
    # The intervals are counted from the first submission, `zero`, not from the time of this event.
    return int(now + s.rules.pass_every - (now - s.rules.zero) % s.rules.pass_every)


@inner_kernel
def _next_search(s: Scheduler, now: int) -> int:
    """The time of the next search for a better plan: a multiple of its period while several jobs wait."""
    if not _several_wait(s):
        return NEVER
    return int(now + s.search.period - (now - s.rules.zero) % s.search.period)


@inner_kernel
def _several_wait(s: Scheduler) -> bool:
    return bool(s.queue.bounds[1] - s.queue.bounds[0] > 1)


@step_kernel
def _only_arrivals_matter(s: Scheduler) -> bool:
    """Whether a pass would decide as the last one did, but for the jobs submitted in this second.

    That holds while no other event happened and the same job is blocked at the head of the queue, for
    policies that ask of each job alone whether it fits.
    """
    # Reservations shift with each arrival, and an end or a failure may have made room: a full pass is
    # needed.
    if s.rules.plans or s.loop.disturbed[0] != 0 or not s.rules.stable_with_start:
        return False
    # With a log, a short pass is made only where it leaves the reasons that a full one would log: under
    # strict order it logs none.
    if s.loop.reasons_outdated[0] != 0 or (
        s.log_buffer.on and (s.rules.depth == STOP or not s.rules.by_arrival)
    ):
        return False
    if s.blocked_head[0] == NOBODY:
        return False
    # Several new jobs at once must be tried in the order of the queue, which their turns only give for an
    # order by submission.
    single = s.loop.submitted[0] - s.loop.first_new[0] <= 1
    return s.queue.jobs[s.queue.bounds[0]] == s.blocked_head[0] and (s.rules.by_arrival or single)
