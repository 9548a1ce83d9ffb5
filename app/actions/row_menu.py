"""The context menu of table rows: actions on the users, queues or jobs of the clicked rows."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from app.actions.spot_menu import SpotMenu, spot_of_row
from app.model.models import Models
from views.state.spot import Spot
from views.tables.nodes_table import NodesTable
from views.tables.table import Table
from views.widgets.menu_entries import MenuEntry, MenuItem, open_menu


def add_row_menu(
    models: Models,
    by_selection: QAction,
    spots: SpotMenu,
    window: QWidget,
    table: Table,
    *,
    of_users: bool,
) -> None:
    """Give a table a context menu of the row under the mouse, and of all that are selected, to copy too.

    Users can be marked as administrators in theirs.
    """

    def offer(position: QPoint) -> None:
        items: list[MenuItem] = [*spots.entries(_spot(models, table, position)), by_selection]
        if of_users and (names := _selected_users(models)):
            on = set(names) <= set(models.measured.administrators)
            mark, tip = partial(_mark, models, not on), "Metrics can leave out the jobs of administrators"
            items.append(MenuEntry("Is an &administrator", mark, on=on, tip=tip))
        items += [None, *table.copy_entries]
        open_menu("Rows", items, table.view.viewport().mapToGlobal(position), window)

    table.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
    table.view.customContextMenuRequested.connect(offer)


def _spot(models: Models, table: Table, position: QPoint) -> Spot:
    """The row there, whatever is selected."""
    study, row = models.workbench.study, table.view.rowAt(position.y())
    if row < 0 or table.noun == "account":  # an account is in no chart
        return Spot(table)
    if isinstance(table, NodesTable):
        return Spot(table, node=int(table.model.rows[row]), schedule=table.schedule)
    return spot_of_row(table, table.noun, int(table.model.rows[row]), study.trace)


def _mark(models: Models, on: bool) -> None:
    """Mark the selected users as administrators, or no longer."""
    chosen, others = set(_selected_users(models)), set(models.measured.administrators)
    models.measured.set_administrators(sorted(others | chosen if on else others - chosen))


def _selected_users(models: Models) -> list[str]:
    study, codes = models.workbench.study, models.selection.value.users
    return [study.trace.user.names[code] for code in sorted(codes)]
