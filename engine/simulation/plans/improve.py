"""Local search for a better plan of the waiting jobs (Klusáček et al. 2014, section 3.2).

A trial takes one or two waiting jobs out of the plan and reserves for them elsewhere. It is accepted where
the weighted gain D over the criteria is above 0; else it is undone. Only the moved jobs are judged again, so
that the cost of a search depends on the number of trials and not on the length of the queue. The result
depends on nothing but the policy and its seed.
"""

from __future__ import annotations

import math

from engine.compiler.kernels import inner_kernel
from engine.compiler.ticks import ticks
from engine.simulation.conservative import list_waiting, sort_waiting
from engine.simulation.machine_state import NEVER
from engine.simulation.plans.criteria import (
    accept_tried,
    add_waiting,
    begin_judging,
    gain,
    judge_first,
    try_wait,
)
from engine.simulation.plans.greedy import plan_greedily
from engine.simulation.plans.search import (
    ANNEALING,
    GAP,
    GREEDY,
    MODULUS,
    TABU,
    Search,
    most_moved,
    next_random,
)
from engine.simulation.plans.search_log import begin_search, end_search, note_kept
from engine.simulation.profile.earliest import earliest
from engine.simulation.profile.lines import forget_known, keep_stamps, make_room, return_stamps
from engine.simulation.reservations import book, rebook, unbook
from engine.simulation.scheduler import Scheduler

LEAST_GAIN = 1e-9
"""Smallest D that counts as a gain: less may be a rounding error."""

HEAT = 0.05
"""Temperature of annealing at the first trial: a loss D of this much is accepted with probability 1 / e. It
falls to 0 in equal steps."""

_TOO_LATE = -1e300  # D of a trial that would delay a job too much


@inner_kernel
def improve(s: Scheduler, now: int) -> bool:
    """Search for a better plan of the waiting jobs from `now` on; with fewer than two there is none.

    The search ends early once as many trials in a row as there are moves gained nothing: then every move was
    tried. Returns whether that happened. A greedy plan is one trial, which is always accepted.
    """
    list_waiting(s)
    search, jobs = s.search, s.search.many[0]
    if jobs < 2:
        return True
    logged = len(search.table.counted) > 0
    began = ticks() if logged else 0
    _judge(s)
    if logged:
        begin_search(search.table, now, jobs, search.criteria.value)
    if search.method == GREEDY:
        gains = plan_greedily(s, now)
        if logged:
            note_kept(search.table, 0, 1, gains)
            end_search(search.table, 1, ticks() - began, search.criteria.value)
        return True
    keep_stamps(s.profile)
    # Moves are numbered: a job each (GAP), or a pair of jobs each. They are tried in a random order without
    # repetition: from a random first one in steps of a random stride that shares no factor with their number.
    tried = 0
    moves = jobs if search.method == GAP else jobs * (jobs - 1) // 2
    move, stride = next_random(search) % moves, _stride(search, moves)
    fruitless, gained, most_gained = 0, 0.0, 0.0
    for trial in range(search.trials):
        fruitless += 1
        if fruitless > moves:
            break
        move = (move + stride) % moves
        first = second = search.waiting[move % jobs]
        if search.method != GAP:
            # The number of the move is taken apart into the first job and the distance to the second.
            second = search.waiting[(move % jobs + move // jobs + 1) % jobs]
        if search.method == TABU and _is_tabu(s, trial, first, second):
            continue
        # The later one of both is the one that may move forward.
        if s.reservations.start[first] > s.reservations.start[second]:
            first, second = second, first
        gains = _try(s, now, first, second)
        tried += 1
        heat = HEAT * (1.0 - trial / search.trials)
        # Annealing accepts some losses while it is hot; other methods none.
        if gains <= LEAST_GAIN and not _accepts_loss(search, gains, heat):
            _put_back(s, first, second)
            continue
        # The second job was reserved by the trial already; the first one is reserved only now.
        book(
            s.reservations, s.profile, s.work, s.machine, first, search.time[0], s.reservations.length[first]
        )
        keep_stamps(s.profile)
        accept_tried(search.criteria)
        if logged:
            note_kept(search.table, trial, search.trials, gains)
        search.moved[first] = search.moved[second] = trial
        gained += gains
        # Only a new best begins the count anew: losses that are made up again do not.
        if gained > most_gained + LEAST_GAIN:
            fruitless, most_gained = 0, gained
            if search.method == ANNEALING:
                _save_as_best(s)
    # The search ended on a plan that is worse than the best that it saw.
    if search.method == ANNEALING and gained < most_gained - LEAST_GAIN:
        _return_to_best(s, now)
        if logged:
            _judge(s)
    if logged:
        end_search(search.table, tried, ticks() - began, search.criteria.value)
    return bool(fruitless > moves)


@inner_kernel
def _judge(s: Scheduler) -> None:
    """Judge the present plan, before the first trial of a search."""
    search, reservations = s.search, s.reservations
    jobs = search.many[0]
    # All sums are built once from the plan; each trial then changes them by differences only.
    begin_judging(search.criteria)
    for turn in range(jobs):
        job = search.waiting[turn]
        add_waiting(
            search.criteria, job, reservations.start[job] - s.work.submit[job], reservations.length[job]
        )
        # So far in the past that no job counts as just moved at the first trial.
        search.moved[job] = -jobs
    judge_first(search.criteria, jobs)
    _save_as_best(s)


@inner_kernel
def _stride(search: Search, moves: int) -> int:
    """A random step between moves that shares no factor with their number, so that each is met once."""
    stride = 1 + next_random(search) % moves
    while math.gcd(stride, moves) > 1:
        stride += 1
    return int(stride)


@inner_kernel
def _accepts_loss(search: Search, gains: float, heat: float) -> bool:
    """Whether annealing accepts a move without a gain, at temperature `heat` (Metropolis' rule)."""
    if search.method != ANNEALING or gains <= _TOO_LATE:
        return False
    return bool(next_random(search) / MODULUS < math.exp(min(gains / heat, 0.0)))


@inner_kernel
def _is_tabu(s: Scheduler, trial: int, first: int, second: int) -> bool:
    """Whether either job was moved recently: in as many of the last trials as half the number of jobs."""
    recent = trial - s.search.many[0] // 2
    return bool(s.search.moved[first] > recent or s.search.moved[second] > recent)


@inner_kernel
def _try(s: Scheduler, now: int, first: int, second: int) -> float:
    """Try a move: reserve for `second` in its earliest gap, then find that of `first`; returns the gain D.

    The begin of `first` is left in `search.time`; `first` is not reserved yet. Both may be the same job. The
    move fails where `second` finds no earlier gap, or where `first` would start later than planned so far
    and after `reservations.latest`.
    """
    reservations, criteria, time = s.reservations, s.search.criteria, s.search.time
    make_room(s.profile, most_moved(s.search))
    # The room of `first` is what `second` may move into.
    unbook(reservations, s.profile, s.work, first)
    s.search.old[0] = reservations.start[second]
    if second != first:
        _take_out(s, second)
        length = reservations.length[second]
        begin = earliest(s.profile, s.work, s.machine, second, length, now, reservations.start[second])
        if begin == NEVER:
            rebook(reservations, s.profile, s.work, second)
            time[0] = NEVER
            return _TOO_LATE
        book(reservations, s.profile, s.work, s.machine, second, begin, length)
        forget_known(s.profile, reservations.rows, reservations.first[second], reservations.row_count[second])
        submit = s.work.submit[second]
        try_wait(criteria, second, length, s.search.old[0] - submit, begin - submit)
    # `first` may go where it was, or later if its promise allows it: later than that the move is no gain.
    length, old, submit = reservations.length[first], reservations.start[first], s.work.submit[first]
    time[0] = earliest(
        s.profile, s.work, s.machine, first, length, now, max(old, reservations.latest[first]) + 1
    )
    if time[0] == NEVER:
        return _TOO_LATE
    try_wait(criteria, first, length, old - submit, time[0] - submit)
    return gain(criteria, s.search.many[0])


@inner_kernel
def _take_out(s: Scheduler, job: int) -> None:
    """Take the job out of the plan, and save its rows in `search.rows`."""
    reservations, search = s.reservations, s.search
    # Saved, since the trial writes other nodes into the same rows.
    search.old[1] = reservations.row_count[job]
    for row in range(reservations.row_count[job]):
        for column in range(reservations.rows.shape[1]):
            search.rows[row, column] = reservations.rows[reservations.first[job] + row, column]
    unbook(reservations, s.profile, s.work, job)


@inner_kernel
def _put_back(s: Scheduler, first: int, second: int) -> None:
    """Undo the last trial, in which `first` was taken out of the plan and `second` was moved."""
    reservations, criteria, new = s.reservations, s.search.criteria, s.search.time[0]
    # In reverse order: `second` may have been moved to where `first` was.
    if s.reservations.start[second] != s.search.old[0]:
        submit, length, begin = s.work.submit[second], reservations.length[second], reservations.start[second]
        unbook(reservations, s.profile, s.work, second)
        reservations.start[second] = s.search.old[0]
        reservations.row_count[second] = s.search.old[1]
        for row in range(reservations.row_count[second]):
            for column in range(reservations.rows.shape[1]):
                reservations.rows[reservations.first[second] + row, column] = s.search.rows[row, column]
        rebook(reservations, s.profile, s.work, second)
        try_wait(criteria, second, length, begin - submit, reservations.start[second] - submit)
    rebook(reservations, s.profile, s.work, first)
    if new < NEVER:
        submit = s.work.submit[first]
        try_wait(
            criteria, first, reservations.length[first], new - submit, reservations.start[first] - submit
        )
    # The profile is as it was: what is known of it by its stamps holds again.
    return_stamps(s.profile)


@inner_kernel
def _save_as_best(s: Scheduler) -> None:
    """Save the starts of the plan as those of the best one."""
    for turn in range(s.search.many[0]):
        job = s.search.waiting[turn]
        s.search.best[job] = s.reservations.start[job]


@inner_kernel
def _return_to_best(s: Scheduler, now: int) -> None:
    """Plan all jobs from scratch in the order of their starts in the best plan, which restores it."""
    # All are taken out before any is planned, so that none stands in the way of another.
    for turn in range(s.search.many[0]):
        unbook(s.reservations, s.profile, s.work, s.search.waiting[turn])
    sort_waiting(s, s.search.best)
    for turn in range(s.search.many[0]):
        job, length = s.search.waiting[turn], s.reservations.length[s.search.waiting[turn]]
        time = earliest(s.profile, s.work, s.machine, job, length, now, NEVER)
        book(s.reservations, s.profile, s.work, s.machine, job, time, length)
