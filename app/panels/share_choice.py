"""What users may expect of the machine: asked for, and kept as a setting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QInputDialog

from engine.errors import InputError

if TYPE_CHECKING:
    from app.shell.window import MainWindow


def ask_share(window: MainWindow) -> None:
    """Let the reader say it: fair, a fraction, an amount, or a file."""
    text, accepted = QInputDialog.getText(
        window,
        "Expected share",
        "What each user may expect of the machine at every moment:\n"
        "fair, a fraction like 1/10, an amount like 64c or 64c256g, or a CSV file user,share",
        text=window.workbench.share,
    )
    if not accepted:
        return
    try:
        use_share(window, text)
    except InputError as error:
        window.messages.show_message(str(error))


def use_share(window: MainWindow, text: str) -> None:
    """Judge all runs by this share, and those of later traces. Raises InputError."""
    from engine.fairness.shares import parse_share

    share = parse_share(text).absolute.spelling
    window.settings.share = share
    window.workbench.set_share(share)
