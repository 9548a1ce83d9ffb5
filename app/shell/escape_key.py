"""What Escape leaves: the newest message, the selection, what is shown alone, or a page; one a key press."""

from __future__ import annotations

from app.model.models import Models
from app.panels.message_bar import MessageBar
from views.catalog import ALL


def leave(messages: MessageBar, models: Models) -> bool:
    """Close the newest message, else clear the selection, else leave what is shown alone; or nothing."""
    selection, view = models.selection, models.view
    if messages.shown:
        messages.drop(messages.newest)
    elif not selection.value.empty:
        selection.clear()
    elif view.options.bare:
        view.choose(alone=False, solo=None)
    elif view.options.view != ALL:
        view.choose(view=ALL)
    else:
        return False
    return True
