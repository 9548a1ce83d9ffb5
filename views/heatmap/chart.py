"""The heatmap of violated expected end times: a row a user, a cell a minute (Toth & Klusacek 2014)."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter
from PySide6.QtWidgets import QWidget

from engine.trace import Trace
from views.clock import Clock
from views.frame import Frame, paint_row_label, paint_upright
from views.heatmap.order import user_order
from views.heatmap.paint import count_marks, paint_counts
from views.heatmap.rows import UserRows
from views.legend import Bar, Legend
from views.palette import heat_colours
from views.picture import Picture, Want
from views.renderer import Renderer
from views.selection import SelectionModel
from views.style import Theme
from views.ticks import axis_of
from views.timechart import TimeChart
from views.words import plural, spell_count

if TYPE_CHECKING:
    from engine.fairness.violations import Steps

Ints = NDArray[np.int64]

MINUTE = 60
LABELLED = 9.0
"""Rows at least this tall, in pixels, all have their user's name beside them."""


class HeatmapChart(TimeChart):
    """How many violated jobs each user has at each minute, on a log scale of colours.

    A pixel shows the greatest count of its time, and of its users where rows are lower than
    pixels. A click selects the row's user.
    """

    def __init__(
        self,
        clock: Clock,
        selection: SelectionModel,
        renderer: Renderer,
        theme: Theme,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(clock, selection, renderer, theme, "Violated expected end times", parent)
        self._trace: Trace | None = None
        self._steps: Steps | None = None
        self._rows: UserRows | None = None
        self._most: int | None = None

    def set_data(self, trace: Trace | None, steps: Steps | None, order: Ints | None = None) -> None:
        """Show the counts of a run; `order` are user codes from top to bottom.

        Without an order the users with any violation are shown, the most hurt on top.
        """
        self._trace, self._steps = trace, steps
        if trace is None or steps is None:
            self._rows = None
            self.set_message("Not judged yet")
        else:
            order = user_order(trace, steps.totals) if order is None else np.asarray(order, np.int64)
            self._rows = UserRows(order, len(trace.user.names))
            self.set_time_axis(axis_of(trace))
            quiet = not steps.count.any() or not len(order)
            self.set_message("No job ended later than its user may expect" if quiet else "")
        self._data_changed()

    def set_scale_max(self, most: int | None) -> None:
        """The count with the last colour, so that several runs share a scale; None: this run's own."""
        self._most = most
        self._data_changed()

    def tooltip_at(self, place: QPointF) -> str:
        """The user there, the time, and the count."""
        found = self._at(place)
        if found is None or self._trace is None:
            return ""
        user, count = found
        name = self._trace.user.names[user]
        minute = float(self.frame().scale.time(place.x()) // MINUTE * MINUTE)
        return f"user {name}\n{self._time_axis.spell(minute)}\n{plural(count, 'violated job')}"

    def summary(self) -> str:
        """What the chart shows, in a sentence."""
        if self.message or self._rows is None:
            return self.message
        most = spell_count(self._scale_max())
        return f"{plural(self._rows.count, 'user')}, up to {most} violated jobs at a time"

    def _scale_max(self) -> int:
        own = int(self._steps.count.max(initial=1)) if self._steps is not None else 1
        return max(self._most or own, 1)

    def _look(self) -> Hashable:
        return self.selection.value.users

    def _painter_of(self, want: Want) -> Callable[[], Picture] | None:
        steps, rows, most = self._steps, self._rows, self._scale_max()
        if steps is None or rows is None:
            return None
        picked, theme = self.selection.value.users, self.theme
        return lambda: Picture.of(want, paint_counts(want, steps, rows, most, picked, theme))

    def _legend(self) -> Legend:
        return Bar(heat_colours(self.theme.dark), count_marks(self._scale_max()), "violated jobs")

    def _paint_rows(self, painter: QPainter, frame: Frame) -> None:
        rows, trace = self._rows, self._trace
        if rows is None or trace is None:
            return
        painter.setPen(QColor(self.theme.faint))
        paint_upright(painter, frame, plural(rows.count, "user"), frame.plot.top(), frame.plot.height())
        row = frame.plot.height() / rows.count
        picked = self.selection.value.users
        shown = set(rows.order.tolist()) if row >= LABELLED else picked
        full = QFontMetricsF(painter.font()).height()
        if LABELLED <= row < full:
            painter.setFont(_lower(painter.font(), row / full))
        bottom = frame.plot.top() - 1
        for user in (int(code) for code in rows.order if int(code) in shown):
            top, end = rows.span(user, frame.plot.height()) or (0.0, 0.0)
            middle = frame.plot.top() + (top + end) / 2
            half = min(row if row >= LABELLED else full, full) / 2
            if middle - half < bottom - 1:
                continue  # never a name over another
            bottom = middle + half
            painter.setPen(QColor(self.theme.accent if user in picked else self.theme.faint))
            paint_row_label(painter, frame, trace.user.names[user], middle)

    def _paint_over(self, painter: QPainter, frame: Frame) -> None:
        """Lines above and below the rows of selected users."""
        rows = self._rows
        if rows is None:
            return
        painter.setPen(QColor(self.theme.accent))
        for user in self.selection.value.users:
            span = rows.span(user, frame.plot.height())
            if span is not None:
                edges = (int(frame.plot.top() + span[0]) - 0.5, int(frame.plot.top() + span[1]) + 0.5)
                painter.drawLines([QLineF(frame.plot.left(), y, frame.plot.right(), y) for y in edges])

    def _at(self, place: QPointF) -> tuple[int, int] | None:
        """User and count of a pixel; of several users the one with the greatest count."""
        frame, rows, steps = self.frame(), self._rows, self._steps
        if rows is None or steps is None or self.message or not frame.plot.contains(place):
            return None
        left = frame.plot.left() + int(place.x() - frame.plot.left())
        start, end = frame.scale.time(left), frame.scale.time(left + 1)
        y = int(place.y() - frame.plot.top())
        counts = [(_greatest(steps, int(u), start, end), int(u)) for u in rows.at(y, frame.plot.height())]
        if not counts:
            return None
        count, user = max(counts, key=lambda pair: pair[0])
        return user, count

    def _clicked(self, place: QPointF, toggle: bool) -> bool:
        found = self._at(place)
        if found is not None:
            self.selection.select_user(found[0], toggle)
        return found is not None

    def _double_clicked(self, place: QPointF) -> bool:
        found = self._at(place)
        if found is None or not found[1]:
            return False
        span = self._range_of([found[0]])
        if span is not None:
            self.clock.fit_range(*span)
        return span is not None

    def _picked_range(self) -> tuple[float, float] | None:
        return self._range_of(self.selection.value.users)

    def _range_of(self, users: frozenset[int] | list[int]) -> tuple[float, float] | None:
        """From the first to the last violated minute of these users, in seconds."""
        if self._steps is None:
            return None
        minutes = [self._steps.of_user(user)[0] for user in users if user < len(self._steps.offset) - 1]
        minutes = [of_user for of_user in minutes if len(of_user)]
        if not minutes:
            return None
        return float(min(m[0] for m in minutes) * MINUTE), float(max(m[-1] for m in minutes) * MINUTE)


def _greatest(steps: Steps, user: int, start: float, end: float) -> int:
    """The user's greatest count at any time from start to end, in seconds."""
    minute, count = steps.of_user(user)
    first = max(int(np.searchsorted(minute, start / MINUTE, "right")) - 1, 0)
    last = int(np.searchsorted(minute, end / MINUTE, "left"))
    return int(count[first:last].max(initial=0))


def _lower(font: QFont, share: float) -> QFont:
    smaller = QFont(font)
    smaller.setPixelSize(max(int(QFontMetricsF(font).height() * share * 0.8), 7))
    return smaller
