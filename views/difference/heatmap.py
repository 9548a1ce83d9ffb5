"""Where violated expected end times became more or fewer: a row a user, zero is left blank."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from views.comparison import Comparison
from views.difference.counts import count_legend, paint_signed_counts
from views.frame import Frame
from views.heatmap.labels import paint_picked, paint_row_names
from views.legend import Legend
from views.picture import Picture
from views.signed import changed_most, signed_extreme, signed_most
from views.stage import Stage
from views.style import Theme
from views.ticks import axis_of
from views.timechart import TimeChart
from views.user_rows import UserRows
from views.want import Want
from views.words import plural, spell_count

if TYPE_CHECKING:
    from engine.fairness.violations import Steps

MINUTE = 60


class DifferenceHeatmap(TimeChart):
    """How many more or fewer violated jobs each user has at each minute; a click selects the user.

    A pixel shows the greatest change of its time and of its users, upwards or downwards.
    """

    def __init__(self, stage: Stage, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(stage, theme, "More or fewer violated expected end times", parent)
        self._steps: Steps | None = None
        self._rows: UserRows | None = None
        self._names: tuple[str, ...] = ()

    def set_comparison(self, comparison: Comparison | None) -> None:
        """Show the difference of two runs; users whom it changes most stand on top."""
        self._steps = comparison.steps if comparison is not None else None
        self._rows = None
        if comparison is None or self._steps is None:
            self.set_message("Not judged yet")
        else:
            trace, steps = comparison.trace, self._steps
            order = changed_most(steps)
            self._rows, self._names = UserRows(order, len(trace.user.names)), trace.user.names
            self.set_time_axis(axis_of(trace))
            self.set_message(
                "" if len(order) else "Both runs violate the same expected end times at all times"
            )
        self._data_changed()

    def tooltip_at(self, place: QPointF) -> str:
        """The user there, the time, and the change."""
        found = self._at(place)
        if found is None:
            return ""
        user, count = found
        minute = float(self.frame().scale.time(place.x()) // MINUTE * MINUTE)
        change = "no change" if not count else f"{plural(abs(count), 'violated job')} {_word(count)}"
        return f"user {self._names[user]}\n{self._time_axis.spell(minute)}\n{change}"

    def summary(self) -> str:
        """What the chart shows, in a sentence."""
        if self.message or self._rows is None:
            return self.message
        most = spell_count(self._most())
        return f"{plural(self._rows.count, 'user')}, up to {most} violated jobs more or fewer"

    def _most(self) -> int:
        return signed_most(self._steps) if self._steps is not None else 1

    def _look(self) -> Hashable:
        return self.selection.value.users

    def _painter_of(self, want: Want) -> Callable[[], Picture] | None:
        steps, rows = self._steps, self._rows
        if steps is None or rows is None:
            return None
        most, picked, theme = self._most(), self.selection.value.users, self.theme
        return lambda: Picture.of(want, paint_signed_counts(want, steps, rows, most, picked, theme))

    def _legend(self) -> Legend:
        return count_legend(self._most(), self.theme.dark)

    def _paint_rows(self, painter: QPainter, frame: Frame) -> None:
        if self._rows is not None:
            picked = self.selection.value.users
            paint_row_names(painter, frame, self._rows, self._names, picked, self.theme)

    def _paint_over(self, painter: QPainter, frame: Frame) -> None:
        if self._rows is not None:
            paint_picked(painter, frame, self._rows, self.selection.value.users, self.theme)

    def _at(self, place: QPointF) -> tuple[int, int] | None:
        """User and change of a pixel; of several users the one with the greatest change."""
        frame, rows, steps = self.frame(), self._rows, self._steps
        if rows is None or steps is None or self.message or not frame.plot.contains(place):
            return None
        left = frame.plot.left() + int(place.x() - frame.plot.left())
        start, end = frame.scale.time(left) / MINUTE, frame.scale.time(left + 1) / MINUTE
        users = rows.at(int(place.y() - frame.plot.top()), frame.plot.height())
        found = [(int(user), signed_extreme(steps, int(user), start, end)) for user in users]
        return max(found, key=lambda pair: abs(pair[1])) if found else None

    def _clicked(self, place: QPointF, toggle: bool) -> bool:
        found = self._at(place)
        if found is not None:
            self.selection.select_user(found[0], toggle)
        return found is not None

    def _picked_range(self) -> tuple[float, float] | None:
        if self._steps is None:
            return None
        users = [user for user in self.selection.value.users if user < len(self._steps.offset) - 1]
        minutes = [own for user in users if len(own := self._steps.of_user(user)[0])]
        if not minutes:
            return None
        return float(min(own[0] for own in minutes) * MINUTE), float(max(own[-1] for own in minutes) * MINUTE)


def _word(count: int) -> str:
    return "more" if count > 0 else "fewer"
