"""The heatmap of violated expected end times: a row a user, a cell a minute (Toth & Klusacek 2014)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtGui import QContextMenuEvent, QPainter
from PySide6.QtWidgets import QWidget

from engine.filter import Jobs
from engine.trace import Trace
from views.counts import CountScale, Measure, scale_of
from views.filter import Mask
from views.format import number
from views.frame import Frame, legend_room, paint_title
from views.heatmap.labels import paint_picked, paint_row_names, paint_separators
from views.heatmap.order import user_rows
from views.heatmap.paint import paint_counts
from views.legend import Bar
from views.palette import heat_colours
from views.picture import Picture
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

_TOLD: dict[Measure, tuple[str, str]] = {
    "max": ("most violated jobs", "most"),
    "mean": ("mean violated jobs", "mean"),
}
_LEGEND_ROOM = 215.0
"""Pixels that a title leaves to the legend, so that it can tell the scale; else the short title does."""

_SCALES = {True: "same scale in all runs", False: "own scale"}


class HeatmapChart(TimeChart):
    """How many violated jobs each user has at each minute, on a log scale of colours.

    A pixel shows the greatest count, or the mean, of its time, and of its users where rows are
    lower than pixels. A click selects the row's user, and so does a right-click.
    """

    def __init__(self, stage: Stage, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(stage, theme, "Violated expected end times", parent)
        self._trace: Trace | None = None
        self._steps: Steps | None = None
        self._rows: UserRows | None = None
        self._measure: Measure = "max"
        self._most: int | None = None
        self._own_most = 1
        self._short_title = "Violated EETs"
        self._jobs: Jobs | None = None

    def set_titles(self, title: str, short: str, colour: str = "") -> None:
        """Name the chart; the `short` name is for where the other leaves no room for the legend."""
        self._short_title = short
        self.set_title(title, colour)

    def set_data(self, trace: Trace | None, steps: Steps | None, rows: UserRows | None = None) -> None:
        """Show the counts of a run; `rows` are its users from top to bottom.

        Without them the users with any violation are shown, the most hurt on top.
        """
        known = steps is not None and steps is self._steps and self._rows is not None
        if known and rows is not None and self._rows is not None and self._rows.same(rows):
            return
        self._trace, self._steps = trace, steps
        self._own_most = int(steps.count.max(initial=1)) if steps is not None else 1
        if trace is None or steps is None:
            self._rows = None
            self.set_message("Not judged yet")
        else:
            self._rows = user_rows(trace, steps.totals) if rows is None else rows
            self.set_time_axis(axis_of(trace))
            quiet = not steps.count.any() or not self._rows.count
            self.set_message("No job ended late" if quiet else "")
        self._data_changed()

    def set_jobs(self, jobs: Jobs | None) -> None:
        """How the jobs fare under the run: users none of whose jobs match the filter stand back."""
        self._jobs = jobs
        self.refresh()

    def set_scale_max(self, most: int | None) -> None:
        """The count with the last colour, so that several runs share a scale; None: this run's own."""
        if most != self._most:
            self._most = most
            self._data_changed()

    def set_measure(self, measure: Measure) -> None:
        """What a pixel shows of what it covers: the greatest count (`max`), or the `mean`."""
        if measure != self._measure:
            self._measure = measure
            self._data_changed()

    def tooltip_at(self, place: QPointF) -> str:
        """The user there, the time, and the count; over the title, what the colours mean."""
        if place.y() < self.frame().title.bottom() and not self.message:
            least, most = (self._scale().marks()[end][1] for end in (0, -1))
            means = f"{_TOLD[self._measure][0]} of a user within a pixel"
            return f"Colours: {means}, {least} to {most}, logarithmic; {_SCALES[self._most is not None]}"
        found = self._at(place)
        if found is None or self._trace is None or self._rows is None:
            return ""
        user, greatest, mean = found
        minute = float(self.frame().scale.time(place.x()) // MINUTE * MINUTE)
        lines = [f"user {self._trace.user.names[user]}", self._time_axis.spell(minute)]
        if self._measure == "max":
            lines.append(plural(greatest, "violated job"))
        else:
            lines.append(f"{number(mean)} violated jobs on average, at most {number(greatest)}")
        row = int(np.flatnonzero(self._rows.order == user)[0])
        queue = [group.name for group in self._rows.groups if 0 <= row - group.first < group.rows]
        return "\n".join(lines + [f"queue: {name}" for name in queue])

    def summary(self) -> str:
        """What the chart shows, in a sentence."""
        if self.message or self._rows is None:
            return self.message
        most = spell_count(self._scale().most)
        return f"{plural(self._rows.count, 'user')}, up to {most} violated jobs at a time"

    def _scale(self) -> CountScale:
        return scale_of(self._measure, self._most or self._own_most)

    def _look(self) -> Hashable:
        return self.selection.value.users, self.filter.value.dimmed

    def _painter_of(self, want: Want) -> Callable[[], Picture] | None:
        steps, rows, measure, scale = self._steps, self._rows, self._measure, self._scale()
        if steps is None or rows is None:
            return None
        picked, theme = self.selection.value.users, self.theme
        dimmed, jobs = self.filter.value.dimmed, self._jobs

        def make() -> Picture:
            lit: frozenset[int] | None = picked or None
            if dimmed is not None and jobs is not None:
                matching = users_with(jobs.trace, dimmed.mask(jobs))
                lit = matching if lit is None else lit & matching
            return Picture.of(want, paint_counts(want, steps, rows, measure, scale, lit, theme))

        return make

    def _legend(self) -> Bar:
        shared = _SCALES[self._most is not None]
        long, short = _TOLD[self._measure]
        brief = shared.removesuffix(" in all runs")
        titles = (f"{short}, {shared}", f"{short}, {brief}", brief)
        colours = heat_colours(self.theme.dark)
        return Bar(colours, self._scale().marks(), f"{long}, {shared}", titles)

    def _paint_name(self, painter: QPainter, frame: Frame) -> None:
        """The short title where the other one would leave too little room for the legend."""
        room = legend_room(frame, self.title, self._title_colour, self.font()).width()
        title = self.title if room >= _LEGEND_ROOM else self._short_title
        legend = None if self.message else self._legend()
        paint_title(painter, frame, title, self._title_colour, legend, self.theme, self.font())

    def _paint_rows(self, painter: QPainter, frame: Frame) -> None:
        rows, trace = self._rows, self._trace
        if rows is None or trace is None:
            return
        paint_row_names(painter, frame, rows, trace.user.names, self.selection.value.users, self.theme)

    def _paint_over(self, painter: QPainter, frame: Frame) -> None:
        """Lines between groups, and above and below the rows of selected users."""
        rows = self._rows
        if rows is None:
            return
        paint_separators(painter, frame, rows, self.theme)
        paint_picked(painter, frame, rows, self.selection.value.users, self.theme)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """What the menu offers is meant for the user there: a row that is not picked is picked first."""
        found = self._at(QPointF(event.pos()))
        if found is not None and found[0] not in self.selection.value.users:
            self.selection.select_user(found[0])
        super().contextMenuEvent(event)

    def _at(self, place: QPointF) -> tuple[int, int, float] | None:
        """User, greatest and mean count of a pixel; of several users the one with the greatest count."""
        frame, rows, steps = self.frame(), self._rows, self._steps
        if rows is None or steps is None or self.message or not frame.plot.contains(place):
            return None
        left = frame.plot.left() + int(place.x() - frame.plot.left())
        start, end = frame.scale.time(left), frame.scale.time(left + 1)
        found = rows.at(int(place.y() - frame.plot.top()), frame.plot.height()).tolist()
        if not found:
            return None
        told = [(user, *_within(steps, user, start / MINUTE, end / MINUTE)) for user in found]
        return max(told, key=lambda one: one[1:])

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


def users_with(trace: Trace, jobs: Mask) -> frozenset[int]:
    """Codes of the users of these jobs, a mask over those of the trace."""
    return frozenset(np.flatnonzero(np.bincount(trace.user.codes[jobs])).tolist())


def _within(steps: Steps, user: int, start: float, end: float) -> tuple[int, float]:
    """The user's greatest and mean count from start to end, in minutes."""
    minute, count = steps.of_user(user)
    first = max(bisect_right(minute, start) - 1, 0)
    last = bisect_left(minute, end)
    held = count[first:last]
    edges = np.clip(np.append(minute[first:last], minute[last : last + 1]), start, end)
    long = np.diff(edges, append=end)[: len(held)]
    return int(held.max(initial=0)), float((held * long).sum() / (end - start))
