"""What the mouse does over the legend of a Gantt chart."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, QPointF

from views.gantt.key import LegendKey
from views.gantt.key_menu import key_menu
from views.timechart.chart import TimeChart
from views.timechart.frame import legend_room
from views.timechart.legend import MORE, Swatches, swatch_at


class LegendMouse:
    """An entry of the legend of `chart` is told; a click filters by what has its colour.

    `legend` gives the legend, `key` what its entries mean, as soon as that is known.
    """

    def __init__(
        self,
        chart: TimeChart,
        legend: Callable[[], Swatches | None],
        key: Callable[[], LegendKey | None],
    ) -> None:
        self._chart, self._legend, self._key = chart, legend, key

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
        entry, key = self.entry_at(position), self._key()
        if entry is None or key is None:
            return ""
        return "Click: all colours and what they mean" if entry == MORE else key.describe(entry)

    def click(self, position: QPointF, toggle: bool) -> bool:
        """Filter by the entry there; whether there is one."""
        entry = self.entry_at(position)
        if entry is not None:
            self._pick(entry, toggle)
        return entry is not None

    def double_click(self, position: QPointF) -> bool:
        """Hide all but what has the colour there; whether there is an entry."""
        entry, key = self.entry_at(position), self._key()
        if entry is not None and entry != MORE and key is not None:
            key.hide_others(self._chart.filter, entry)
        return entry is not None

    def _pick(self, entry: int, toggle: bool = False) -> None:
        """Filter by an entry, or select its jobs; or offer all entries."""
        chart, key = self._chart, self._key()
        if key is not None and entry != MORE:
            key.pick(chart.filter, chart.selection, entry, toggle)
        elif key is not None:
            corner = chart.frame().title.bottomRight().toPoint()
            menu = key_menu(key, chart.filter, self._pick, chart)
            menu.popup(chart.mapToGlobal(corner) - QPoint(menu.sizeHint().width(), 0))
