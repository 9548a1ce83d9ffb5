"""Local search for a better plan of the jobs that wait (Klusáček et al. 2014, section 3.2).

A trial takes one or two waiting jobs out of the plan and puts them back elsewhere; only what
moved is judged anew. It is kept where the weighed gain D over the criteria is above 0; else the
jobs go back to where they were. So a search costs its trials and not the queue, and what comes of it
hangs on nothing but the policy and its seed.
"""

from __future__ import annotations

import math

from engine.compiler.kernels import inner_kernel
from engine.compiler.ticks import ticks
from engine.simulation.conservative import list_waiting, sort_waiting
from engine.simulation.criteria import accept_tried, add_waiting, begin_judging, gain, judge_first, try_wait
from engine.simulation.earliest import earliest
from engine.simulation.greedy import plan_greedily
from engine.simulation.machine_state import NEVER
from engine.simulation.profile import forget_known, keep_stamps, make_room, return_stamps
from engine.simulation.reservations import book, rebook, unbook
from engine.simulation.scheduler import Scheduler
from engine.simulation.search import ANNEALING, GAP, GREEDY, MODULUS, TABU, Search, most_moved, next_random
from engine.simulation.search_log import begin_search, end_search, note_kept

LEAST_GAIN = 1e-9
"""Below lie the rounding errors of sums of floats."""

HEAT = 0.05
"""Of annealing: the loss D that is kept at first with a probability of 1 / e; it falls to 0."""

_TOO_LATE = -1e300


@inner_kernel
def improve(s: Scheduler, now: int) -> bool:
    """Search for a better plan, from now on; where fewer than two jobs wait there is none.

    A search is over before its last trial when as many in a row led nowhere as there are moves.
    Returns whether it was. A greedy plan is made at once, as one trial that is kept.
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
    tried = 0
    moves = jobs if search.method == GAP else jobs * (jobs - 1) // 2
    move, stride = next_random(search) % moves, _stride(search, moves)
    fruitless, gained, most_gained = 0, 0.0, 0.0
    for trial in range(search.trials):
        fruitless += 1
        if fruitless > moves:
            break
        move = (move + stride) % moves
        one = other = search.waiting[move % jobs]
        if search.method != GAP:
            other = search.waiting[(move % jobs + move // jobs + 1) % jobs]
        if search.method == TABU and _is_tabu(s, trial, one, other):
            continue
        if s.reservations.start[one] > s.reservations.start[other]:
            one, other = other, one
        gains = _try(s, now, one, other)
        tried += 1
        heat = HEAT * (1.0 - trial / search.trials)
        if gains <= LEAST_GAIN and not _accepts_loss(search, gains, heat):
            _put_back(s, one, other)
            continue
        book(s.reservations, s.profile, s.work, s.machine, one, search.time[0], s.reservations.length[one])
        keep_stamps(s.profile)
        accept_tried(search.criteria)
        if logged:
            note_kept(search.table, trial, search.trials, gains)
        search.moved[one] = search.moved[other] = trial
        gained += gains
        if gained > most_gained + LEAST_GAIN:
            fruitless, most_gained = 0, gained
            if search.method == ANNEALING:
                _save_as_best(s)
    if search.method == ANNEALING and gained < most_gained - LEAST_GAIN:
        _return_to_best(s, now)
        if logged:
            _judge(s)
    if logged:
        end_search(search.table, tried, ticks() - began, search.criteria.value)
    return bool(fruitless > moves)


@inner_kernel
def _judge(s: Scheduler) -> None:
    """Judge the plan as it is, which nobody has moved in yet."""
    search, reservations = s.search, s.reservations
    jobs = search.many[0]
    begin_judging(search.criteria)
    for turn in range(jobs):
        job = search.waiting[turn]
        add_waiting(
            search.criteria, job, reservations.start[job] - s.work.submit[job], reservations.length[job]
        )
        search.moved[job] = -jobs
    judge_first(search.criteria, jobs)
    _save_as_best(s)


@inner_kernel
def _stride(search: Search, moves: int) -> int:
    """A random step from one move to the next, so that all have had their turn when the first comes again."""
    stride = 1 + next_random(search) % moves
    while math.gcd(stride, moves) > 1:
        stride += 1
    return int(stride)


@inner_kernel
def _accepts_loss(search: Search, gains: float, heat: float) -> bool:
    """Whether a move that gains nothing is kept all the same."""
    if search.method != ANNEALING or gains <= _TOO_LATE:
        return False
    return bool(next_random(search) / MODULUS < math.exp(min(gains / heat, 0.0)))


@inner_kernel
def _is_tabu(s: Scheduler, trial: int, one: int, other: int) -> bool:
    """Whether one of the jobs was moved in the last trials, half as many as there are jobs."""
    recent = trial - s.search.many[0] // 2
    return bool(s.search.moved[one] > recent or s.search.moved[other] > recent)


@inner_kernel
def _try(s: Scheduler, now: int, one: int, other: int) -> float:
    """Put the second job into the earliest gap and find the one for the first, `search.time`; returns D.

    They may be the same job. Nothing is gained where the second one finds no earlier gap. No move makes a
    job start later than `reservations.latest`, unless it would anyhow.
    """
    reservations, criteria, time = s.reservations, s.search.criteria, s.search.time
    make_room(s.profile, most_moved(s.search))
    unbook(reservations, s.profile, s.work, one)
    s.search.old[0] = reservations.start[other]
    if other != one:
        _take_out(s, other)
        length = reservations.length[other]
        begin = earliest(s.profile, s.work, s.machine, other, length, now, reservations.start[other])
        if begin == NEVER:
            rebook(reservations, s.profile, s.work, other)
            time[0] = NEVER
            return _TOO_LATE
        book(reservations, s.profile, s.work, s.machine, other, begin, length)
        forget_known(s.profile, reservations.rows, reservations.first[other], reservations.row_count[other])
        submit = s.work.submit[other]
        try_wait(criteria, other, length, s.search.old[0] - submit, begin - submit)
    length, old, submit = reservations.length[one], reservations.start[one], s.work.submit[one]
    time[0] = earliest(s.profile, s.work, s.machine, one, length, now, max(old, reservations.latest[one]) + 1)
    if time[0] == NEVER:
        return _TOO_LATE
    try_wait(criteria, one, length, old - submit, time[0] - submit)
    return gain(criteria, s.search.many[0])


@inner_kernel
def _take_out(s: Scheduler, job: int) -> None:
    """Take the job out of the plan, and note where it was."""
    reservations, search = s.reservations, s.search
    search.old[1] = reservations.row_count[job]
    for row in range(reservations.row_count[job]):
        for column in range(reservations.rows.shape[1]):
            search.rows[row, column] = reservations.rows[reservations.first[job] + row, column]
    unbook(reservations, s.profile, s.work, job)


@inner_kernel
def _put_back(s: Scheduler, one: int, other: int) -> None:
    """Undo the last trial, of which the first job was not put anywhere yet."""
    reservations, criteria, new = s.reservations, s.search.criteria, s.search.time[0]
    if s.reservations.start[other] != s.search.old[0]:
        submit, length, begin = s.work.submit[other], reservations.length[other], reservations.start[other]
        unbook(reservations, s.profile, s.work, other)
        reservations.start[other] = s.search.old[0]
        reservations.row_count[other] = s.search.old[1]
        for row in range(reservations.row_count[other]):
            for column in range(reservations.rows.shape[1]):
                reservations.rows[reservations.first[other] + row, column] = s.search.rows[row, column]
        rebook(reservations, s.profile, s.work, other)
        try_wait(criteria, other, length, begin - submit, reservations.start[other] - submit)
    rebook(reservations, s.profile, s.work, one)
    if new < NEVER:
        submit = s.work.submit[one]
        try_wait(criteria, one, reservations.length[one], new - submit, reservations.start[one] - submit)
    return_stamps(s.profile)


@inner_kernel
def _save_as_best(s: Scheduler) -> None:
    """Note the plan as the best one."""
    for turn in range(s.search.many[0]):
        job = s.search.waiting[turn]
        s.search.best[job] = s.reservations.start[job]


@inner_kernel
def _return_to_best(s: Scheduler, now: int) -> None:
    """Plan all jobs anew in the order of their starts in the best plan."""
    for turn in range(s.search.many[0]):
        unbook(s.reservations, s.profile, s.work, s.search.waiting[turn])
    sort_waiting(s, s.search.best)
    for turn in range(s.search.many[0]):
        job, length = s.search.waiting[turn], s.reservations.length[s.search.waiting[turn]]
        time = earliest(s.profile, s.work, s.machine, job, length, now, NEVER)
        book(s.reservations, s.profile, s.work, s.machine, job, time, length)
