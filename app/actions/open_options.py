"""Opening a log with options: the file is asked for, then how it is read."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QWidget

from app.model.document import SUFFIX
from app.model.models import Models
from app.panels.dialogs import show_dialog
from app.session.opener import Opener


def ask_with_options(models: Models, opener: Opener, window: QWidget) -> None:
    """Let the user choose a file, and how it is read; a session is opened as it was saved."""
    path = opener.ask_path("Open a trace with options")
    if path is None:
        return
    if path.suffix == SUFFIX:
        opener.open_path(path)
    else:
        open_with_options(models, opener, path, window)


def open_with_options(models: Models, opener: Opener, path: Path, window: QWidget) -> None:
    """Let the user choose how a log is read, and open it so."""
    from app.panels.open_dialog import OpenDialog

    show_dialog(OpenDialog(path, models.settings, opener.open_as, window))
