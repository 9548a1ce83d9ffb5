"""The selection in a study, as a plain value without Qt."""

from __future__ import annotations

from dataclasses import dataclass, replace
from textwrap import shorten

import numpy as np
from numpy.typing import NDArray

from engine.filter import Expression
from engine.filter.expression import Compare, join
from engine.filter.submit_filter import submitted_in
from engine.trace import Trace
from views.text.counts import plural

MOST_NAMED = 5
"""The most selected jobs that are named; of more only the number is shown."""

Codes = frozenset[int]

FEW_USERS = 20
"""Picked jobs of no more users than these bring them along."""

_NONE: Codes = frozenset()


@dataclass(frozen=True)
class Selection:
    """A selection: jobs by their index in the trace, users and queues by code, nodes by number, a time.

    A picked job brings its user along, so that the user's row lights up in every chart. The
    time is a range or an instant, or neither; an instant restricts no jobs, and nodes don't either: on them
    other jobs ran in each run.
    """

    jobs: Codes = frozenset()
    users: Codes = frozenset()
    queues: Codes = frozenset()
    time_range: tuple[float, float] | None = None  # seconds from the trace's zero
    instant: float | None = None  # the same
    nodes: Codes = frozenset()

    @property
    def empty(self) -> bool:
        """True if nothing is picked."""
        return self == Selection()

    @property
    def without_time(self) -> Selection:
        """The same jobs, users and queues: charts of time show the time itself and dim by the rest."""
        return replace(self, time_range=None, instant=None)

    @property
    def single_job(self) -> int | None:
        """The picked job; None if none is picked, or several."""
        return next(iter(self.jobs)) if len(self.jobs) == 1 else None

    def known_jobs(self, count: int) -> NDArray[np.int64]:
        """The picked jobs below `count`, ascending: there may be hundreds of thousands."""
        jobs = np.fromiter(self.jobs, np.int64, len(self.jobs))
        picked = np.zeros(count, np.bool_)
        picked[jobs[jobs < count]] = True
        return np.flatnonzero(picked)

    def mask(self, trace: Trace) -> NDArray[np.bool_] | None:
        """The mask of picked jobs, shape (n,); None if there is no restriction.

        Explicitly picked jobs take priority; otherwise it is the jobs of the picked users *and* queues that
        were submitted within the picked range.
        """
        # An instant and nodes restrict no jobs.
        if replace(self, instant=None, nodes=_NONE).empty:
            return None
        picked = np.zeros(len(trace), bool)
        # Jobs win over users, which are selected with them.
        if self.jobs:
            picked[self.known_jobs(len(trace))] = True
            return picked
        picked[:] = True
        if self.users:
            picked &= _chosen(trace.user.codes, len(trace.user.names), self.users)
        if self.queues:
            picked &= _chosen(trace.queue.codes, len(trace.queue.names), self.queues)
        if self.time_range:
            picked &= (trace.submit >= self.time_range[0]) & (trace.submit <= self.time_range[1])
        return picked


def few_users(trace: Trace, jobs: Codes) -> Codes:
    """The users of picked jobs, picked with them; none where they are many: all rows would light up."""
    index = np.fromiter(jobs, np.int64, len(jobs))
    users = np.flatnonzero(np.bincount(trace.user.codes[index])).tolist()
    return frozenset(users if len(users) <= FEW_USERS else ())


def filter_of(selection: Selection, trace: Trace) -> Expression | None:
    """Expression that the selected jobs meet; None where nothing is selected."""
    if selection.jobs:
        return _one_of("job", [str(trace.job_id[job]) for job in sorted(selection.jobs)])
    parts: list[Expression] = []
    if selection.users:
        parts.append(_one_of("user", [trace.user.names[code] for code in sorted(selection.users)]))
    if selection.queues:
        parts.append(_one_of("queue", [trace.queue.names[code] for code in sorted(selection.queues)]))
    if selection.time_range is not None:
        first, last = map(round, selection.time_range)
        parts.append(submitted_in(trace, first, last))
    return join("and", *parts) if parts else None


def _one_of(field: str, names: list[str]) -> Expression:
    return Compare(field, "=" if len(names) == 1 else "in", tuple(names))


def in_words(picked: Selection, trace: Trace, longest: int) -> str:
    """The picked jobs, users and queues in words of at most so many characters; empty: nothing is picked."""
    if len(picked.jobs) > MOST_NAMED:
        return plural(len(picked.jobs), "selected job")
    expression = filter_of(picked.without_time, trace)
    return shorten(str(expression), longest, placeholder=" …") if expression is not None else ""


def _chosen(codes: NDArray[np.int32], kinds: int, picked: Codes) -> NDArray[np.bool_]:
    table = np.zeros(kinds, bool)
    table[[code for code in picked if code < kinds]] = True
    return table[codes]
