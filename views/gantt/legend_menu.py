"""The menu of all entries of a Gantt chart's legend, for those that find no room in it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QMenu, QWidget

from views.gantt.legend_entries import LegendEntries
from views.state.filter import FilterModel
from views.text.counts import spell_count
from views.theme.swatch import swatch


def legend_menu(
    entries: LegendEntries, model: FilterModel, pick: Callable[[int], None], parent: QWidget
) -> QMenu:
    """Every class with its colour and its number of jobs; those that are filtered by are ticked.

    It is gone when it is closed.
    """
    menu = QMenu("Legend", parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    for entry, (colour, name) in enumerate(entries.classes.entries):
        jobs = entries.count(entry)
        action = menu.addAction(QIcon(swatch(colour)), f"{name.replace('&', '&&')}\t{spell_count(jobs)}")
        action.setCheckable(entries.filter(entry) is not None)
        action.setChecked(entries.is_filtered(model, entry))
        action.setEnabled(jobs > 0)
        action.setData(entry)
    menu.triggered.connect(lambda action: pick(action.data()))
    return menu
