"""Opening a log that is chosen otherwise than by its file alone: with options, or from the archive."""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtCore import QStandardPaths
from PySide6.QtWidgets import QWidget

from app.model.documents.document import SUFFIX
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
    from app.panels.opening.open_dialog import OpenDialog

    def show(real: Path) -> None:
        show_dialog(OpenDialog(path, models.settings, opener.open_as, window, real))

    models.workbench.log_opening.look(path.name, lambda: Path(os.path.realpath(path)), show)


def fetch_log(models: Models, opener: Opener, window: QWidget) -> None:
    """Let the user choose a log of the archive, fetch it, and open it."""
    from app.panels.opening.fetch_dialog import FetchDialog

    downloads = Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DownloadLocation))

    def show(there: bool) -> None:
        folder = downloads if there else Path.home()
        show_dialog(FetchDialog(folder, opener.open_path, models.workbench.executor, window))

    models.workbench.log_opening.look(downloads.name, downloads.is_dir, show)
