"""The heatmap of violated expected end times: users by minutes (Toth & Klusacek 2014)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QPointF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from engine.trace import Trace
from views.data.user_order import rows_in_order
from views.data.user_rows import UserRows
from views.data.violation_counts import Aggregate, CountColors, line_counts, scale_of, user_counts
from views.heatmap.users_chart import UsersChart, bright_users
from views.raster.request import RenderRequest
from views.state.context import ViewContext
from views.text.counts import format_count, plural
from views.text.ticks import axis_of
from views.text.values import number
from views.theme.palette import Pixels, heat_colours
from views.theme.theme import Theme
from views.timechart.frame import TITLE, Frame, beside_title, legend_room
from views.timechart.legend import Bar, bar_at
from views.timechart.picture import ChartPicture
from views.widgets.explanation import explain

if TYPE_CHECKING:
    from engine.fairness.violations import UserSteps

_AGGREGATE_WORDS: dict[Aggregate, str] = {"max": "most violated jobs", "mean": "mean violated jobs"}
NONE_LATE = "No job ended late"

_LEGEND_ROOM = 215.0
"""Pixels that a title leaves for the scale in the legend; otherwise the short title is used."""

_EDGE = 4.0
"""Room above the plot where there is no title line, in pixels."""

_BELOW = QPoint(0, 10)
"""From the mouse to an explanation, in pixels."""

_SCALES = {True: "same scale in all runs", False: "own scale"}


class HeatmapChart(UsersChart):
    """The number of violated jobs of each user at each minute, on a logarithmic colour scale.

    A pixel shows the greatest count, or the mean, of its time, and of its users if rows are lower than
    pixels.
    """

    def __init__(self, context: ViewContext, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(context, theme, "Violated expected end times", parent)
        self._trace: Trace | None = None
        self._aggregate: Aggregate = "max"
        self._most: int | None = None
        self._own_most = 1
        self._short_title = "Violated EETs"

    def set_titles(self, title: str, short: str, colour: str = "") -> None:
        """Name the chart; the `short` name is for where the other leaves no room for the legend."""
        if short != self._short_title:
            self._short_title = short
            self.refresh()
        self.set_title(title, colour)

    def set_plain(self, plain: bool) -> None:
        """Leave the title line out: a common title and colour scale are shown above all runs."""
        height = _EDGE if plain else TITLE
        if height != self.title_height:
            self.title_height = height
            self.refresh()

    @property
    def legend(self) -> Bar | None:
        """The scale of colours; None: there is nothing to show."""
        return None if self.message else self._legend()

    def set_data(
        self,
        trace: Trace | None,
        steps: UserSteps | None,
        rows: UserRows | None = None,
        nothing: str = NONE_LATE,
    ) -> None:
        """Show the counts of a run; `rows` are its users from top to bottom.

        By default the users with any violation are shown, the most affected on top. `nothing` is the message
        if there is nothing to count.
        """
        # The same counts in the same rows: a slider may send both many times.
        known = steps is not None and steps is self._steps and self._rows is not None
        if known and rows is not None and self._rows is not None and self._rows.same(rows):
            return
        self._trace, self._steps = trace, steps
        self._own_most = int(steps.count.max(initial=1)) if steps is not None else 1
        if trace is None or steps is None:
            self._rows = None
            self.set_message("Not computed yet")
        else:
            self._rows = rows_in_order(trace, steps.totals) if rows is None else rows
            self._names = trace.user.shown
            self.set_time_axis(axis_of(trace))
            # Rows without any count are as empty as none.
            quiet = not steps.count.any() or not self._rows.count
            self.set_message(nothing if quiet else "")
        self._data_changed()

    def set_scale_max(self, most: int | None) -> None:
        """The count with the last colour, so that several runs share a scale; None: this run's own."""
        if most != self._most:
            self._most = most
            self._data_changed()

    def set_aggregate(self, aggregate: Aggregate) -> None:
        """Choose the value of a pixel: the greatest count of its area (`max`), or the `mean`."""
        if aggregate != self._aggregate:
            self._aggregate = aggregate
            self._data_changed()

    @property
    def describe_colours(self) -> str:
        """Describe the meaning of the colours."""
        least, most = (self._scale().marks()[end][1] for end in (0, -1))
        means = f"{_AGGREGATE_WORDS[self._aggregate]} of a user within a pixel"
        return f"Colours: {means}, {least} to {most}, logarithmic; {_SCALES[self._most is not None]}"

    def tooltip_at(self, position: QPointF) -> str:
        """The user there, the time, and the count; over the title, what the colours mean."""
        if position.y() < self.frame().title.bottom() and not self.message:
            return self.describe_colours
        return super().tooltip_at(position)

    def summary(self) -> str:
        """The content of the chart, in a sentence."""
        if self.message or self._rows is None:
            return self.message
        most = format_count(self._scale().most)
        return f"{plural(self._rows.count, 'user')}, up to {most} violated jobs at a time"

    def _scale(self) -> CountColors:
        return scale_of(self._aggregate, self._most or self._own_most)

    def _strength(self, user: int, start: float, end: float) -> tuple[float, float]:
        if self._steps is None:
            return 0, 0
        greatest, mean = _within(self._steps, user, start, end)
        return (greatest, mean) if self._aggregate == "max" else (mean, greatest)

    def _words(self, user: int, users: list[int], start: float, end: float) -> list[str]:
        # The row under the mouse may stand for several users, each with a line of its own.
        lines = [
            (0, 0.0) if self._steps is None else _within(self._steps, listed, start, end) for listed in users
        ]
        greatest, mean = lines[users.index(user)]
        if self._aggregate == "max":
            return [plural(greatest, "violated job")]
        words = [f"{number(mean)} violated jobs on average, at most {number(greatest)}"]
        if len(users) > 1:
            of_all = sum(line[1] for line in lines) / len(lines)
            words.append(f"{number(of_all)} on average of the {len(users)} users here")
        return words

    def _painter_of(self, request: RenderRequest) -> Callable[[], ChartPicture] | None:
        steps, rows, aggregate, scale = self._steps, self._rows, self._aggregate, self._scale()
        if steps is None or rows is None:
            return None
        picked, theme, matching = self.selection.value.users, self.theme, self._matching

        # Made in a thread, from what was there when it was asked for.
        def make() -> ChartPicture:
            bright = bright_users(picked, matching())
            return ChartPicture.of(
                request, paint_counts(request, steps, rows, aggregate, scale, bright, theme)
            )

        return make

    def _legend(self) -> Bar:
        shared = _SCALES[self._most is not None]
        title = f"{_AGGREGATE_WORDS[self._aggregate]}, {shared}"
        titles = (shared, shared.removesuffix(" in all runs"))
        return Bar(heat_colours(self.theme.dark), self._scale().marks(), title, titles, explained=True)

    def _clicked(self, position: QPointF, toggle: bool) -> bool:
        """Explain expected end times on a click on the legend; otherwise select a row."""
        frame = self.frame()
        if position.y() < frame.title.bottom() and not self.message and frame.title.height() > _EDGE:
            room = legend_room(frame, self._named(frame), self.title_colour, self.font())
            if bar_at(room, self._legend(), self.font(), position):
                explain("eet", self.mapToGlobal(position.toPoint() + _BELOW), self)
                return True
        return super()._clicked(position, toggle)

    def _paint_name(self, painter: QPainter, frame: Frame) -> None:
        """Paint the title, or the short title if the full title would leave too little room for the
        legend.
        """
        if frame.title.height() == _EDGE:
            return
        self._paint_title(painter, frame, self._named(frame))

    def _named(self, frame: Frame) -> str:
        room = beside_title(frame, self.title, self.title_colour, self.font())
        return self.title if room >= _LEGEND_ROOM else self._short_title


def _within(steps: UserSteps, user: int, start: float, end: float) -> tuple[int, float]:
    """The user's greatest and mean count from start to end, in minutes."""
    count, minutes = user_counts(steps, user, start, end)
    return int(count.max(initial=0)), float((count * minutes).sum() / (end - start))


def paint_counts(
    request: RenderRequest,
    steps: UserSteps,
    rows: UserRows,
    aggregate: Aggregate,
    scale: CountColors,
    bright: frozenset[int] | None,
    theme: Theme,
) -> Pixels:
    """Pixels of the heatmap, shape (height, width); users that are not `bright` are faded, None: no
    user is.
    """

    def paint(line_of_user: NDArray[np.int64], lines: int, stands_back: bool) -> Pixels:
        counts = line_counts(steps, line_of_user, lines, request.window, request.width, aggregate)
        return scale.paint(counts, theme.dark, theme.chart, stands_back)

    return rows.painted(request.height, request.ratio, bright, paint)
