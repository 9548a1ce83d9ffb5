"""The context menu of a run, in the list and table of runs, and on rows of metrics, changes and marks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QWidget

from app.actions.marks import mark_entries
from app.actions.run_places import place_entries, rename_run
from app.actions.spot_menu import SpotMenu, spot_of_row
from app.model.models import Models
from app.panels.own_code import go_to_fault
from app.panels.policies.edit_run import RunEditor
from app.panels.run_list import RunList
from engine.study import Run
from views.difference.changes import ChangesTable
from views.tables.marks_table import MarksTable
from views.tables.metrics_table import MetricsTable
from views.tables.runs_table import RunsTable
from views.widgets.menu_entries import MenuEntry, MenuItem, literal, open_menu


@dataclass(frozen=True)
class RunMenu:
    """The menu of a run; `pick_run` has its sliders shown."""

    models: Models
    editor: RunEditor
    pick_run: Callable[[int], object]
    window: QWidget

    def follow(self, runs: RunList) -> None:
        """Open where a run of the list is clicked with the right button."""
        runs.menu_wanted.connect(self.open)
        runs.compare_clicked.connect(lambda: self.models.view.choose(view="difference", compared=None))

    def follow_table(self, table: RunsTable) -> None:
        """Open on the rows of the table of runs, which are copied there too."""

        def at(position: QPoint) -> None:
            run_id = table.run_at(table.view.rowAt(position.y()))
            run = self.models.workbench.study.run(run_id) if run_id is not None else None
            entries = [*self._entries(run), None] if run is not None else []
            place = table.view.viewport().mapToGlobal(position)
            open_menu("Run", [*entries, *table.copy_entries], place, self.window)

        _offer(table.view, at)

    def open(self, run_id: int, place: QPoint) -> None:
        """Open the menu of a run at a place on the screen."""
        run = self.models.workbench.study.run(run_id)
        if run is not None:
            open_menu("Run", self._entries(run), place, self.window)

    def _entries(self, run: Run) -> list[MenuItem]:
        """The entries for a run."""
        workbench, view = self.models.workbench, self.models.view
        study = workbench.study
        # The first run of a pair is the baseline: the difference then tells what the clicked run changes.
        others = [
            MenuEntry(
                literal(study.name(other)),
                partial(view.choose, view="difference", compared=(other.id, run.id)),
            )
            for other in study.runs
            if other.id != run.id
        ]
        live = workbench.live_run(run.id)
        faulty = live is not None and live.fault is not None
        fault = [MenuEntry("Show what went wron&g", partial(go_to_fault, self.models, run.id))]
        return [
            *(fault if faulty else []),
            MenuEntry("&Explore with sliders", lambda: self.pick_run(run.id)),
            MenuEntry("E&dit…", lambda: self.editor.edit(run.id)),
            MenuEntry("Dup&licate", lambda: workbench.add_run(run.policy, run.cluster)),
            MenuEntry("&What if…", lambda: self.editor.ask_what_if(run.id), enabled=run.policy.simulated),
            MenuEntry("Re&name…", lambda: rename_run(self.models, run.id, self.window)),
            MenuEntry("Run &again", lambda: workbench.start_run(run.id)),
            None,
            MenuEntry("&Compare with", enabled=bool(others), inner=others),
            MenuEntry("&Use as baseline", lambda: view.choose(baseline=run.id)),
            None,
            *place_entries(self.models, study, run),
            None,
            MenuEntry("Copy &policy", lambda: QGuiApplication.clipboard().setText(run.policy.spelling)),
            MenuEntry("&Remove", lambda: workbench.remove_run(run.id)),
        ]


def add_metric_menu(table: MetricsTable, window: QWidget) -> None:
    """Give the rows of metrics a menu, on their names and on their values."""

    def offer(widget: QWidget, position: QPoint) -> None:
        row, column = table.view.rowAt(position.y()), table.view.columnAt(position.x())
        metric = table.model.metric(row) if row >= 0 else None
        if metric is None:
            return
        items = [MenuEntry(f"&Explain {metric.label}", lambda: table.labels.explain(row))]
        # In the headings of rows there is no run to compare with.
        if widget is table.view and column >= 0:
            run = str(table.model.headerData(column, Qt.Orientation.Horizontal)).split("\n")[0]
            compare = partial(table.compare_with, column)
            items.append(MenuEntry(f"&Compare the others with {literal(run)}", compare))
        items.append(MenuEntry("Copy this &row", lambda: table.copy_rows([row])))
        items.append(MenuEntry("Copy this row as s&hown", lambda: table.copy_rows([row], exact=False)))
        open_menu("Metric", items, table.view.viewport().mapToGlobal(position), window)

    _offer(table.view, partial(offer, table.view))
    table.labels.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
    table.labels.customContextMenuRequested.connect(partial(offer, table.labels))


def add_changes_menu(models: Models, table: ChangesTable, spots: SpotMenu, window: QWidget) -> None:
    """Give the rows of a difference a menu: of the user or queue, or of the jobs of another group."""

    def offer(position: QPoint) -> None:
        study, group = models.workbench.study, table.group_at(position)
        if group is None:
            return
        of_group = table.grouping in ("user", "queue")
        spot = spot_of_row(table, table.grouping, group, study.trace) if of_group else None
        items = spots.entries(spot) if spot is not None else []
        items.append(MenuEntry("&Select its jobs", lambda: table.pick([group])))
        items += [None, *table.copying.entries]
        open_menu("Changes", items, table.viewport().mapToGlobal(position), window)

    _offer(table, offer)


def add_marks_menu(models: Models, table: MarksTable, window: QWidget) -> None:
    """Give the rows of marks the menu that a mark has in charts, and copying."""

    def offer(position: QPoint) -> None:
        row, marks = table.rows.rowAt(position.y()), models.view.options.marks
        entries = [*mark_entries(models, marks[row]), None] if 0 <= row < len(marks) else []
        place = table.rows.viewport().mapToGlobal(position)
        open_menu("Marks", [*entries, *table.rows.copying.entries], place, window)

    _offer(table.rows, offer)


def _offer(view: QAbstractItemView, offer: Callable[[QPoint], object]) -> None:
    view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
    view.customContextMenuRequested.connect(offer)
