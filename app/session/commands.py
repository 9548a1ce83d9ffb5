"""Saving a session, and the questions about it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog, QMessageBox

from app.session.document import SUFFIX

if TYPE_CHECKING:
    from app.session.restore import TraceMissingError
    from app.shell.window import MainWindow

_SESSIONS = f"Sessions (*{SUFFIX})"


def save(window: MainWindow) -> None:
    """Write the session to its file; where it has none, ask for one."""
    if window.keeper.file is None:
        save_as(window)
    else:
        window.keeper.save(window.keeper.file)


def save_as(window: MainWindow) -> None:
    """Ask for a file and write the session to it."""
    file = _ask_for_file(window)
    if file is not None:
        window.keeper.save(file)


def ask_where_trace_is(window: MainWindow, error: TraceMissingError) -> Path | None:
    """Let the reader find the trace of a session; None where that was given up."""
    name = Path(error.wanted).name
    found, _ = QFileDialog.getOpenFileName(window, f"Where is {name}?", str(error.file.parent))
    return Path(found) if found else None


def may_leave(window: MainWindow) -> bool:
    """Whether what is open may be given up: only changes to a session file are asked about."""
    keeper, button = window.keeper, QMessageBox.StandardButton
    if not keeper.dirty or keeper.file is None:
        return True
    answer = QMessageBox.question(
        window,
        "Unsaved changes",
        f"Save the changes to {keeper.file.name}?",
        button.Save | button.Discard | button.Cancel,
    )
    if answer == button.Save:
        try:
            keeper.save_now(keeper.file)
        except OSError as error:
            window.messages.show_message(f"{keeper.file}: cannot save the session here: {error.strerror}")
            return False
    return answer != button.Cancel


def _ask_for_file(window: MainWindow) -> Path | None:
    keeper, study = window.keeper, window.workbench.study
    if study is None:
        return None
    recent = window.settings.recent
    folder = Path(recent[0]).parent if recent else Path.home()
    proposed = keeper.file or folder / f"{study.trace.name}{SUFFIX}"
    name, _ = QFileDialog.getSaveFileName(window, "Save the session", str(proposed), _SESSIONS)
    if not name:
        return None
    return Path(name) if name.endswith(SUFFIX) else Path(f"{name}{SUFFIX}")
