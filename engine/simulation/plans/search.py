"""The state of a local search for a better plan: its method, its length, and the jobs that it moves."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from engine.compiler.kernels import inner_kernel
from engine.compiler.packed_tuples import unchanging
from engine.policy.names import CRITERIA
from engine.simulation.placement import AMOUNTS
from engine.simulation.plans.criteria import Criteria, make_criteria
from engine.simulation.plans.gain_rates import GainRates, make_gain_rates
from engine.simulation.plans.search_log import SearchTable, make_search_table
from engine.simulation.workload import Ints

NONE, GAP, RANDOM, TABU, ANNEALING, GREEDY = range(6)
METHODS = ("none", "gap", "random", "tabu", "annealing", "greedy")
"""Spellings of the methods, in the order of their numbers.

GAP moves a job to the earliest gap in which it fits. RANDOM takes two jobs, moves the one planned later to
its earliest gap without the other, and then plans the other. TABU does the same with pairs not moved
recently. ANNEALING also accepts worse plans, ever less often, and returns to the best plan at the end. GREEDY
makes no trials: it plans all jobs from scratch by their gain for the resources that they hold.
"""

PERIODS = 72
"""No search delays a job's start beyond twice its first planned wait plus this many search periods.

That is 6 h for a search every 5 min. With 1 period, jobs that start soon were hardly ever moved.
"""

GREEDY_PERIODS = 720
"""A job comes first in greedy plans once it has waited for twice its first planned wait and so many periods.

Of several such jobs only as many as the plan's depth keep their places, at least the first one. The time is
long because these jobs go by submission, and on a crowded machine most jobs would soon be among them.
"""

MODULUS, MULTIPLIER = 2_147_483_647, 48_271
"""Constants of the minimal standard random number generator (Park, Miller & Stockmeyer 1993)."""


class Search(NamedTuple):
    """The state of a search; the waiting jobs in order of planned start are `waiting[:many[0]]`."""

    method: int  # index into METHODS
    period: int  # s between two searches
    trials: int  # moves that a search tries
    depth: int  # blocked jobs of a greedy plan that are planned before others that could start at once
    patience: int  # s that a job may have to wait in addition to twice its first planned wait
    criteria: Criteria  # by which plans are judged
    random: Ints  # (1,) state of the random number generator, 1 to MODULUS - 1
    waiting: Ints  # (n,) waiting jobs
    listed: Ints  # (n,) 1 for jobs in `waiting`, else 0
    many: Ints  # (1,) number of jobs in `waiting`
    moved: Ints  # (n,) number of the last trial that moved the job
    best: Ints  # (n,) s, starts in the best plan so far, or in the plan before
    time: Ints  # (1,) s, start of a trial's first job; NEVER where it may not move
    old: Ints  # (2,) of a trial's second job before the trial: its start, s, and its number of rows
    rows: Ints  # (most, 1 + K) these rows: node and amounts
    rates: GainRates  # for GREEDY
    table: SearchTable  # statistics of the searches


def make_search(
    method: str,
    period: int,
    trials: int,
    depth: int,
    seed: int,
    criteria: Criteria,
    most_pieces: Ints,
    kinds: int,
    log: bool,
) -> Search:
    """The state before the first search.

    `period` is in s; `most_pieces`, (n,), is the largest number of node pieces of each job; `kinds` the
    number of resources; `log` says whether statistics are collected.
    """
    jobs = len(most_pieces)
    greedy = method == METHODS[GREEDY]
    # Rows for the pieces of the largest job: the search places one job at a time.
    most = int(most_pieces.max(initial=0)) if method != METHODS[NONE] else 0
    return Search(
        method=METHODS.index(method),
        period=period,
        trials=trials,
        depth=depth,
        patience=period * (GREEDY_PERIODS if greedy else PERIODS),
        criteria=criteria,
        # The generator (Lehmer's) never leaves 0, so that the seed is taken into 1 to MODULUS - 1.
        random=np.full(1, seed % (MODULUS - 1) + 1, np.int64),
        waiting=np.zeros(jobs, np.int64),
        listed=np.zeros(jobs, np.int64),
        many=np.zeros(1, np.int64),
        moved=np.zeros(jobs, np.int64),
        best=np.zeros(jobs, np.int64),
        time=np.zeros(1, np.int64),
        old=np.zeros(2, np.int64),
        rows=np.zeros((most, AMOUNTS + kinds), np.int64),
        rates=make_gain_rates(jobs, len(criteria.used)) if greedy else make_gain_rates(0, 0),
        table=make_search_table(log and method != METHODS[NONE]),
    )


@lru_cache
@cache
def no_search() -> Search:
    """The state of a policy that keeps no plan; all such simulations share it."""
    nobody = np.zeros(0, np.int64)
    criteria = make_criteria(np.zeros(len(CRITERIA)), nobody, np.zeros(0), np.zeros(0), nobody, users=0)
    return unchanging(make_search(METHODS[NONE], 0, 0, 0, 0, criteria, nobody, 1, log=False))


@inner_kernel
def most_moved(search: Search) -> int:
    """The largest number of node pieces that a trial moves."""
    return int(2 * max(1, search.rows.shape[0]))


@inner_kernel
def next_random(search: Search) -> int:
    """The next random number, 1 to MODULUS - 1."""
    search.random[0] = search.random[0] * MULTIPLIER % MODULUS
    return int(search.random[0])
