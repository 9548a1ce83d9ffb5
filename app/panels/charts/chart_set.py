"""The charts over time in a window, for the keys and menus that act on a single chart or on all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from views.gantt.chart import GanttChart
from views.plotting.clock_plot import ClockPlot
from views.state.clock import Clock
from views.timechart.chart import TimeChart
from views.timechart.clock_chart import beside

Chart = TimeChart | ClockPlot
"""Of either family, on the clock."""


class ChartSet:
    """The charts over time of a window: the visible charts, the chart with the focus, and zooming all of
    them.

    `charts` returns all of them, shown or not, from top to bottom.
    """

    def __init__(self, clock: Clock, charts: Callable[[], Iterable[Chart]]) -> None:
        self._clock, self._charts = clock, charts

    @property
    def shown(self) -> list[Chart]:
        """The visible charts, from top to bottom."""
        return [chart for chart in self._charts() if chart.isVisible()]

    @property
    def first(self) -> Chart | None:
        """The uppermost shown chart, if any."""
        return next(iter(self.shown), None)

    @property
    def gantt(self) -> GanttChart | None:
        """The Gantt chart with the focus, otherwise the uppermost shown, if any."""
        gantts = [chart for chart in self.shown if isinstance(chart, GanttChart)]
        return next((gantt for gantt in gantts if gantt.hasFocus()), gantts[0] if gantts else None)

    def fit_selection(self) -> None:
        """Zoom to what is selected, wherever it is under the runs that are shown."""
        charts = [chart for chart in self.shown if type(chart) is type(self.first)]
        ranges = {chart: span for chart in charts if (span := chart.picked_range()) is not None}
        if ranges:
            parts = [chart.picked_rows() or self._clock.rows for chart in ranges]
            rows = min(low for low, _ in parts), max(high for _, high in parts)
            starts = [start - chart.clock.shift for chart, (start, _) in ranges.items()]
            ends = [end - chart.clock.shift for chart, (_, end) in ranges.items()]
            left, right = (max(chart.covered[side] for chart in ranges) for side in (0, 1))
            self._clock.fit_range(*beside(min(starts), max(ends), left, right), rows=rows)
