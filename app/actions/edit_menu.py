"""The Edit menu: undoing, finding, and marks."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from app.actions.answer_action import answer_for_selected
from app.actions.command import Command, Submenu
from app.actions.find import Finder, find_commands
from app.actions.marks import mark_commands
from app.model.models import Models


def edit_menu(models: Models, finder: Finder, window: QWidget) -> Submenu:
    """The menu."""
    finds, marks = find_commands(finder, window), mark_commands(models, window)
    tip = "Why the selected job waited and what would have helped, as a text for an email"
    run = partial(answer_for_selected, models, window)
    answer = Command("answer", "&Answer for the user…", run, "Ctrl+Shift+A", tip)
    return Submenu("edit", "&Edit", (*_undoing(models, window), None, *finds, answer, None, *marks))


def _undoing(models: Models, owner: QObject) -> tuple[QAction, QAction]:
    """Qt's own actions, which say what they undo."""
    edits = models.workbench.edits
    undo, redo = edits.createUndoAction(owner, "&Undo"), edits.createRedoAction(owner, "&Redo")
    for action, keys in ((undo, "Ctrl+Z"), (redo, "Ctrl+Shift+Z")):
        action.setShortcut(keys)
        action.setToolTip(f"{action.text().replace('&', '')} ({keys})")
    return undo, redo
