"""Marks in the menus: what is selected, or a time, is marked by a name."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtWidgets import QInputDialog, QWidget

from app.actions.command import Command
from app.model.alignment import align_at_start, job_of_mark
from app.model.mark_edits import add_mark, go_to_mark, mark_of, remove_mark
from app.model.models import Models
from views.catalog import ALL, view_spec
from views.data.marks import TimeMark
from views.state.selection import Selection
from views.widgets.menu_entries import MenuEntry
from views.work.widget_handlers import while_alive


def mark_commands(models: Models, window: QWidget) -> list[Command]:
    """The commands that add marks and show them."""
    models.view.mark_wanted.connect(while_alive(window, partial(go_to_mark, models)))
    return [
        Command(
            "mark",
            "Add a &mark…",
            lambda: ask_for_mark(models, models.selection.value, models.clock.pointed, window),
            "K",
            "Mark the selection, otherwise the time under the mouse",
        ),
        Command("marks", "Show the mar&ks", lambda: _show_list(models)),
    ]


def ask_for_mark(models: Models, picked: Selection, time: float | None, window: QWidget) -> None:
    """Mark what is picked, else a time, s, by a name that the reader types or accepts."""
    mark = mark_of(models, picked, time)
    name, accepted = QInputDialog.getText(window, "Add a mark", "Name of the mark", text=mark.name)
    if accepted:
        add_mark(models, replace(mark, name=name.strip() or mark.name))


def mark_entries(models: Models, mark: TimeMark) -> list[MenuEntry]:
    """The entries of the menu of a mark."""
    job = job_of_mark(models, mark)
    entries = [MenuEntry("&Go to it", partial(go_to_mark, models, mark))]
    if job is not None:
        entries.append(MenuEntry("&Align runs at its job's start", partial(align_at_start, models, job)))
    return [*entries, MenuEntry("&Remove", partial(remove_mark, models, mark))]


def _show_list(models: Models) -> None:
    """Open the tab of marks."""
    spec = view_spec("marks")
    models.view.choose(view=ALL, tab=spec.title if spec is not None else "", tabs_open=True)
