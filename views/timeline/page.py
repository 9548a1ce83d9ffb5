"""The timeline: what queue and machine did under each run, and what was tuned when and why."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QVBoxLayout, QWidget
from superqt import QFlowLayout

from views.clock import Clock
from views.course import AVERAGES, Course
from views.renderer import Renderer
from views.selection import SelectionModel
from views.style import Theme
from views.swatch import swatch
from views.timechart import TimeChart
from views.timeline.lines import DepthChart, UtilizationChart
from views.timeline.tunables import TunablesChart
from views.tips import tip

_STRETCH = (4, 4, 3)

_LOWEST = 200
"""Pixels of the page beside charts of runs."""

_WIDEST = 260
"""Pixels of a button with the name of a run."""


class TimelinePage(QWidget):
    """Three charts on the window's clock; the line above chooses runs and lines."""

    context_requested = Signal(QPoint, float)
    looks_changed = Signal()  # other lines or another scale

    def __init__(
        self,
        clock: Clock,
        selection: SelectionModel,
        renderer: Renderer,
        theme: Theme,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._courses: Sequence[Course] = ()
        self._hidden: set[int] = set()  # ids of runs
        self.queue = DepthChart(clock, selection, renderer, theme, self)
        self.use = UtilizationChart(clock, selection, renderer, theme, self)
        self.tunables = TunablesChart(clock, selection, renderer, theme, self)
        self.runs: dict[int, QToolButton] = {}
        self.log = self._button(
            "log depth", "Queue depth on a logarithmic scale, so that small ones are seen"
        )
        self.log.toggled.connect(self.queue.set_log)
        self.log.toggled.connect(self.looks_changed)
        self.averages = {
            name: self._button(name, _average_tip(name), name in self.use.averages) for name in AVERAGES
        }
        for button in self.averages.values():
            button.toggled.connect(self._choose_averages)
        for chart in self.charts:
            chart.context_requested.connect(self.context_requested)
            chart.show_axis(chart is self.tunables)
        self._lay_out()
        self.set_courses(())

    @property
    def charts(self) -> tuple[TimeChart, ...]:
        """The charts, from top to bottom."""
        return self.queue, self.use, self.tunables

    @property
    def courses(self) -> list[Course]:
        """The runs that are shown."""
        return [one for one in self._courses if one.run_id not in self._hidden]

    def set_courses(self, courses: Sequence[Course]) -> None:
        """Show these finished runs; those that were hidden stay so."""
        self._courses = courses
        for button in self.runs.values():
            self._names.removeWidget(button)
            button.hide()
            button.deleteLater()
        self.runs = {one.run_id: self._run_button(one) for one in courses}
        self._show()

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        for chart in self.charts:
            chart.set_theme(theme)

    def _run_button(self, course: Course) -> QToolButton:
        button = self._button("", f"Show or hide {course.name}", True)
        longest = _WIDEST - 30
        button.setText(button.fontMetrics().elidedText(course.name, Qt.TextElideMode.ElideMiddle, longest))
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setIcon(QIcon(swatch(course.colour)))
        button.setChecked(course.run_id not in self._hidden)
        button.toggled.connect(lambda on: self._show_run(course.run_id, on))
        self._names.addWidget(button)
        return button

    def _show_run(self, run_id: int, on: bool) -> None:
        (self._hidden.discard if on else self._hidden.add)(run_id)
        self._show()

    def _show(self) -> None:
        for chart in (self.queue, self.use, self.tunables):
            chart.set_courses(self.courses, hidden=bool(self._courses))

    def _choose_averages(self) -> None:
        self.use.set_averages([name for name, button in self.averages.items() if button.isChecked()])
        self.looks_changed.emit()

    def show_looks(self, log: bool, averages: Sequence[str]) -> None:
        """The scale of the queue depth, and which averages of the utilization are drawn."""
        self.log.setChecked(log)
        for name, button in self.averages.items():
            button.setChecked(name in averages)

    def _button(self, text: str, told: str, on: bool = False) -> QToolButton:
        button = QToolButton(self, autoRaise=True)
        button.setText(text)
        button.setToolTip(tip(told))
        button.setAccessibleName(told)
        button.setCheckable(True)
        button.setChecked(on)
        return button

    def _lay_out(self) -> None:
        self._names = QFlowLayout()
        self._names.setContentsMargins(0, 0, 0, 0)
        head = QHBoxLayout()
        head.setContentsMargins(8, 2, 8, 2)
        head.addLayout(self._names, 1)
        for button in (self.log, *self.averages.values()):
            head.addWidget(button)
        self.setMinimumHeight(_LOWEST)  # the tabs would grow when this one is first shown
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        for chart, stretch in zip(self.charts, _STRETCH, strict=True):
            chart.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
            column.addWidget(chart, stretch)


def _average_tip(name: str) -> str:
    if name == "now":
        return "Utilization at each moment"
    return f"Utilization on average over the {name} before each moment"
