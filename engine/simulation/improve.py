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
from engine.simulation.criteria import add_waiting, begin_judging, gain, judge_first, take_tried, try_wait
from engine.simulation.earliest import earliest
from engine.simulation.greedy import plan_greedily
from engine.simulation.machine_state import NEVER
from engine.simulation.profile import forget_known, keep_stamps, make_room, return_stamps
from engine.simulation.scheduler import Scheduler
from engine.simulation.search import ANNEALING, GAP, GREEDY, MODULUS, TABU, Search, most_moved, next_random
from engine.simulation.search_log import begin_search, end_search, note_kept
from engine.simulation.slots import book, book_again, unbook

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
        if s.slots.start[one] > s.slots.start[other]:
            one, other = other, one
        gains = _try(s, now, one, other)
        tried += 1
        heat = HEAT * (1.0 - trial / search.trials)
        if gains <= LEAST_GAIN and not _dares(search, gains, heat):
            _put_back(s, one, other)
            continue
        book(s.slots, s.profile, s.work, s.machine, one, search.time[0], s.slots.length[one])
        keep_stamps(s.profile)
        take_tried(search.criteria)
        if logged:
            note_kept(search.table, trial, search.trials, gains)
        search.moved[one] = search.moved[other] = trial
        gained += gains
        if gained > most_gained + LEAST_GAIN:
            fruitless, most_gained = 0, gained
            if search.method == ANNEALING:
                _remember(s)
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
    search, slots = s.search, s.slots
    jobs = search.many[0]
    begin_judging(search.criteria)
    for turn in range(jobs):
        job = search.waiting[turn]
        add_waiting(search.criteria, job, slots.start[job] - s.work.submit[job], slots.length[job])
        search.moved[job] = -jobs
    judge_first(search.criteria, jobs)
    _remember(s)


@inner_kernel
def _stride(search: Search, moves: int) -> int:
    """A random step from one move to the next, so that all have had their turn when the first comes again."""
    stride = 1 + next_random(search) % moves
    while math.gcd(stride, moves) > 1:
        stride += 1
    return int(stride)


@inner_kernel
def _dares(search: Search, gains: float, heat: float) -> bool:
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
    job start later than `slots.latest`, unless it would anyhow.
    """
    slots, criteria, time = s.slots, s.search.criteria, s.search.time
    make_room(s.profile, most_moved(s.search))
    unbook(slots, s.profile, s.work, one)
    s.search.old[0] = slots.start[other]
    if other != one:
        _take_out(s, other)
        length = slots.length[other]
        begin = earliest(s.profile, s.work, s.machine, other, length, now, slots.start[other])
        if begin == NEVER:
            book_again(slots, s.profile, s.work, other)
            time[0] = NEVER
            return _TOO_LATE
        book(slots, s.profile, s.work, s.machine, other, begin, length)
        forget_known(s.profile, slots.rows, slots.first[other], slots.row_count[other])
        submit = s.work.submit[other]
        try_wait(criteria, other, length, s.search.old[0] - submit, begin - submit)
    length, old, submit = slots.length[one], slots.start[one], s.work.submit[one]
    time[0] = earliest(s.profile, s.work, s.machine, one, length, now, max(old, slots.latest[one]) + 1)
    if time[0] == NEVER:
        return _TOO_LATE
    try_wait(criteria, one, length, old - submit, time[0] - submit)
    return gain(criteria, s.search.many[0])


@inner_kernel
def _take_out(s: Scheduler, job: int) -> None:
    """Take the job out of the plan, and note where it was."""
    slots, search = s.slots, s.search
    search.old[1] = slots.row_count[job]
    for row in range(slots.row_count[job]):
        for column in range(slots.rows.shape[1]):
            search.rows[row, column] = slots.rows[slots.first[job] + row, column]
    unbook(slots, s.profile, s.work, job)


@inner_kernel
def _put_back(s: Scheduler, one: int, other: int) -> None:
    """Undo the last trial, of which the first job was not put anywhere yet."""
    slots, criteria, new = s.slots, s.search.criteria, s.search.time[0]
    if s.slots.start[other] != s.search.old[0]:
        submit, length, begin = s.work.submit[other], slots.length[other], slots.start[other]
        unbook(slots, s.profile, s.work, other)
        slots.start[other] = s.search.old[0]
        slots.row_count[other] = s.search.old[1]
        for row in range(slots.row_count[other]):
            for column in range(slots.rows.shape[1]):
                slots.rows[slots.first[other] + row, column] = s.search.rows[row, column]
        book_again(slots, s.profile, s.work, other)
        try_wait(criteria, other, length, begin - submit, slots.start[other] - submit)
    book_again(slots, s.profile, s.work, one)
    if new < NEVER:
        submit = s.work.submit[one]
        try_wait(criteria, one, slots.length[one], new - submit, slots.start[one] - submit)
    return_stamps(s.profile)


@inner_kernel
def _remember(s: Scheduler) -> None:
    """Note the plan as the best one."""
    for turn in range(s.search.many[0]):
        job = s.search.waiting[turn]
        s.search.best[job] = s.slots.start[job]


@inner_kernel
def _return_to_best(s: Scheduler, now: int) -> None:
    """Plan all jobs anew in the order of their starts in the best plan."""
    for turn in range(s.search.many[0]):
        unbook(s.slots, s.profile, s.work, s.search.waiting[turn])
    sort_waiting(s, s.search.best)
    for turn in range(s.search.many[0]):
        job, length = s.search.waiting[turn], s.slots.length[s.search.waiting[turn]]
        time = earliest(s.profile, s.work, s.machine, job, length, now, NEVER)
        book(s.slots, s.profile, s.work, s.machine, job, time, length)
