"""The clicked spot in a chart or a table, and the objects there."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QWidget

from engine.schedule.schedule import Schedule
from views.data.marks import TimeMark
from views.state.selection import Codes, Selection


@dataclass(frozen=True, eq=False)
class Spot:
    """A spot in a widget: a time in s from the trace's zero, and things there; None: nothing of that kind.

    Jobs are indices in the trace, users and queues codes, nodes numbers in the machine of the `schedule` that
    the widget shows, and a group of nodes that can be folded there has its name.
    """

    widget: QWidget
    time: float | None = None
    job: int | None = None
    user: int | None = None
    queue: int | None = None
    node: int | None = None
    schedule: Schedule | None = None
    mark: TimeMark | None = None
    group: str | None = None

    def meant_by(self, event: QContextMenuEvent, picked: Selection) -> Spot:
        """The spot; if a key opened the menu, with the picked object of each kind if it is a single
        object.
        """
        if event.reason() != QContextMenuEvent.Reason.Keyboard:
            return self
        job, user, queue = map(_only, (picked.jobs, picked.users, picked.queues))
        return replace(self, job=job, user=user, queue=queue, node=None)


def _only(codes: Codes) -> int | None:
    return next(iter(codes)) if len(codes) == 1 else None
