"""The choice of the users' expected share of the machine, saved as a setting."""

from __future__ import annotations

from PySide6.QtWidgets import QInputDialog, QWidget

from app.model.models import Models
from engine.errors import InputError
from views.widgets.awaited_work import read_spelled


def ask_share(models: Models, window: QWidget) -> None:
    """Ask for the expected share: fair, a fraction, an amount, or a file."""
    text, accepted = QInputDialog.getText(
        window,
        "Expected share",
        "What each user may expect of the machine at every moment:\n"
        "fair, a fraction like 1/10, an amount like 64c or 64c256g8gpu, or a CSV file user,share",
        text=models.workbench.share,
    )
    if not accepted:
        return
    try:
        use_share(models, text)
    except InputError as error:
        models.messages.show_message(str(error))


def use_share(models: Models, text: str) -> None:
    """Compare all runs under this share, and those of later traces. Raises InputError."""
    from engine.policy.share import parse_share

    share = read_spelled(models.workbench.files, text, parse_share).absolute.spelling
    models.settings.share = share
    models.workbench.set_share(share)
