"""The orders of users from top to bottom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from engine.arrays import Ints
from engine.shown_text import format_name
from engine.trace import Trace
from views.data.user_rows import QueueGroup, UserRows
from views.text.names import name_ranks

OrderKind = Literal["violations", "name", "usage"]


def rows_in_order(
    trace: Trace,
    totals: Ints,
    by: OrderKind = "violations",
    by_queue: bool = False,
    pinned: Sequence[int] = (),
) -> UserRows:
    """Users with any violation from top to bottom, grouped by queue or not; `pinned` users first.

    `totals`, shape (users,), are violated jobs times minutes, summed over all runs that are shown together,
    so that all have the same rows. Queues are sorted like users.
    """
    # Pinned users come first even without a violation, and must not come again below.
    first = np.array(pinned, np.int64)
    chosen = totals > 0
    chosen[first] = False
    order = _sorted(np.flatnonzero(chosen), trace.user.names, _sort_key(trace, totals, by))
    groups: list[QueueGroup] = []
    if by_queue:
        queue = main_queues(trace)[order]
        worth = _sort_key(trace, totals, by)
        of_queue = None
        if worth is not None:
            of_queue = np.bincount(queue, worth[order], len(trace.queue.names)).astype(np.int64)
        parts = []
        # Users keep their order within a queue; `row` counts the rows above each group.
        row = len(first)
        for code in _sorted(np.unique(queue), trace.queue.names, of_queue):
            users_of_queue = order[queue == code]
            groups.append(QueueGroup(format_name("queue", trace.queue.names[code]), row, len(users_of_queue)))
            parts.append(users_of_queue)
            row += len(users_of_queue)
        order = np.concatenate(parts) if parts else order
    return UserRows(np.concatenate((first, order)), len(trace.user.names), len(first), tuple(groups))


def main_queues(trace: Trace) -> Ints:
    """The queue in which each user's jobs have used most processor time, shape (users,)."""
    users, queues = len(trace.user.names), len(trace.queue.names)
    pair = trace.user.codes.astype(np.int64) * queues + trace.queue.codes
    used = np.bincount(pair, trace.procs * trace.runtime, users * queues)
    return np.asarray(used.reshape(users, queues).argmax(axis=1), np.int64)


def _sort_key(trace: Trace, totals: Ints, by: OrderKind) -> Ints | None:
    """The sort key of users, the greatest first; None: sort by name."""
    if by == "name":
        return None
    if by == "violations":
        return totals
    used = np.zeros(len(trace.user.names), np.int64)
    np.add.at(used, trace.user.codes, trace.procs * trace.runtime)
    return used


def _sorted(codes: Ints, names: Sequence[str], worth: Ints | None) -> Ints:
    if worth is None:
        return codes[np.argsort(name_ranks(names)[codes])]
    return codes[np.argsort(-worth[codes], kind="stable")]
