"""What the mouse does over the legend of a Gantt chart."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, QPointF

from views.gantt.legend_entries import LegendEntries
from views.gantt.legend_menu import legend_menu
from views.timechart.chart import TimeChart
from views.timechart.frame import legend_room
from views.timechart.legend import MORE, Swatches, swatch_at


class LegendMouse:
    """An entry of the legend of `chart` is told; a click filters by what has its colour.

    `legend` gives the legend, `entries` what its entries mean, as soon as that is known.
    """

    def __init__(
        self,
        chart: TimeChart,
        legend: Callable[[], Swatches | None],
        entries: Callable[[], LegendEntries | None],
    ) -> None:
        self._chart, self._legend, self._entries = chart, legend, entries

    def entry_at(self, position: QPointF) -> int | None:
        """The entry at a position; None: there is none."""
        chart = self._chart
        frame, legend = chart.frame(), self._legend()
        if legend is None or chart.message or not frame.title.contains(position):
            return None
        room = legend_room(frame, chart.title, chart.title_colour, chart.font())
        return swatch_at(room, legend, chart.font(), position)

    def tooltip_at(self, position: QPointF) -> str:
        """What the colour there means, and what clicks on it do; empty: there is none."""
        entry, entries = self.entry_at(position), self._entries()
        if entry is None or entries is None:
            return ""
        if entry == MORE:
            return "Click: all colours and what they mean"
        return entries.describe(entry, self._chart.filter)

    def click(self, position: QPointF, toggle: bool) -> bool:
        """Filter by the entry there; whether there is one."""
        entry = self.entry_at(position)
        if entry is not None:
            self._pick(entry, toggle)
        return entry is not None

    def double_click(self, position: QPointF) -> bool:
        """Hide all but what has the colour there; whether there is an entry."""
        entry, entries = self.entry_at(position), self._entries()
        if entry is not None and entry != MORE and entries is not None:
            entries.hide_others(self._chart.filter, entry)
        return entry is not None

    def _pick(self, entry: int, toggle: bool = False) -> None:
        """Filter by an entry, or select its jobs; or offer all entries."""
        chart, entries = self._chart, self._entries()
        if entries is not None and entry != MORE:
            entries.pick(chart.filter, chart.selection, entry, toggle)
        elif entries is not None:
            corner = chart.frame().title.bottomRight().toPoint()
            menu = legend_menu(entries, chart.filter, self._pick, chart)
            menu.popup(chart.mapToGlobal(corner) - QPoint(menu.sizeHint().width(), 0))
