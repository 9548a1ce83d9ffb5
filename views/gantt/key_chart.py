"""A chart over time with a legend that is used: what the mouse does over it."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent

from views.gantt.key import LegendKey
from views.gantt.key_menu import key_menu
from views.timechart.chart import TimeChart
from views.timechart.frame import legend_room
from views.timechart.legend import MORE, Swatches, swatch_at


class KeyChart(TimeChart):
    """An entry of the legend is told under the mouse; a click filters by what has its colour.

    A kind of chart gives `_legend` and `_key`, what its entries mean.
    """

    def _legend(self) -> Swatches | None:
        """What the colours mean."""
        return None

    @property
    def _key(self) -> LegendKey | None:
        """What the entries of the legend mean, as soon as that is known."""
        return None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        over = self._leads_on(event.position())
        self.setCursor(Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor)
        super().mouseMoveEvent(event)

    def tooltip_at(self, position: QPointF) -> str:
        """What a colour of the legend means, and what clicks on it do."""
        entry, key = self._entry_at(position), self._key
        if entry is None or key is None:
            return ""
        return "Click: all colours and what they mean" if entry == MORE else key.describe(entry)

    def _leads_on(self, position: QPointF) -> bool:
        """Whether something is there to be clicked that is no data."""
        return self._entry_at(position) is not None

    def _entry_at(self, position: QPointF) -> int | None:
        """The entry of the legend there."""
        frame, legend = self.frame(), self._legend()
        if legend is None or self.message or not frame.title.contains(position):
            return None
        room = legend_room(frame, self._title, self._title_colour, self.font())
        return swatch_at(room, legend, self.font(), position)

    def _clicked(self, position: QPointF, toggle: bool) -> bool:
        entry = self._entry_at(position)
        if entry is not None:
            self._pick_entry(entry, toggle)
        return entry is not None

    def _double_clicked(self, position: QPointF) -> bool:
        entry, key = self._entry_at(position), self._key
        if entry is not None and entry != MORE and key is not None:
            key.hide_others(self.filter, entry)
        return entry is not None

    def _pick_entry(self, entry: int, toggle: bool = False) -> None:
        """Filter by an entry, or select its jobs; or offer all entries."""
        key = self._key
        if key is not None and entry != MORE:
            key.pick(self.filter, self.selection, entry, toggle)
        elif key is not None:
            corner = self.frame().title.bottomRight().toPoint()
            menu = key_menu(key, self.filter, self._pick_entry, self)
            menu.popup(self.mapToGlobal(corner) - QPoint(menu.sizeHint().width(), 0))
