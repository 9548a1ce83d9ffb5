"""The selection of a window, which all charts share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from engine.trace import Trace
from views.state.history import History

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
        if replace(self, instant=None, nodes=_NONE).empty:
            return None
        picked = np.zeros(len(trace), bool)
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


class SelectionModel(QObject):
    """Model of the selection; `changed` is sent once for each real change. Earlier selections are recorded.

    Picking a user, a job or a queue leaves the picked time as it is; with `toggle` it is added to the others
    of its kind, or removed. `stepped` is sent for each new step.
    """

    changed, stepped = Signal(), Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._value = Selection()
        self._history: History[Selection] = History()

    @property
    def value(self) -> Selection:
        """The present selection."""
        return self._value

    def select(self, value: Selection) -> None:
        """Pick exactly this."""
        if value != self._value:
            self._history.push(self._value)
            self._show(value)
            self.stepped.emit()

    def select_user(self, code: int, toggle: bool = False) -> None:
        """Pick a user, given by its code in the trace."""
        users = self._value.users if not self._value.jobs else frozenset[int]()
        self._pick(users=_picked(users, code, toggle))

    def select_users(self, codes: Iterable[int]) -> None:
        """Pick these users."""
        self._pick(users=frozenset(int(c) for c in codes))

    def select_queue(self, code: int, toggle: bool = False) -> None:
        """Pick a queue, given by its code in the trace."""
        self._pick(queues=_picked(self._value.queues, code, toggle))

    def select_queues(self, codes: Iterable[int]) -> None:
        """Pick these queues."""
        self._pick(queues=frozenset(int(c) for c in codes))

    def select_job(self, trace: Trace, job: int, toggle: bool = False) -> None:
        """Pick a job, and with it its user."""
        self.select_jobs(trace, _picked(self._value.jobs, job, toggle))

    def select_jobs(self, trace: Trace, jobs: Codes) -> None:
        """Pick these jobs, and with them their users where those are few: else all rows would light up."""
        index = np.fromiter(jobs, np.int64, len(jobs))
        users = np.flatnonzero(np.bincount(trace.user.codes[index])).tolist()
        self._pick(users=frozenset(users if len(users) <= FEW_USERS else ()), jobs=jobs)

    def select_nodes(self, nodes: Codes, trace: Trace, jobs: Codes) -> None:
        """Pick nodes, and what runs on them; the picked time stays."""
        users = frozenset(trace.user.codes[np.fromiter(jobs, np.int64, len(jobs))].tolist())
        self._pick(jobs, users if len(users) <= FEW_USERS else _NONE, nodes=nodes)

    def select_time_range(self, start: float, end: float) -> None:
        """Pick a time range, in seconds; users, jobs and queues stay picked."""
        self.select(replace(self._value, time_range=(min(start, end), max(start, end)), instant=None))

    def select_instant(self, time: float) -> None:
        """Pick an instant, in seconds; users, jobs and queues stay picked."""
        self.select(replace(self._value, time_range=None, instant=time))

    def clear(self) -> None:
        """Pick nothing."""
        self.select(Selection())

    def reset(self) -> None:
        """Forget the selection and its history: in another trace codes and indices mean others."""
        self._history.clear()
        if not self._value.empty:
            self._show(Selection())

    def back(self) -> None:
        """Pick what was picked before."""
        self._change(self._history.back(self._value))

    def forward(self) -> None:
        """Undo the last `back`."""
        self._change(self._history.forward(self._value))

    def forget_ahead(self) -> None:
        """Leave nothing for `forward`: something else was changed."""
        self._history.forget_ahead()

    def _pick(
        self, jobs: Codes = _NONE, users: Codes = _NONE, queues: Codes = _NONE, nodes: Codes = _NONE
    ) -> None:
        """Pick these, at the time that is picked already."""
        self.select(replace(self._value, jobs=jobs, users=users, queues=queues, nodes=nodes))

    def _change(self, value: Selection) -> None:
        if value != self._value:
            self._show(value)

    def _show(self, value: Selection) -> None:
        self._value = value
        self.changed.emit()


def _picked(present: Codes, one: int, toggle: bool) -> Codes:
    return present ^ {int(one)} if toggle else frozenset({int(one)})


def _chosen(codes: NDArray[np.int32], kinds: int, picked: Codes) -> NDArray[np.bool_]:
    table = np.zeros(kinds, bool)
    table[[code for code in picked if code < kinds]] = True
    return table[codes]
