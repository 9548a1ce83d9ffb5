"""The state of a local search for a better plan: which method, how long, and the jobs that it moves."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from engine.compiler.kernels import inner_kernel
from engine.compiler.packed import unchanging
from engine.policy.names import CRITERIA
from engine.simulation.criteria import Criteria, make_criteria
from engine.simulation.gain_rates import GainRates, make_gain_rates
from engine.simulation.search_log import SearchTable, make_search_table
from engine.simulation.workload import Ints

NONE, GAP, RANDOM, TABU, ANNEALING, GREEDY = range(6)
METHODS = ("none", "gap", "random", "tabu", "annealing", "greedy")
"""Names of the methods.

GAP puts a job into the earliest gap that it fits; RANDOM puts, of two jobs, the one that is planned to
start later into the earliest gap without the other, which is then planned anew; TABU does so with jobs that
were not moved a while ago; ANNEALING keeps worse plans too, ever less often, and in the end goes back
to the best one. GREEDY tries nothing, and plans all jobs anew by what they gain for what they hold.
"""

PERIODS = 72
"""A search makes no job wait for longer than twice its first promise and so many of its periods.

These are 6 h of a search every 5 min. With one period, jobs that start soon hardly ever gave way.
"""

GREEDY_PERIODS = 720
"""A job that has waited for twice its first promise and so many periods goes first in greedy plans.

Of several only as many as the plan's depth keep their places, the first one at least. It is a long time,
since these go by submission, and on a crowded machine they would soon be most of all.
"""

MODULUS, MULTIPLIER = 2_147_483_647, 48_271
"""Of the minimal standard generator of random numbers (Park, Miller & Stockmeyer 1993)."""


class Search(NamedTuple):
    """Local search, and the waiting jobs by planned start: `waiting[:many[0]]`."""

    method: int
    period: int  # s
    trials: int  # in a search
    depth: int  # jobs of a greedy plan that keep their places against others that could start at once
    patience: int  # s, beyond twice its first promise, that a job may have to wait
    criteria: Criteria
    random: Ints  # (1,) state of the generator, 1 to MODULUS - 1
    waiting: Ints  # (n,)
    listed: Ints  # (n,) 1 for jobs in `waiting`
    many: Ints  # (1,)
    moved: Ints  # (n,) the trial that last moved the job
    best: Ints  # (n,) s, starts in the best plan so far, or in the one before
    time: Ints  # (1,) s, where a trial would put its first job; NEVER where it must not
    old: Ints  # (2,) start, s, and number of rows of the second job of a trial before it
    rows: Ints  # (most, 1 + K) and where it was, on nodes
    rates: GainRates
    table: SearchTable  # what the searches did


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
    """Nothing was searched; `most_pieces`, (n,), are the most pieces of nodes that a job takes.

    `log` says whether it is noted what searches do.
    """
    jobs = len(most_pieces)
    greedy = method == METHODS[GREEDY]
    most = int(most_pieces.max(initial=0)) if method != METHODS[NONE] else 0
    return Search(
        method=METHODS.index(method),
        period=period,
        trials=trials,
        depth=depth,
        patience=period * (GREEDY_PERIODS if greedy else PERIODS),
        criteria=criteria,
        random=np.full(1, seed % (MODULUS - 1) + 1, np.int64),
        waiting=np.zeros(jobs, np.int64),
        listed=np.zeros(jobs, np.int64),
        many=np.zeros(1, np.int64),
        moved=np.zeros(jobs, np.int64),
        best=np.zeros(jobs, np.int64),
        time=np.zeros(1, np.int64),
        old=np.zeros(2, np.int64),
        rows=np.zeros((most, 1 + kinds), np.int64),
        rates=make_gain_rates(jobs, len(criteria.used)) if greedy else make_gain_rates(0, 0),
        table=make_search_table(log and method != METHODS[NONE]),
    )


@lru_cache
@cache
def no_search() -> Search:
    """The state where plans are neither kept nor searched: all such simulations share it."""
    nobody = np.zeros(0, np.int64)
    criteria = make_criteria(np.zeros(len(CRITERIA)), nobody, np.zeros(0), np.zeros(0), nobody, users=0)
    return unchanging(make_search(METHODS[NONE], 0, 0, 0, 0, criteria, nobody, 1, log=False))


@inner_kernel
def most_moved(search: Search) -> int:
    """Pieces that a trial moves at most."""
    return int(2 * max(1, search.rows.shape[0]))


@inner_kernel
def next_random(search: Search) -> int:
    """The next random number, 1 to MODULUS - 1."""
    search.random[0] = search.random[0] * MULTIPLIER % MODULUS
    return int(search.random[0])
