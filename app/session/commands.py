"""Saving a session, and the question before changes to it are lost."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from app.model.documents.document import SUFFIX
from app.model.models import Models
from app.session.keeper import SessionKeeper
from app.session.link import link_line
from engine.errors import InputError
from engine.input import exists
from engine.simulation.control import Cancelled
from views.text.tooltips import as_tip
from views.widgets.awaited_work import waited

_SESSIONS = f"Sessions (*{SUFFIX})"


def save(models: Models, keeper: SessionKeeper, window: QWidget) -> None:
    """Write the session to its file; where it has none, ask for one."""
    if keeper.file is None:
        save_as(models, keeper, window)
    elif _may_overwrite(keeper, keeper.file, window):
        keeper.save(keeper.file)


def save_as(models: Models, keeper: SessionKeeper, window: QWidget) -> None:
    """Ask for a file and write the session to it."""
    file = _ask_for_file(models, keeper, window)
    if file is not None:
        keeper.save(file)


def copy_link(models: Models, keeper: SessionKeeper) -> None:
    """Put the command that opens the present view on the clipboard."""
    session = keeper.session()
    if session is None:
        return
    try:
        QGuiApplication.clipboard().setText(link_line(session))
    except InputError as error:
        models.messages.show_message(str(error))
    else:
        models.messages.say("The clipboard has the command that opens this view")


def may_leave(models: Models, keeper: SessionKeeper, window: QWidget) -> bool:
    """True if the open study may be closed; asks about unsaved changes."""
    button, study = QMessageBox.StandardButton, models.workbench.study
    # A study that was only looked at is left without a question.
    if not keeper.dirty:
        return True
    what = (
        f"changes to {keeper.file.name}"
        if keeper.file
        else f"changed runs of {study.trace.name} in a session"
    )
    answer = QMessageBox.question(
        window,
        "Unsaved changes",
        as_tip(f"Save the {what}? Discarded changes stay under “Recently closed” for a while."),
        button.Save | button.Discard | button.Cancel,
    )
    if answer == button.Save:
        # Saving may be refused on the way: a file is chosen, or another window has written the file.
        file = keeper.file or _ask_for_file(models, keeper, window)
        if file is None or not _may_overwrite(keeper, file, window):
            return False
        try:
            keeper.save_now(file, window)
        except Cancelled:
            return False
        except OSError as error:
            models.messages.show_message(f"{file}: cannot save the session here: {error.strerror}")
            return False
    # Any answer but Cancel leads on, as what was to be saved is.
    return answer != button.Cancel


def _may_overwrite(keeper: SessionKeeper, file: Path, window: QWidget) -> bool:
    """True if the changes that another window has saved meanwhile may be overwritten; asks if there are
    any.
    """
    try:
        if not keeper.is_overtaken(window):
            return True
    except Cancelled:
        return False
    button = QMessageBox.StandardButton
    text = f"{file.name} was saved by another window, or changed, since this one opened or saved it."
    text += "\nOverwrite it? “Save the session as…” keeps both."
    answer = QMessageBox.question(
        window, "Saved elsewhere", as_tip(text), button.Save | button.Cancel, button.Cancel
    )
    return answer == button.Save


def _ask_for_file(models: Models, keeper: SessionKeeper, window: QWidget) -> Path | None:
    study = models.workbench.study
    recent = models.settings.recent
    folder = Path(recent[0]).parent if recent else Path.home()
    proposed = keeper.file or folder / f"{study.trace.name}{SUFFIX}"
    name, _ = QFileDialog.getSaveFileName(window, "Save the session", str(proposed), _SESSIONS)
    if not name or name.endswith(SUFFIX):
        return Path(name) if name else None
    # The ending is added by the program, so the system has not asked about this name.
    file = Path(f"{name}{SUFFIX}")
    if file == keeper.file:
        return file
    try:
        # Whether a file is there, a thread finds out: its storage may not answer.
        there = waited(models.workbench.files, lambda: exists(file), f"Looking at {file.name}…", window)
    except Cancelled:
        return None
    return file if not there or _may_replace(file, window) else None


def _may_replace(file: Path, window: QWidget) -> bool:
    """True if a file may be replaced that the dialog did not ask about."""
    button = QMessageBox.StandardButton
    text = f"{file.name} already exists.\nReplace it?"
    answer = QMessageBox.question(
        window, "Save the session", as_tip(text), button.Save | button.Cancel, button.Cancel
    )
    return answer == button.Save
