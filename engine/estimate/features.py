"""The features of a job at its submission for online regression (Gaussier et al. 2015)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from engine.arrays import Floats, Ints
from engine.compiler.kernels import inner_kernel

BASE = 19
"""Features of a job, with the constant 1; products and squares are made from them."""

SQUARED = BASE - 1
NOBODY = -1

DAY, WEEK = 86_400, 604_800

# Columns of `past`: submissions of the three jobs that ended last, newest first; of all ended jobs
# their number, runtimes, processors; the last end.
_ENDED, _RUNTIMES, _PROCS, _LAST_END = 3, 4, 5, 6
_PAST = 7

# Columns of `present`, of the running jobs: number, processors, sum of starts, first and last to start.
_RUNNING, _BUSY, _STARTS, _FIRST, _LAST = 0, 1, 2, 3, 4
_PRESENT = 5


class Features(NamedTuple):
    """Features of submitted jobs, and what is known of each user.

    A user's running jobs are a list in order of start, linked through `before` and `after`.
    """

    value: Floats  # (n, 19) features x0 to x18 of each job
    submit: Ints  # (n,) s, time of submission
    walltime: Ints  # (n,) s, requested runtime
    procs: Ints  # (n,) requested processors
    past: Ints  # (users, 7) statistics of each user's ended jobs, columns as above
    present: Ints  # (users, 5) statistics of each user's running jobs, columns as above
    start: Ints  # (n,) s, start of each running job
    before: Ints  # (n,) the user's running job that started before this one, or NOBODY
    after: Ints  # (n,) the user's running job that started after this one, or NOBODY


def make_features(submit: Ints, walltime: Ints, procs: Ints, users: int) -> Features:
    """The state before the first submission; the columns of the jobs have shape (n,), times in s."""
    jobs = len(submit)
    past = np.zeros((users, _PAST), np.int64)
    present = np.zeros((users, _PRESENT), np.int64)
    present[:, _FIRST:] = NOBODY
    start, before, after = (np.full(jobs, NOBODY, np.int64) for _ in range(3))
    value = np.empty((jobs, BASE))
    return Features(value, submit, walltime, procs, past, present, start, before, after)


def no_features() -> Features:
    """The empty state, for other predictors."""
    nothing = np.empty(0, np.int64)
    return make_features(nothing, nothing, nothing, 0)


@inner_kernel
def features_submitted(f: Features, job: int, user: int, now: int) -> None:
    """Fill in the features of a job that this user submits."""
    # The features are numbered as in the paper (Gaussier et al. 2015); x0 is the constant.
    x = f.value
    x[job, 0] = 1.0
    _last_runtimes(f, job, user, now)
    x[job, 4] = float(f.walltime[job])
    _averages(f, job, user, now)
    _running_now(f, job, user, now)
    _cycle(f, job, 14, now, DAY)
    _cycle(f, job, 16, now, WEEK)
    x[job, 18] = float(f.procs[job])


@inner_kernel
def features_started(f: Features, job: int, user: int, now: int) -> None:
    """Append the job to its user's running jobs."""
    present = f.present
    last = present[user, _LAST]
    # A user's running jobs form a list that is linked both ways, in order of their starts: the first is the
    # one that has run for longest.
    f.start[job], f.before[job], f.after[job] = now, last, NOBODY
    if last == NOBODY:
        present[user, _FIRST] = job
    else:
        f.after[last] = job
    present[user, _LAST] = job
    present[user, _RUNNING] += 1
    present[user, _BUSY] += f.procs[job]
    present[user, _STARTS] += now


@inner_kernel
def features_stopped(f: Features, job: int, user: int, start: int) -> None:
    """Remove the job from its user's running jobs."""
    present = f.present
    before, after = f.before[job], f.after[job]
    # The neighbours in the list are joined with each other.
    if before == NOBODY:
        present[user, _FIRST] = after
    else:
        f.after[before] = after
    if after == NOBODY:
        present[user, _LAST] = before
    else:
        f.before[after] = before
    present[user, _RUNNING] -= 1
    present[user, _BUSY] -= f.procs[job]
    present[user, _STARTS] -= start


@inner_kernel
def features_ended(f: Features, job: int, user: int, start: int, now: int, runtime: int) -> None:
    """Remove the job from its user's running jobs and count it as ended after `runtime`, s."""
    features_stopped(f, job, user, start)
    past = f.past
    # The last three ended jobs, the newest first.
    past[user, 2], past[user, 1], past[user, 0] = past[user, 1], past[user, 0], f.submit[job]
    past[user, _ENDED] += 1
    past[user, _RUNTIMES] += runtime
    past[user, _PROCS] += f.procs[job]
    past[user, _LAST_END] = now


@inner_kernel
def _last_runtimes(f: Features, job: int, user: int, now: int) -> None:
    """x1 to x3, x5 and x6: of the last three completed jobs, and means of them.

    As published: not their runtimes, but the times since their submission, at most the
    walltime of the job that is predicted.
    """
    x = f.value
    known = min(f.past[user, _ENDED], 3)
    limit = f.walltime[job]
    # Without enough ended jobs the walltime stands in.
    for k in range(3):
        x[job, 1 + k] = float(min(limit, now - f.past[user, k]) if k < known else limit)
    if known < 2:
        x[job, 5] = x[job, 1]
    else:
        x[job, 5] = (x[job, 1] + x[job, 2]) / 2
    # Missing jobs are replaced by the mean of fewer.
    if known < 3:
        x[job, 6] = x[job, 5]
    else:
        # The factor 0.33 is the published one, not a third.
        x[job, 6] = 0.33 * (x[job, 1] + x[job, 2] + x[job, 3])


@inner_kernel
def _averages(f: Features, job: int, user: int, now: int) -> None:
    """x7 to x9: mean runtime, time since the last end, processors relative to the mean."""
    x = f.value
    ended = f.past[user, _ENDED]
    if ended == 0:
        x[job, 7] = x[job, 8] = x[job, 9] = 0.0
    else:
        x[job, 7] = f.past[user, _RUNTIMES] / ended
        x[job, 8] = float(now - f.past[user, _LAST_END])
        x[job, 9] = f.procs[job] / (f.past[user, _PROCS] / ended)


@inner_kernel
def _running_now(f: Features, job: int, user: int, now: int) -> None:
    """x10 to x13: processors, summed elapsed time, number and longest elapsed time of running jobs."""
    x = f.value
    running = f.present[user, _RUNNING]
    # The sum of elapsed times follows from the sum of starts, so that no loop is needed.
    first = f.present[user, _FIRST]
    x[job, 10] = float(f.present[user, _BUSY])
    x[job, 11] = float(running * now - f.present[user, _STARTS])
    x[job, 12] = float(running)
    x[job, 13] = 0.0 if first == NOBODY else float(now - f.start[first])


@inner_kernel
def _cycle(f: Features, job: int, column: int, now: int, period: int) -> None:
    """Two features: cosine and sine of the time of day or week."""
    angle = 2 * math.pi * (now % period) / period
    f.value[job, column] = math.cos(angle)
    f.value[job, column + 1] = math.sin(angle)
