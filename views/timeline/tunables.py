"""What of each policy was tuned: its balance factor and its window as steps, each change with its reason."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter
from PySide6.QtWidgets import QWidget

from engine.policy.tuning import LIMITS, TUNABLES
from engine.spelling import spell_number
from views.data.run_series import Course
from views.raster.request import Want
from views.state.context import Stage
from views.theme.palette import Pixels, pixel
from views.theme.theme import Theme
from views.timechart.frame import Frame, paint_row_label
from views.timechart.picture import Picture
from views.timeline.lines import CourseChart
from views.timeline.paint import Line, paint_lines
from views.timeline.triggers import Triggers, measured

NOTHING_TUNED = "No run here tunes its balance factor or its window; add one like tuned-2d"
_NEAR = 6.0
"""Pixels within which the mouse means a trigger."""

_MARK = 5.0
"""Height of the mark of a trigger, in pixels."""

_APART = 2.5
"""Pixels between the lines of runs that have the same value."""


class TunablesChart(CourseChart):
    """A lane a tunable, a line a run; a mark over the lane at each check that changed it."""

    brief = "Tuning"

    def __init__(self, stage: Stage, theme: Theme, parent: QWidget | None = None) -> None:
        self._triggers: list[Triggers] = []
        super().__init__(stage, theme, "Tuning", parent)

    def set_courses(self, courses: Sequence[Course], hidden: bool = False) -> None:
        """Show the tunables of these runs."""
        self._triggers = [Triggers.of(one, name) for one in courses for name in one.tuned]
        super().set_courses(courses, hidden)
        if courses and not self._triggers:
            self.set_message(NOTHING_TUNED)
            self._data_changed()

    @property
    def lanes(self) -> tuple[str, ...]:
        """The tunables that any run tunes, from top to bottom."""
        return tuple(name for name in TUNABLES if any(name == one.tunable for one in self._triggers))

    def tooltip_at(self, place: QPointF) -> str:
        """Why the tunable changed there; else what it is, and what the check before measured."""
        frame = self.frame()
        if not self.lanes or not frame.plot.contains(place):
            return ""
        time = frame.scale.time(place.x())
        down = (place.y() - frame.plot.top()) / frame.plot.height() * len(self.lanes)
        lane = self.lanes[min(int(down), len(self.lanes) - 1)]
        near = self._near(lane, time, _NEAR * frame.scale.seconds_per_pixel)
        if near:
            return "\n".join(near)
        lines = [line for one in self.courses if lane in one.tunables for line in _state(one, lane, time)]
        return "\n".join([self._time_axis.spell(time), *lines])

    def _near(self, lane: str, time: float, within: float) -> list[str]:
        """The triggers of a lane near a time, each with its run and reason."""
        found = []
        for one in self._triggers:
            place = one.nearest(time, within) if one.tunable == lane else None
            if place is not None:
                moment = self._time_axis.spell(float(one.time[place]))
                found.append(f"{moment}, {one.course.name}:\n{one.reason(place)}")
        return found

    def summary(self) -> str:
        """What the chart shows, in a sentence."""
        changes = sum(len(one.check) for one in self._triggers)
        return self.message or f"{' and '.join(self.lanes)}, changed {changes} times"

    def _paint_name(self, painter: QPainter, frame: Frame) -> None:
        """A low chart has the names of its lanes alone."""
        if not (self.low and self.lanes):
            super()._paint_name(painter, frame)

    def _painter_of(self, want: Want) -> Callable[[], Picture] | None:
        courses, lanes, theme = self.courses, self.lanes, self.theme
        if not lanes:
            return None
        return lambda: Picture.of(want, _paint_lanes(want, courses, lanes, theme))

    def _paint_rows(self, painter: QPainter, frame: Frame) -> None:
        painter.setPen(QColor(self.theme.faint))
        for place, lane in enumerate(self.lanes):
            room = _lane(frame, place, len(self.lanes))
            low, high = _limits(self.courses, lane)
            tall = room.height() >= QFontMetricsF(painter.font()).height()
            for value in (high, low) if tall else (high,):
                share = (value - low) / (high - low)
                number = spell_number(value) if tall else ""
                text = f"{lane} {number}".rstrip() if value == high else number
                y = room.bottom() - share * room.height() if tall else room.center().y()
                paint_row_label(painter, frame, text, y)

    def _paint_over(self, painter: QPainter, frame: Frame) -> None:
        """Lines between the lanes, and the marks of triggers: one a pixel column at most."""
        count = len(self.lanes)
        painter.setPen(QColor(self.theme.border))
        for place in range(1, count):
            y = int(frame.plot.top() + place * frame.plot.height() / count) + 0.5
            painter.drawLine(QLineF(frame.plot.left(), y, frame.plot.right(), y))
        for one in self._triggers:
            first, last = np.searchsorted(one.time, [frame.scale.start, frame.scale.end])
            columns = np.unique(
                ((one.time[first:last] - frame.scale.start) / frame.scale.seconds_per_pixel) // 1
            )
            top = frame.plot.top() + self.lanes.index(one.tunable) * frame.plot.height() / count + 2
            painter.setPen(QColor(one.course.colour))
            xs = frame.plot.left() + columns + 0.5
            painter.drawLines([QLineF(x, top, x, top + _MARK) for x in xs.tolist()])


def _state(course: Course, lane: str, time: float) -> list[str]:
    """The value of a tunable at a time, and what the check before it measured."""
    times, values = course.steps(lane)
    row = int(np.searchsorted(times, time, "right")) - 1
    if row < 0:
        return []
    told = f"{course.name}: {lane} {spell_number(values[row])}"
    return [told if row == 0 else f"{told}, checked: {measured(course, lane, row - 1)}"]


def _limits(courses: Sequence[Course], lane: str) -> tuple[float, float]:
    """Least and greatest value that a lane shows: of a window, up to what any run ever had."""
    if lane == "bf":
        return LIMITS[lane]
    return 1.0, max(2.0, *(float(one.steps(lane)[1].max()) for one in courses if lane in one.tunables))


def _lane(frame: Frame, place: int, count: int) -> QRectF:
    """Where the steps of a lane are drawn: under its marks."""
    tall = frame.plot.height() / count
    top = frame.plot.top() + place * tall
    return QRectF(frame.plot.left(), top + _MARK + 4, frame.plot.width(), tall - _MARK - 8)


def _paint_lanes(want: Want, courses: Sequence[Course], lanes: Sequence[str], theme: Theme) -> Pixels:
    """Each lane as a picture of its own, one under the other."""
    from views.raster.columns import column_statistics

    edges = np.linspace(0, want.height, len(lanes) + 1).round().astype(int)
    pixels = np.full((want.height, want.width), pixel(theme.chart), np.uint32)
    for lane, top, bottom in zip(lanes, edges[:-1], edges[1:], strict=True):
        low, high = _limits(courses, lane)
        tall = bottom - top
        room = tall - (_MARK + 8) * want.ratio
        shown = [one for one in courses if lane in one.tunables]
        lines = []
        for place, one in enumerate(shown):
            time, value = one.steps(lane)
            found = column_statistics(np.require(time, np.int64, ["C", "W"]), value, want.window, want.width)
            shift = (place - (len(shown) - 1) / 2) * _APART * want.ratio
            share = (np.maximum(found, low) - low) / (high - low)
            lines.append(Line((share * room + 4 * want.ratio + shift) / tall, one.colour, 1.6))
        part = Want(want.window, want.width, tall, want.ratio)
        pixels[top:bottom] = paint_lines(part, lines, theme)
    return pixels
