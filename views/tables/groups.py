"""The groups of jobs that a table has rows of: users, queues, or accounts with the users of each below it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from engine.arrays import Floats, Ints, Mask
from engine.metrics.groups import GroupTable, per_group
from engine.quantities import Jobs, Missing, Quantity
from engine.shown_text import is_named
from engine.trace import Names, Trace
from views.data.results import Result
from views.text.names import name_ranks

GroupKind = Literal["user", "queue", "account"]

INDENT = "\u2003"
"""What stands before the names of users below an account."""


def names_accounts(trace: Trace) -> bool:
    """Whether the log says of any job which account it ran on."""
    return any(is_named("account", name) for name in trace.group.names)


def accounts(trace: Trace) -> tuple[Names, Names, Ints]:
    """The account of each job, its account and user, and the account of each such pair, shape (pairs,)."""
    users = len(trace.user.names)
    both = trace.group.codes.astype(np.int64) * users + trace.user.codes
    pairs, codes = np.unique(both, return_inverse=True)
    names = tuple(trace.user.names[pair % users] for pair in pairs)
    return trace.group, Names(codes.astype(np.int32), names), np.asarray(pairs // users)


class Groups:
    """The items of a table of groups: those of one kind, and of accounts their users behind them.

    `names` are those of the log.
    """

    def __init__(self, kind: GroupKind, trace: Trace) -> None:
        self.kind, self.trace = kind, trace
        self.parent: Ints | None = None  # as `Content.parent`
        if kind != "account":
            names = trace.user if kind == "user" else trace.queue
            self.levels: tuple[Names, ...] = (names,)
            self.names = list(names.names)
            return
        whole, within, account_of_user = accounts(trace)
        self.levels = (whole, within)
        self.names = list(whole.names) + [INDENT + n for n in within.names]
        self.parent = np.concatenate((np.arange(len(whole.names)), account_of_user))

    @property
    def by_name(self) -> Ints:
        """All items in order of their names, shape (items,), users below their account."""
        ranks = [name_ranks(level.names) for level in self.levels]
        if self.parent is None:
            return np.argsort(ranks[0], kind="stable")
        return np.lexsort((np.concatenate((np.full(len(ranks[0]), -1.0), ranks[1])), ranks[0][self.parent]))

    def count(self, jobs: Mask | None) -> Ints:
        """The number of jobs of each item, shape (items,), of all or of these."""
        return np.concatenate(
            [
                np.bincount(level.codes if jobs is None else level.codes[jobs], minlength=len(level.names))
                for level in self.levels
            ]
        )

    def of_each(self, quantity: Quantity, measured: Jobs, jobs: Mask) -> Floats:
        """A quantity that is known to be there, of these jobs, shape (items,)."""
        per_level = [quantity.of_each(measured, jobs, level) for level in self.levels]
        return np.concatenate([values for values in per_level if not isinstance(values, Missing)])

    def tables(self, result: Result) -> Sequence[GroupTable]:
        """The tables of the items under a run, one for each level."""
        if self.kind == "user":
            return [result.users]
        return [
            per_group(result.schedule, level, result.violations, result.measured) for level in self.levels
        ]
