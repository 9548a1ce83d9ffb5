"""The File menu: opening, saving, exporting, settings, leaving."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtWidgets import QApplication, QWidget

from app.actions.command import Command, Submenu
from app.actions.open_options import ask_with_options, fetch_log
from app.export.files import Exporter
from app.export.tables import TABLES
from app.model.models import Models
from app.panels.dialogs import show_dialog
from app.panels.settings_page import SettingsPage, Themes
from app.report.reporter import Reporter
from app.session.closed_sessions import recently_closed
from app.session.commands import copy_link, save, save_as
from app.session.keeper import SessionKeeper
from app.session.link import path_of_line
from app.session.opener import Opener
from views.catalog import COLUMN_FIGURES, FIGURES
from views.spec import FigureSpec
from views.text.tooltips import as_tip
from views.widgets.menu_entries import MenuEntry, literal, note

_EMPTY = "Nothing yet"


class Writers(NamedTuple):
    """The writers of files with the content of the window."""

    exporter: Exporter
    reporter: Reporter
    show_data: Callable[[], object]  # of the chart that has the keys


def file_menu(
    models: Models, keeper: SessionKeeper, opener: Opener, writers: Writers, themes: Themes, window: QWidget
) -> Submenu:
    """The menu."""
    exporter = writers.exporter
    keys = QKeySequence.StandardKey
    options = "Choose how a log is read, which of its jobs are used, and what the columns of a table mean"
    fetched = "Download a log of the Parallel Workloads Archive"
    with_options, fetch = partial(ask_with_options, models, opener), partial(fetch_log, models, opener)
    return Submenu(
        "file",
        "&File",
        (
            Command("open", "&Open…", opener.ask, keys.Open, "A trace or a session", program=True),
            Command(
                "open with options",
                "Open with o&ptions…",
                partial(with_options, window),
                "Ctrl+Shift+O",
                options,
                program=True,
            ),
            Command(
                "open queue",
                "Open the &queue as it is now…",
                opener.queue_wanted.emit,
                "Ctrl+Shift+Q",
                "What squeue or scontrol prints: when waiting jobs start, and why they wait",
                program=True,
            ),
            Command("fetch", "&Fetch a log…", partial(fetch, window), tip=fetched, program=True),
            Command("example", "Open the &example", opener.open_example, program=True),
            Command(
                "open link",
                "Open the copied lin&k",
                partial(_open_copied, models, opener),
                tip="What “Copy a link to this view” has put on the clipboard, here or elsewhere",
                program=True,
            ),
            Submenu("recent", "Open &recent", listed=partial(_recent, models, opener)),
            Submenu("closed", "Recently c&losed", listed=partial(_closed, opener)),
            None,
            Command(
                "save",
                "&Save the session",
                lambda: save(models, keeper, window),
                "Ctrl+S",
                "Trace, runs and view",
            ),
            Command(
                "save as", "Save the session &as…", lambda: save_as(models, keeper, window), "Ctrl+Shift+S"
            ),
            Command(
                "copy link",
                "Copy a link to this &view",
                partial(copy_link, models, keeper),
                "Ctrl+Shift+L",
                "A command that opens the same runs, time, selection and page on the same log elsewhere",
            ),
            Command(
                "export figures",
                "Export fi&gures…",
                exporter.ask,
                "Ctrl+Alt+E",
                "Figures on paper of a chosen size, with a preview; several views at once",
            ),
            Command(
                "chart data",
                "&Data of this chart as a table",
                writers.show_data,
                "Ctrl+Shift+D",
                "The data of the chart that has the focus, as a sentence and a table",
            ),
            Submenu(
                "export chart",
                "E&xport chart",
                (
                    *(_figure(exporter, figure) for figure in FIGURES),
                    Submenu(
                        "column figures",
                        "As wide as a &column",
                        [_figure(exporter, figure) for figure in COLUMN_FIGURES],
                    ),
                ),
            ),
            Submenu(
                "export table",
                "Export &table",
                [
                    Command(f"table {table.kind}", table.label, partial(exporter.export_table, table.kind))
                    for table in TABLES
                ],
            ),
            Command(
                "report",
                "Write a &report…",
                writers.reporter.ask,
                tip="A folder with a page on how the runs differ, figures, tables and methods",
            ),
            None,
            Command(
                "settings",
                "Se&ttings…",
                lambda: show_dialog(SettingsPage(models, themes, window)),
                "Ctrl+,",
                program=True,
            ),
            Command("close", "&Close the window", window.close, "Ctrl+W", program=True),
            # Some desktops have no standard key for this.
            Command(
                "quit", "&Quit", QApplication.closeAllWindows, "Ctrl+Q", "Close all windows", program=True
            ),
        ),
    )


def _figure(exporter: Exporter, figure: FigureSpec) -> Command:
    return Command(
        f"figure {figure.kind}", figure.label, partial(exporter.export_chart, figure.kind), figure.keys
    )


def _open_copied(models: Models, opener: Opener) -> None:
    """Open the link on the clipboard, also where it was copied from a mail with the command around it."""
    path = path_of_line(QGuiApplication.clipboard().text())
    if path is None:
        models.messages.show_message("The clipboard has no link to a view")
    else:
        opener.open_path(path)


def _recent(models: Models, opener: Opener) -> list[MenuEntry]:
    """The files opened last, the last first."""
    return [
        MenuEntry(literal(Path(name).name), partial(opener.open_path, Path(name)), tip=as_tip(name))
        for name in models.settings.recent
    ] or [note(_EMPTY)]


def _closed(opener: Opener) -> list[MenuEntry]:
    """The sessions closed without saving, the last first."""
    return [
        MenuEntry(literal(closed.name), partial(opener.open_path, closed.path))
        for closed in recently_closed()
    ] or [note(_EMPTY)]
