"""The File menu: opening, saving, exporting, settings, leaving."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import NamedTuple

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from app.actions.open_options import ask_with_options, fetch_log
from app.actions.window_actions import Actions
from app.export.files import Exporter
from app.export.tables import TABLES
from app.model.models import Models
from app.panels.dialogs import show_dialog
from app.panels.scale_choice import ScaleDialog
from app.panels.settings_page import SettingsPage, Themes
from app.report.reporter import Reporter
from app.session.closed import recently_closed
from app.session.commands import save, save_as
from app.session.keeper import SessionKeeper
from app.session.opener import Opener
from engine.errors import InputError
from engine.trace.scale import parallelism
from views.catalog import COLUMN_FIGURES, FIGURES
from views.text.tooltips import as_tip


class Writers(NamedTuple):
    """What writes files of what the window shows."""

    exporter: Exporter
    reporter: Reporter


def file_menu(
    models: Models,
    keeper: SessionKeeper,
    opener: Opener,
    writers: Writers,
    themes: Themes,
    actions: Actions,
    window: QWidget,
) -> tuple[list[QAction], QMenu]:
    """Fill the menu; returns the actions on a study, and the menu of charts to export."""
    menu, exporter = actions.menu("&File"), writers.exporter
    actions.add(menu, "&Open…", opener.ask, QKeySequence.StandardKey.Open, "A trace or a session")
    actions.add(
        menu,
        "Open with o&ptions…",
        lambda: ask_with_options(models, opener, window),
        "Ctrl+Shift+O",
        "How a log is read, which of its jobs, and how many that leaves; what the columns of a table say",
    )
    actions.add(
        menu,
        "&Fetch a log…",
        lambda: fetch_log(models, opener, window),
        tip="A log of the Parallel Workloads Archive, from the network",
    )
    actions.add(menu, "Open the &example", opener.open_example)
    recent = menu.addMenu("Open &recent")
    recent.aboutToShow.connect(lambda: _fill_recent(models, opener, recent))
    closed = menu.addMenu("Recently c&losed")
    closed.aboutToShow.connect(lambda: _fill_closed(opener, closed))
    menu.addSeparator()
    made = [
        actions.add(
            menu,
            "What &if: load and requests…",
            lambda: ask_what_if(models, opener, window),
            tip="The same jobs under more load, wider, or asking for less",
        ),
        actions.add(
            menu,
            "&Save the session",
            lambda: save(models, keeper, window),
            "Ctrl+S",
            "Trace, runs and view",
        ),
        actions.add(menu, "Save the session &as…", lambda: save_as(models, keeper, window), "Ctrl+Shift+S"),
    ]
    tip = "Figures on paper of a size, with a preview; several views in one go"
    made.append(actions.add(menu, "Export fi&gures…", exporter.ask, "Ctrl+Alt+E", tip))
    charts = menu.addMenu("E&xport chart")
    tables = menu.addMenu("Export &table")
    for figure in FIGURES:
        export = partial(exporter.export_chart, figure.kind)
        made.append(actions.add(charts, figure.label, export, figure.keys or None))
    narrow = charts.addMenu("As wide as a &column")
    for figure in COLUMN_FIGURES:
        export = partial(exporter.export_chart, figure.kind)
        made.append(actions.add(narrow, figure.label, export, figure.keys or None))
    for table in TABLES:
        made.append(actions.add(tables, table.label, partial(exporter.export_table, table.kind)))
    tip = "A folder with a page that says what the runs differ in, figures, tables and methods"
    made.append(actions.add(menu, "Write a &report…", writers.reporter.ask, tip=tip))
    menu.addSeparator()
    actions.add(menu, "Se&ttings…", lambda: show_dialog(SettingsPage(models, themes, window)), "Ctrl+,")
    actions.add(menu, "&Close the window", window.close, "Ctrl+W")
    # Some desktops have no standard key for this.
    actions.add(menu, "&Quit", QApplication.closeAllWindows, "Ctrl+Q", "Close all windows")
    return made, charts


def ask_what_if(models: Models, opener: Opener, window: QWidget) -> None:
    """Ask for another load or other requests; the trace is read again so, which can be undone."""
    current = models.workbench.open_study
    take = partial(_scale_by, models, opener)
    show_dialog(ScaleDialog(current.scale, parallelism(current.study.trace), take, window))


def _scale_by(models: Models, opener: Opener, text: str) -> None:
    try:
        opener.scale(text)
    except InputError as error:
        models.messages.show_message(str(error))


def _fill_recent(models: Models, opener: Opener, menu: QMenu) -> None:
    menu.clear()
    for name in models.settings.recent:
        action = menu.addAction(Path(name).name.replace("&", "&&"))
        action.setToolTip(as_tip(name))
        action.triggered.connect(lambda _=False, name=name: opener.open_path(Path(name)))
    if not models.settings.recent:
        menu.addAction("Nothing yet").setEnabled(False)


def _fill_closed(opener: Opener, menu: QMenu) -> None:
    """What was closed without being saved, the last one first."""
    menu.clear()
    for one in recently_closed():
        menu.addAction(one.name.replace("&", "&&"), lambda path=one.path: opener.open_path(path))
    if menu.isEmpty():
        menu.addAction("Nothing yet").setEnabled(False)
