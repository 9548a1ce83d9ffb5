"""The Edit menu: undoing, finding, and marks."""

from __future__ import annotations

from functools import partial

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from app.actions.answering import answer_for_selected
from app.actions.find import Finder, add_find
from app.actions.marks import add_marks
from app.actions.window_actions import Actions
from app.model.models import Models


def edit_menu(models: Models, finder: Finder, actions: Actions, window: QWidget) -> list[QAction]:
    """Fill the menu; returns the actions that need a study."""
    menu = actions.menu("&Edit")
    edits = models.workbench.edits
    actions.put(menu, edits.createUndoAction(menu, "&Undo"), "Ctrl+Z")
    actions.put(menu, edits.createRedoAction(menu, "&Redo"), "Ctrl+Shift+Z")
    menu.addSeparator()
    found = add_find(finder, menu, actions, window)
    tip = "Why the selected job waited and what would have helped, as a text for a mail"
    run = partial(answer_for_selected, models, window)
    told = actions.add(menu, "&Answer for the user…", run, "Ctrl+Shift+A", tip)
    menu.addSeparator()
    return [*found, told, *add_marks(models, menu, actions, window)]
