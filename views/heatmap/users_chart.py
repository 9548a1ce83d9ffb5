"""A chart over time with one row per user: whom a pixel shows, and what the mouse does with the user."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtGui import QContextMenuEvent, QPainter
from PySide6.QtWidgets import QWidget

from engine.filter import Expression
from engine.quantities import Jobs
from views.data.user_rows import UserRows
from views.heatmap.labels import paint_picked, paint_row_names, paint_separators
from views.state.context import ViewContext
from views.state.spot import Spot
from views.theme.theme import Theme
from views.timechart.chart import TimeChart
from views.timechart.frame import Frame
from views.work.lazy import LazyValue

if TYPE_CHECKING:
    from engine.fairness.violations import UserSteps

MINUTE = 60

_SNAP = 1e-6
"""Steps this near to the edge of a pixel column, as a share of it, lie on the edge, as in the picture."""

Users = frozenset[int]


class UsersChart(TimeChart):
    """A chart with users as rows, from top to bottom; `_steps` hold the values of each user at each minute.

    A click or right-click selects the row's user; a double-click zooms to the user's data. In a pixel with
    several users these act on the user that the pixel shows. Users that are not selected, or without a job
    that matches a dimming filter, are faded. Subclasses implement `_strength`.
    """

    def __init__(self, context: ViewContext, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(context, theme, name, parent)
        self._steps: UserSteps | None = None
        self._rows: UserRows | None = None
        self._names: tuple[str, ...] = ()
        self._jobs: Jobs | None = None
        self._matching: LazyValue[Users | None] = LazyValue(lambda: None)
        self._met: int | None = None  # the user whose row the last click was on and has something there

    def set_jobs(self, jobs: Jobs | None) -> None:
        """Set the outcome of the jobs: users without a job that matches the filter are faded."""
        self._jobs = jobs
        self._filter_changed()

    def _strength(self, user: int, start: float, end: float) -> tuple[float, float]:
        """The strength of a user in a pixel from `start` to `end`, in minutes; a pixel shows the strongest
        user.

        If the first numbers of two users are equal, the second decides; a user without data has 0.
        """
        raise NotImplementedError

    def _words(self, user: int, users: list[int], start: float, end: float) -> list[str]:
        """Describe the pixel that shows this user and covers all of `users`."""
        raise NotImplementedError

    def tooltip_at(self, position: QPointF) -> str:
        """The user whom the pixel shows, the minute, and what there is of the user."""
        user = self._user_at(position)
        if user is None:
            return ""
        minute = float(self.frame().scale.time(position.x()) // MINUTE * MINUTE)
        words = self._words(user, self._users_at(position), *self._minutes_at(position))
        lines = [f"user {self._names[user]}", self.time_axis.format(minute), *words, *self._queue_of(user)]
        return "\n".join(lines)

    # Who is bright.

    def _filter_changed(self) -> None:
        dimmed, jobs = self.filter.value.dimmed, self._jobs
        self._matching = LazyValue(lambda: users_with(jobs, dimmed))
        self.refresh()

    def _look(self) -> Hashable:
        return self.selection.value.users, self._matching

    # Whom a pixel shows.

    def _users_at(self, position: QPointF) -> list[int]:
        """Codes of the users of a pixel; only the bright users if there are any."""
        frame, rows = self.frame(), self._rows
        if rows is None or self._steps is None or self.message or not frame.plot.contains(position):
            return []
        ratio = self.devicePixelRatioF()
        pixel, height = int((position.y() - frame.plot.top()) * ratio), round(frame.plot.height() * ratio)
        users = rows.at(pixel, height, ratio).tolist()
        bright = bright_users(self.selection.value.users, self._matching.value)
        lit = users if bright is None else [user for user in users if user in bright]
        return lit or users

    def _minutes_at(self, position: QPointF) -> tuple[float, float]:
        """The time that a pixel column shows, from and to, in minutes."""
        frame, ratio = self.frame(), self.devicePixelRatioF()
        left = frame.plot.left() + int((position.x() - frame.plot.left()) * ratio) / ratio
        edges = (left + _SNAP / ratio, left + (1 - _SNAP) / ratio)
        start, end = (frame.scale.time(x) / MINUTE for x in edges)
        return start, end

    def _user_at(self, position: QPointF) -> int | None:
        """The user that a pixel shows, by code."""
        minutes = self._minutes_at(position)
        return max(self._users_at(position), key=lambda user: self._strength(user, *minutes), default=None)

    def _queue_of(self, user: int) -> list[str]:
        """The queue of a user's row, if rows are grouped."""
        if self._rows is None:
            return []
        row = int(np.flatnonzero(self._rows.order == user)[0])
        groups = self._rows.groups
        return [f"queue: {group.name}" for group in groups if 0 <= row - group.first < group.rows]

    # What the mouse does.

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Select the user under the mouse before the menu opens, because the menu acts on the selection."""
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        user = None if by_key else self._spot_at(QPointF(event.pos())).user
        if user is not None and user not in self.selection.value.users:
            self.selection.select_user(user)
        super().contextMenuEvent(event)

    def _spot_at(self, position: QPointF) -> Spot:
        frame = self.frame()
        inside = QPointF(max(position.x(), frame.plot.left()), position.y())  # a name is beside its row
        time = frame.scale.time(position.x()) if position.x() >= frame.plot.left() else None
        return Spot(self, time, user=self._user_at(inside))

    def _clicked(self, position: QPointF, toggle: bool) -> bool:
        user, self._met = self._user_at(position), self._hurt_at(position)
        if user is not None:
            self.selection.select_user(user, toggle)
        return user is not None

    def _hurt_at(self, position: QPointF) -> int | None:
        """The user that a pixel shows, if there is anything to show of the user at that time."""
        user = self._user_at(position)
        return user if user is not None and self._strength(user, *self._minutes_at(position))[0] else None

    def _double_clicked(self, position: QPointF) -> bool:
        """Zoom to what the first of both clicks was on: another user may lie there since."""
        user = self._met if self._pointer.was_clicked(position) else self._hurt_at(position)
        span = self._range_of([user]) if user is not None else None
        if span is not None:
            self.clock.fit_range(*span)
        return span is not None

    def _picked_range(self) -> tuple[float, float] | None:
        return self._range_of(self.selection.value.users)

    def _range_of(self, users: Iterable[int]) -> tuple[float, float] | None:
        """The time from the first to the last minute at which these users have anything, in seconds."""
        if self._steps is None:
            return None
        minutes = [self._steps.of_user(user)[0] for user in users if user < len(self._steps.offset) - 1]
        minutes = [of_user for of_user in minutes if len(of_user)]
        if not minutes:
            return None
        return float(min(m[0] for m in minutes) * MINUTE), float(max(m[-1] for m in minutes) * MINUTE)

    # Painting.

    def _paint_rows(self, painter: QPainter, frame: Frame) -> None:
        if self._rows is not None:
            picked = self.selection.value.users
            paint_row_names(painter, frame, self._rows, self._names, picked, self.theme)

    def _paint_over(self, painter: QPainter, frame: Frame) -> None:
        """Lines between groups, and above and below the rows of selected users."""
        if self._rows is not None:
            paint_separators(painter, frame, self._rows, self.theme)
            paint_picked(painter, frame, self._rows, self.selection.value.users, self.theme)


def users_with(jobs: Jobs | None, matching: Expression | None) -> Users | None:
    """Codes of the users of jobs that match; None: there is nothing to be matched."""
    if jobs is None or matching is None:
        return None
    return frozenset(np.flatnonzero(np.bincount(jobs.trace.user.codes[matching.mask(jobs)])).tolist())


def bright_users(picked: Users, matching: Users | None) -> Users | None:
    """Codes of the users that are not faded: picked users, if any, with matching jobs; None: all users."""
    if matching is None:
        return picked or None
    return picked & matching if picked else matching
