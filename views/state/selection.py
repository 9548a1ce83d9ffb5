"""The selection of a window, which all charts share, and its history."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from engine.trace import Trace
from views.data.selection import Codes, Selection, few_users
from views.state.history import History

__all__ = ["Codes", "Selection", "SelectionModel"]

_NONE: Codes = frozenset()


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
        self._pick(users=few_users(trace, jobs), jobs=jobs)

    def select_nodes(self, nodes: Codes, trace: Trace, jobs: Codes) -> None:
        """Pick nodes, and what runs on them; the picked time stays."""
        self._pick(jobs, few_users(trace, jobs), nodes=nodes)

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


def _picked(present: Codes, code: int, toggle: bool) -> Codes:
    return present ^ {int(code)} if toggle else frozenset({int(code)})
