"""The filling of a user's share, second by second: the jobs that use it, how much, and when.

Toth & Klusacek 2014 draw it in figures 2 to 4.
"""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np

from engine.arrays import Ints
from engine.compiler.kernels import kernel
from engine.fairness.eet import keep_back, mean_use


class Filling(NamedTuple):
    """Blocks of a share, m of them: from `start` to before `end`, s, a job takes `amount` from `base` on.

    They are ordered by job, in order of arrival. Below the block of a job are the use of earlier jobs, and
    the amount withheld from it if the share decays.
    """

    job: Ints  # (m,) index into the jobs that were given
    start: Ints  # (m,) s
    end: Ints  # (m,) s
    base: Ints  # (m,) amount of the share that is taken below the block
    amount: Ints  # (m,) amount that the block takes


def share_filling(
    submit: Ints, runtime: Ints, amount: Ints, capacity: int, exact_last: bool = False, half_life: int = 0
) -> Filling:
    """The filling of a share of a resource by the jobs of a user, n of them in order of arrival.

    As in `expected_end_times`: the last block of a job ends at its EET.
    """
    submit, runtime, amount = (np.array(column, np.int64) for column in (submit, runtime, amount))
    return Filling(*_blocks(submit, runtime, amount, capacity, exact_last, half_life).T)


@kernel
def _blocks(
    submit: Ints, runtime: Ints, amount: Ints, capacity: int, exact_last: bool, half_life: int
) -> Ints:
    """Rows of job, start, end, base and amount."""
    since = submit[0] if len(submit) > 0 else 0
    mean = 0.0
    steps = [(since, capacity)]
    kept = [(since, capacity) for _ in range(0)]
    passed = [(since, capacity) for _ in range(0)]
    rows = [(0, since, since, 0, 0) for _ in range(0)]
    for job in range(len(submit)):
        if amount[job] <= 0 or runtime[job] <= 0:
            continue
        # Recent use lowers the share of this job alone: what is kept back returns to the steps after it.
        if half_life > 0:
            mean = mean_use(steps, capacity, since, submit[job], mean, half_life)
            since = submit[job]
            keep_back(steps, kept, capacity - max(1, int(capacity * 2.0 ** (-mean / capacity))))
        # The need is poured into what earlier jobs leave free, from the submission on, as wide as the job is.
        need = amount[job] * runtime[job]
        now = submit[job]
        free = 0
        while need > 0:
            while len(steps) > 0 and steps[0][0] <= now:
                free += heapq.heappop(steps)[1]
            until = steps[0][0] if len(steps) > 0 and free < amount[job] else -1
            if free == 0:
                now = until
                continue
            rate = min(free, amount[job])
            end = now + (need - 1) // rate + 1
            # The room grows before the need is met: fill up to there at this width, then go on wider.
            if until >= 0 and until < end:
                rows.append((job, now, until, capacity - free, rate))
                need -= rate * (until - now)
                now = until
                continue
            # The need is met within this step; the job's last second may take less.
            last = need - (end - 1 - now) * rate if exact_last else rate
            passed.append((now, free - rate))
            while (
                len(steps) > 0 and steps[0][0] < end
            ):  # earlier jobs end meanwhile, which lowers this job's block
                until, more = heapq.heappop(steps)
                passed.append((until, more))
                if until > now:
                    rows.append((job, now, until, capacity - free, rate))
                now, free = until, free + more
            if last < rate and end - 1 > now:
                rows.append((job, now, end - 1, capacity - free, rate))
                now = end - 1
            rows.append((job, now, end, capacity - free, last))
            # Steps that were only passed stay for later jobs; the two new ones give back what this job held.
            while len(passed) > 0:
                heapq.heappush(steps, passed.pop())
            heapq.heappush(steps, (end - 1, rate - last))
            heapq.heappush(steps, (end, last))
            break
        while len(kept) > 0:
            heapq.heappush(steps, kept.pop())
    blocks = np.empty((len(rows), 5), np.int64)
    for row in range(len(rows)):
        blocks[row, 0], blocks[row, 1], blocks[row, 2], blocks[row, 3], blocks[row, 4] = rows[row]
    return blocks
