"""Sessions of users: how each user's submissions followed the ends of the user's own jobs, as the log tells.

A user who waits for results submits the next jobs sooner when these come sooner. The log shows after which
end each submission came, and how long its user thought; a simulation in which users react keeps both (a
closed loop). Sessions are those of Zakay & Feitelson (2013): a submission within 20 minutes after the user's
last submission or end goes on with the session, a later submission begins another.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.arrays import Ints
from engine.errors import InputError
from engine.trace.trace import Trace

SAME_SESSION = 20 * 60
"""The longest time, s, from a user's last submission or end to a submission of the same session."""

_NOBODY = -1


class Reactions(NamedTuple):
    """What the submission of each of n jobs was a reaction to, shapes (n,)."""

    follows: Ints  # the user's own job whose end came last before it in its session, or -1
    think: Ints  # s from that end to the submission; 0 without such an end


def reactions(trace: Trace) -> Reactions:
    """What users reacted to, by the log's own submissions and ends.

    A job follows the last of its user's jobs that ended before its submission, at or after the first
    submission of the session; the first jobs of a session follow none. Raises InputError if the log does not
    tell when its jobs ended.
    """
    if not trace.has_recorded_schedule:
        raise InputError(
            f"{trace.name}: it does not tell when jobs started, so that nobody knows to what users react"
        )
    jobs, user = np.arange(len(trace)), trace.user.codes.astype(np.int64)
    submit = trace.submit
    ended = np.flatnonzero((trace.wait >= 0) & (trace.recorded_runtime >= 0))
    end = submit[ended] + trace.wait[ended] + trace.recorded_runtime[ended]

    # The users' times are laid one user after the other on a line of numbers, so that a single search finds
    # the last end of each.
    span = int(max(submit.max(initial=0), end.max(initial=0))) + 1
    by_end = np.lexsort((ended, end, user[ended]))
    line = user[ended][by_end] * span + end[by_end]
    at = np.searchsorted(line, user * span + submit, side="right") - 1
    last = np.where(at >= 0, ended[by_end[np.maximum(at, 0)]] if len(ended) else _NOBODY, _NOBODY)
    # A job that ends in the second of its submission does not come before itself, nor before an earlier job.
    while (early := (last >= jobs) & (at >= 0)).any():
        at[early] -= 1
        last[early] = np.where(at[early] >= 0, ended[by_end[np.maximum(at[early], 0)]], _NOBODY)
    same_user = (last >= 0) & (user[np.maximum(last, 0)] == user)
    last = np.where(same_user, last, _NOBODY)
    last_end = np.where(same_user, submit[last] + trace.wait[last] + trace.recorded_runtime[last], _NOBODY)

    # In each user's order of submission a session begins where nothing came in the 20 minutes before.
    order = np.lexsort((jobs, user))
    before = np.full(len(trace), _NOBODY, np.int64)
    same = user[order[1:]] == user[order[:-1]]
    before[order[1:][same]] = submit[order[:-1][same]]
    latest = np.maximum(before, last_end)
    begins = (latest < 0) | (submit - latest > SAME_SESSION)
    first = np.maximum.accumulate(np.where(begins[order], jobs, 0))  # the place of the session's first job
    begin = np.empty(len(trace), np.int64)
    begin[order] = submit[order[first]]

    follows = np.where(~begins & (last_end >= begin), last, _NOBODY).astype(np.int64)
    return Reactions(follows, np.where(follows >= 0, submit - last_end, 0).astype(np.int64))
