"""The showing of dialogs."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog


def show_dialog(dialog: QDialog) -> None:
    """Show a dialog that goes away when it is closed; the window goes on."""
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()
