"""Queue depth and utilization of several runs, one line a run and average."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QWidget

from views.data.run_series import AVERAGES, Course
from views.raster.request import Want
from views.state.context import Stage
from views.text.counts import plural
from views.text.ticks import axis_of
from views.text.values import compact, number, percent
from views.theme.palette import mix
from views.theme.theme import Theme, tick_font
from views.timechart.chart import TimeChart
from views.timechart.frame import BOTTOM, Frame, paint_row_label, paint_side_name
from views.timechart.picture import Picture
from views.timeline.heights import Heights
from views.timeline.paint import Line, paint_lines

EMPTY = (
    "The timeline shows queue and utilization of all runs. It fills when the first run is done and judged."
)
_HIDDEN = "All runs are hidden: switch one on above"
_TITLE, _LOW_TITLE = 20.0, 4.0
"""Pixels above the plot with a title line and without."""

_APART = 22.0
"""Pixels that labels stay apart at least."""

_THICK = {"now": 1.0, "1 h": 1.2, "10 h": 1.7, "24 h": 3.0}
_BAND = {"now": 0.15, "1 h": 0.2, "10 h": 0.3, "24 h": 0.3}
_PALE = {"now": 0.45, "1 h": 0.3, "10 h": 0.0, "24 h": 0.0}
"""Share of the background in the colour of a line; averages stand out from what they average."""


class CourseChart(TimeChart):
    """A chart over time of some of the runs; they are given in the order of the study.

    A low one has its `brief` name in the gutter.
    """

    brief = ""

    def __init__(self, stage: Stage, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        self.title_height = _TITLE
        super().__init__(stage, theme, name, parent)
        self.courses: Sequence[Course] = ()

    @property
    def low(self) -> bool:
        """Whether there is no room for a title line."""
        return self.title_height < _TITLE

    def set_low(self, low: bool) -> None:
        """Do without a title line, or not."""
        if low != self.low:
            self.title_height = _LOW_TITLE if low else _TITLE
            self.updateGeometry()
            self.refresh()

    def set_courses(self, courses: Sequence[Course], hidden: bool = False) -> None:
        """Show these runs; `hidden` tells that there are others, which are not wanted."""
        self.courses = courses
        if courses:
            self.set_time_axis(axis_of(courses[0].schedule.trace))
        self.set_message("" if courses else _HIDDEN if hidden else EMPTY)
        self._data_changed()

    def tooltip_at(self, place: QPointF) -> str:
        """The time there, and what is told of every run at it."""
        frame = self.frame()
        if not frame.plot.contains(place):
            return ""
        time = frame.scale.time(place.x())
        lines = [f"{one.name}: {self._told(one, time)}" for one in self.courses]
        return "\n".join([self._time_axis.spell(time), *lines])

    def _told(self, one: Course, time: float) -> str:
        """A run at a time, in a few words."""
        return ""

    def minimumSizeHint(self) -> QSize:
        """The least that still shows something."""
        bottom = round(self.frame().axis.height()) or round(BOTTOM)
        return QSize(240, round(self.title_height) + bottom + 24)

    def _paint_name(self, painter: QPainter, frame: Frame) -> None:
        if self.low:
            paint_side_name(painter, frame, self.brief, self.theme, self.font())
        else:
            super()._paint_name(painter, frame)

    def _label_heights(self, painter: QPainter, frame: Frame, ticks: Sequence[tuple[float, str]]) -> None:
        painter.setPen(QColor(self.theme.faint))
        for share, text in ticks:
            paint_row_label(painter, frame, text, _y(frame, share))

    def _rule(self, painter: QPainter, frame: Frame, ticks: Sequence[tuple[float, str]]) -> None:
        """Faint lines across at the labels."""
        colour = QColor(self.theme.text)
        colour.setAlpha(28)
        painter.setPen(colour)
        ys = [int(_y(frame, share)) + 0.5 for share, _ in ticks if share > 0]
        painter.drawLines([QLineF(frame.plot.left(), y, frame.plot.right(), y) for y in ys])


class DepthChart(CourseChart):
    """Queue depth: the minutes that all waiting jobs have waited so far (Tang et al. 2013, figures 5, 6).

    The line is the mean of each pixel's time, the tint reaches from the least to the most; a dashed
    line is the threshold of a run that tunes by the depth.
    """

    brief = "Depth"

    def __init__(self, stage: Stage, theme: Theme, parent: QWidget | None = None) -> None:
        self._log = False
        super().__init__(stage, theme, "Queue depth, minutes", parent)

    def set_log(self, on: bool) -> None:
        """Whether heights are logarithmic."""
        self._log = on
        self.refresh()

    def _told(self, one: Course, time: float) -> str:
        return f"{spell_minutes(one.depth.at(time))} min"

    def summary(self) -> str:
        """What the chart shows, in a sentence."""
        most = spell_minutes(self._most())
        return self.message or f"{plural(len(self.courses), 'run')}, up to {most} min deep"

    def _most(self) -> float:
        return max(1.0, *(one.deepest for one in self.courses)) if self.courses else 1.0

    def _heights(self) -> Heights:
        return Heights(self._most(), self._log)

    def _look(self) -> Hashable:
        return self._log

    def _painter_of(self, want: Want) -> Callable[[], Picture] | None:
        courses, heights, theme = self.courses, self._heights(), self.theme
        if not courses:
            return None

        def make() -> Picture:
            lines = [
                Line(heights.share(one.depth_statistics(want.window, want.width)), one.colour)
                for one in courses
            ]
            return Picture.of(want, paint_lines(want, lines, theme))

        return make

    def _ticks(self, frame: Frame) -> list[tuple[float, str]]:
        return self._heights().ticks(_APART / frame.plot.height(), _brief if self.low else compact)

    def _paint_rows(self, painter: QPainter, frame: Frame) -> None:
        self._label_heights(painter, frame, self._ticks(frame))

    def _paint_over(self, painter: QPainter, frame: Frame) -> None:
        self._rule(painter, frame, self._ticks(frame))
        heights = self._heights()
        for one in self.courses:
            painter.setPen(QPen(QColor(one.colour), 1.0, Qt.PenStyle.DashLine))
            for threshold in one.thresholds:
                y = int(_y(frame, float(heights.share(np.array([threshold]))[0]))) + 0.5
                painter.drawLine(QLineF(frame.plot.left(), y, frame.plot.right(), y))


class UtilizationChart(CourseChart):
    """The share of the processors in use, now and on average over the hours before (figures 7 to 10)."""

    brief = "Use"

    def __init__(self, stage: Stage, theme: Theme, parent: QWidget | None = None) -> None:
        self.averages: tuple[str, ...] = ("now", "10 h", "24 h")
        super().__init__(stage, theme, "Utilization", parent)

    def set_averages(self, names: Sequence[str]) -> None:
        """Which lines are drawn, by the names of AVERAGES."""
        self.averages = tuple(name for name in AVERAGES if name in names)
        self.refresh()

    def _told(self, one: Course, time: float) -> str:
        return ", ".join(
            f"{percent(100 * one.use_at(over, time))} {'now' if not over else 'over ' + name}"
            for name, over in AVERAGES.items()
            if name in self.averages
        )

    def summary(self) -> str:
        """What the chart shows, in a sentence."""
        return self.message or f"{plural(len(self.courses), 'run')}: {', '.join(self.averages)}"

    def _look(self) -> Hashable:
        return self.averages

    def _painter_of(self, want: Want) -> Callable[[], Picture] | None:
        courses, averages, theme = self.courses, self.averages, self.theme
        if not courses or not averages:
            return None
        heights = Heights(1.0)

        def make() -> Picture:
            lines = [
                Line(
                    heights.share(one.use_statistics(AVERAGES[name], want.window, want.width)),
                    mix(one.colour, theme.chart, _PALE[name]),
                    _THICK[name],
                    _BAND[name],
                )
                for name in reversed(averages)
                for one in courses
            ]
            return Picture.of(want, paint_lines(want, lines, theme))

        return make

    def _ticks(self, frame: Frame) -> list[tuple[float, str]]:
        return Heights(1.0).ticks(_APART / frame.plot.height(), lambda value: f"{100 * value:.0f} %")

    def _paint_rows(self, painter: QPainter, frame: Frame) -> None:
        self._label_heights(painter, frame, self._ticks(frame))

    def _paint_over(self, painter: QPainter, frame: Frame) -> None:
        self._rule(painter, frame, self._ticks(frame))

    def _paint_name(self, painter: QPainter, frame: Frame) -> None:
        """Beside the name, how thick the line of which average is."""
        super()._paint_name(painter, frame)
        if self.message or self.low or not self.averages:
            return
        painter.setFont(tick_font(self.font()))
        metrics = QFontMetricsF(painter.font())
        x = frame.plot.right()
        for name in reversed(self.averages):
            x -= metrics.horizontalAdvance(name)
            painter.setPen(QColor(self.theme.faint))
            painter.drawText(QPointF(x, frame.title.center().y() + metrics.ascent() / 2 - 1), name)
            x -= 26
            colour = mix(self.theme.text, self.theme.chart, max(_PALE[name], 0.2))
            y = round(frame.title.center().y())
            painter.fillRect(
                int(x), int(y - _THICK[name] / 2), 20, max(round(_THICK[name]), 1), QColor(colour)
            )
            x -= 14


def spell_minutes(minutes: float) -> str:
    """Minutes to the digits that say something; whole ones from 10 on."""
    return number(round(minutes)) if minutes >= 9.5 else number(round(minutes, 1))


def _brief(value: float) -> str:
    """A depth that finds room beside a name."""
    return f"{value / 1000:.0f} k" if 10_000 <= value < 100_000 else compact(value)


def _y(frame: Frame, share: float) -> float:
    return frame.plot.bottom() - share * frame.plot.height()
