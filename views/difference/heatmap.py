"""Changes of violated expected end times: a row for each user, grey where the number is unchanged."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QWidget

from engine.trace import Trace
from views.data.comparison import NONE, Comparison
from views.data.signed_counts import (
    NO_CHANGE,
    SignedScale,
    signed_counts,
    signed_extreme,
    signed_scale,
    signed_totals,
)
from views.data.user_order import rows_in_order
from views.data.user_rows import UserRows
from views.data.violation_counts import Aggregate, line_counts, user_counts
from views.heatmap.users_chart import UsersChart, bright_users
from views.raster.request import RenderRequest
from views.state.context import ViewContext
from views.state.filter import NO_MATCH
from views.text.counts import format_count, plural
from views.text.ticks import axis_of
from views.text.values import number
from views.theme.palette import Pixels
from views.theme.theme import Theme
from views.timechart.legend import Bar, Legend
from views.timechart.picture import ChartPicture

if TYPE_CHECKING:
    from engine.fairness.violations import UserSteps

MakeRows = Callable[[Trace, NDArray[np.int64]], UserRows]

_TIP = (
    "Colours: the {shows} of a user within a pixel, blue for fewer, orange for more, logarithmic; "
    "grey: the same number in both runs; blank: none in either"
)
_SHOWS: dict[Aggregate, str] = {
    "max": "greatest change of violated jobs",
    "mean": "mean change of violated jobs",
}


class DifferenceHeatmap(UsersChart):
    """The change in the number of violated jobs of each user at each minute, for users with any change.

    A pixel shows the greatest change of its time and of its users, upwards or downwards, or the mean.
    Where nothing changes it is grey if the runs have violated jobs there, as many in both, and blank if
    neither has any.
    """

    def __init__(self, context: ViewContext, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(context, theme, "More or fewer violated expected end times", parent)
        self._comparison: Comparison | None = None
        self._make_rows: MakeRows = rows_in_order
        self._aggregate: Aggregate = "max"

    def set_comparison(self, comparison: Comparison | None) -> None:
        """Show the difference of two runs."""
        if _runs(comparison) != _runs(self._comparison):
            self._memo.forget()  # no picture of other runs stays until this is drawn
        self._comparison = comparison
        self._steps = comparison.steps if comparison is not None else None
        self.set_jobs(comparison.jobs if comparison is not None else None)
        if comparison is None or self._steps is None:
            self._rows = None
            self.set_message("Not computed yet")
        else:
            self._names = comparison.trace.user.shown
            self.set_time_axis(axis_of(comparison.trace))
            # Rows are missing for three reasons, of which the text says the right one.
            same = "Both runs violate the same expected end times at all times"
            nothing = same if comparison.count else NO_MATCH if self.filter.value.hides else NONE
            self.set_message("" if self._steps.count.any() else nothing)
        self._arrange()

    def set_look(self, make_rows: MakeRows, aggregate: Aggregate) -> None:
        """Set how users are sorted, by the change in violated jobs times minutes, shape (users,); and whether
        a pixel shows the greatest change (`max`) or the `mean`.
        """
        self._make_rows, self._aggregate = make_rows, aggregate
        self._arrange()

    def summary(self) -> str:
        """The content of the chart, in a sentence."""
        if self.message or self._rows is None:
            return self.message
        most = format_count(self._scale().most)
        return f"{plural(self._rows.count, 'user')}, up to {most} violated jobs more or fewer"

    def tooltip_at(self, position: QPointF) -> str:
        """The user there, the time, and the change; over the title, what the colours mean."""
        if position.y() < self.frame().title.bottom() and not self.message:
            return _TIP.format(shows=_SHOWS[self._aggregate])
        return super().tooltip_at(position)

    def _arrange(self) -> None:
        if self._comparison is not None and self._steps is not None:
            self._rows = self._make_rows(self._comparison.trace, signed_totals(self._steps))
        self._data_changed()

    def _scale(self) -> SignedScale:
        return SignedScale(1, 1) if self._steps is None else signed_scale(self._steps, self._aggregate)

    def _strength(self, user: int, start: float, end: float) -> tuple[float, float]:
        change = self._change(user, start, end)
        return abs(change), change

    def _words(self, user: int, users: list[int], start: float, end: float) -> list[str]:
        change = self._change(user, start, end)
        if not change:
            return [self._unchanged(user, start, end)]
        if self._aggregate == "max":
            return [f"{plural(abs(round(change)), 'violated job')} {_word(change)}"]
        lines = [f"{number(abs(change))} violated jobs {_word(change)} on average"]
        if len(users) > 1:
            mean = sum(self._change(other, start, end) for other in users) / len(users)
            lines.append(f"{number(abs(mean))} {_word(mean)} on average of the {len(users)} users here")
        return lines

    def _change(self, user: int, start: float, end: float) -> float:
        """The change that a pixel with this user alone would show."""
        if self._steps is None:
            return 0
        if self._aggregate == "max":
            return signed_extreme(self._steps, user, start, end)
        count, minutes = user_counts(self._steps, user, start, end)
        mean = float((count * minutes).sum() / (end - start))
        # Rounding leaves a little where changes cancel each other: the pixel is grey, and the words agree
        # with it.
        return mean if abs(mean) >= NO_CHANGE else 0.0

    def _unchanged(self, user: int, start: float, end: float) -> str:
        before = self._comparison.first_steps if self._comparison is not None else None
        if before is None or self._steps is None:
            return ""
        # Counts rose and fell, and are equal on average; otherwise there was the same number all the time.
        if user_counts(self._steps, user, start, end)[0].any():
            return "the same number of violated jobs on average"
        most = int(user_counts(before, user, start, end)[0].max(initial=0))
        if not most:
            return "no violated job in either run"
        return f"no change: {plural(most, 'violated job')} in both runs"

    def _painter_of(self, request: RenderRequest) -> Callable[[], ChartPicture] | None:
        steps, rows = self._steps, self._rows
        before = self._comparison.first_steps if self._comparison is not None else None
        if steps is None or before is None or rows is None:
            return None
        # Taken here, since a thread draws: what is picked may change meanwhile.
        aggregate, scale, theme = self._aggregate, self._scale(), self.theme
        picked, matching = self.selection.value.users, self._matching

        def make() -> ChartPicture:
            # The matching jobs are looked for in the thread, too: a filter over all jobs takes its time.
            bright = bright_users(picked, matching())
            return ChartPicture.of(
                request, paint_signed_counts(request, (steps, before), rows, aggregate, scale, bright, theme)
            )

        return make

    def _legend(self) -> Legend:
        return count_legend(self._scale(), self.theme.dark)


def _runs(comparison: Comparison | None) -> tuple[int, int] | None:
    """The ids of the runs that are compared."""
    return None if comparison is None else (comparison.first.run_id, comparison.second.run_id)


def _word(change: float) -> str:
    return "more" if change > 0 else "fewer"


def paint_signed_counts(
    request: RenderRequest,
    change: tuple[UserSteps, UserSteps],
    rows: UserRows,
    aggregate: Aggregate,
    scale: SignedScale,
    bright: frozenset[int] | None,
    theme: Theme,
) -> Pixels:
    """Pixels of the heatmap, shape (height, width); users that are not `bright` are faded, None: no user is.

    `change` is by how much counts change, and what they were before: where nothing changes and there was
    something, it is grey. Orange is for more, blue for fewer.
    """

    def paint(line_of_user: NDArray[np.int64], lines: int, stands_back: bool) -> Pixels:
        steps, before = change
        # The grey of "no change" needs what was there before: nothing at all stays the colour of the chart.
        counts = signed_counts(steps, line_of_user, lines, request.window, request.width, aggregate)
        there = line_counts(before, line_of_user, lines, request.window, request.width, "max") > 0
        return scale.paint(counts, there, theme.dark, theme.chart, stands_back)

    return rows.painted(request.height, request.ratio, bright, paint)


def count_legend(scale: SignedScale, dark: bool) -> Bar:
    """The colours with their counts: powers of ten are marked between the ends."""
    # Powers of ten between the ends are marked on both sides of zero.
    inner = [10.0**k for k in range(-1, 10) if scale.least < 10.0**k < scale.most]
    shares = scale.shares_of(np.array([scale.least, *inner])).tolist() if scale.most > scale.least else []
    few, greatest = ([((1 + sign * share) / 2, "") for share in shares] for sign in (-1, 1))
    most = format_count(scale.most)
    marks = ((0.0, f"{most} fewer"), *reversed(few), *greatest, (1.0, f"{most} more"))
    return Bar(scale.bar(dark), marks, "violated jobs, grey: no change", ("grey: no change",))
