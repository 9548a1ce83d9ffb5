"""Where violated expected end times became more or fewer: a row a user, zero is left blank."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from views.comparison import Comparison
from views.difference.counts import count_legend, paint_signed_counts
from views.heatmap.users_chart import UsersChart, bright_users
from views.legend import Legend
from views.picture import Picture
from views.signed import changed_most, signed_extreme, signed_most
from views.stage import Stage
from views.style import Theme
from views.ticks import axis_of
from views.user_rows import UserRows
from views.want import Want
from views.words import plural, spell_count


class DifferenceHeatmap(UsersChart):
    """How many more or fewer violated jobs each user has at each minute.

    A pixel shows the greatest change of its time and of its users, upwards or downwards.
    """

    def __init__(self, stage: Stage, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(stage, theme, "More or fewer violated expected end times", parent)

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

    def summary(self) -> str:
        """What the chart shows, in a sentence."""
        if self.message or self._rows is None:
            return self.message
        most = spell_count(self._most())
        return f"{plural(self._rows.count, 'user')}, up to {most} violated jobs more or fewer"

    def _most(self) -> int:
        return signed_most(self._steps) if self._steps is not None else 1

    def _strength(self, user: int, start: float, end: float) -> tuple[float, float]:
        count = self._change(user, start, end)
        return abs(count), count

    def _words(self, user: int, users: list[int], start: float, end: float) -> list[str]:
        count = self._change(user, start, end)
        return ["no change" if not count else f"{plural(abs(count), 'violated job')} {_word(count)}"]

    def _change(self, user: int, start: float, end: float) -> int:
        return 0 if self._steps is None else signed_extreme(self._steps, user, start, end)

    def _painter_of(self, want: Want) -> Callable[[], Picture] | None:
        steps, rows = self._steps, self._rows
        if steps is None or rows is None:
            return None
        most, theme = self._most(), self.theme
        picked, matching = self.selection.value.users, self._matching

        def make() -> Picture:
            bright = bright_users(picked, matching())
            return Picture.of(want, paint_signed_counts(want, steps, rows, most, bright, theme))

        return make

    def _legend(self) -> Legend:
        return count_legend(self._most(), self.theme.dark)


def _word(count: int) -> str:
    return "more" if count > 0 else "fewer"
