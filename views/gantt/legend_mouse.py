"""Mouse handling for the legend of Gantt charts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QWidget

from views.gantt.legend_entries import LegendEntries
from views.state.filter import FilterModel
from views.state.selection import SelectionModel
from views.text.counts import format_count
from views.theme.swatch import swatch
from views.timechart.legend import MORE, Swatches, swatch_at
from views.widgets.menu_entries import MenuEntry, literal, open_menu


def class_entries(
    entries: LegendEntries, model: FilterModel, pick: Callable[[int], object]
) -> list[MenuEntry]:
    """All classes with their colours and numbers of jobs; classes in the filter are ticked."""
    return [
        MenuEntry(
            f"{literal(name)}\t{format_count(entries.count(entry))}",
            partial(pick, entry),
            enabled=entries.count(entry) > 0,
            on=entries.is_filtered(model, entry) if entries.filter(entry) is not None else None,
            icon=QIcon(swatch(colour)),
        )
        for entry, (colour, name) in enumerate(entries.classes.entries)
    ]


class LegendMouse:
    """Mouse handling of a legend on `owner`: tooltips for entries, and a filter by the clicked entry.

    `legend` returns the legend, `room` its place (None: not painted), `entries` the meaning of its entries,
    once known.
    """

    def __init__(
        self,
        owner: QWidget,
        models: tuple[FilterModel, SelectionModel],
        legend: Callable[[], Swatches | None],
        room: Callable[[], QRectF | None],
        entries: Callable[[], LegendEntries | None],
    ) -> None:
        self._owner, self._legend, self._room, self._entries = owner, legend, room, entries
        self._filter, self._selection = models

    def entry_at(self, position: QPointF) -> int | None:
        """The entry at a position; None: there is none."""
        legend, room = self._legend(), self._room()
        if legend is None or room is None:
            return None
        return swatch_at(room, legend, self._owner.font(), position)

    def tooltip_at(self, position: QPointF) -> str:
        """Describe the colour at the position and the effect of clicks on it; empty if there is no colour."""
        entry, entries = self.entry_at(position), self._entries()
        if entry is None or entries is None:
            return ""
        if entry == MORE:
            return "Click: all colours and what they mean"
        return entries.describe(entry, self._filter)

    def click(self, position: QPointF, toggle: bool) -> bool:
        """Filter by the entry at the position; True if there is an entry."""
        entry = self.entry_at(position)
        if entry is not None:
            self._pick(entry, toggle)
        return entry is not None

    def double_click(self, position: QPointF) -> bool:
        """Hide all but what has the colour there; whether there is an entry."""
        entry, entries = self.entry_at(position), self._entries()
        if entry is not None and entry != MORE and entries is not None:
            entries.hide_others(self._filter, entry)
        return entry is not None

    def _pick(self, entry: int, toggle: bool = False) -> None:
        """Filter by an entry, or select its jobs; or offer all entries."""
        owner, entries, room = self._owner, self._entries(), self._room()
        if entries is not None and entry != MORE:
            entries.pick(self._filter, self._selection, entry, toggle)
        elif entries is not None and room is not None:
            corner = owner.mapToGlobal(room.bottomRight().toPoint())
            classes = class_entries(entries, self._filter, self._pick)
            open_menu("Legend", classes, corner, owner, right_aligned=True)
