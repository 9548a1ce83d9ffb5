"""The showing of dialogs, and what scrolls in them where a screen is low."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QDialog, QFrame, QScrollArea, QWidget

from views.widgets.tab_order import chain, read_through

_AROUND = 60
"""Pixels of a screen that a window manager takes, about."""


class HighArea(QScrollArea):
    """Scroll area that requests the full height of its widget; Qt's own requests only some lines.

    If the screen is lower, it scrolls vertically, and the widgets below it stay reachable.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, widgetResizable=True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def sizeHint(self) -> QSize:
        widget = self.widget()
        inside = widget.sizeHint() if widget is not None else QSize()
        return inside + QSize(self.verticalScrollBar().sizeHint().width(), 0)

    def minimumSizeHint(self) -> QSize:
        """It may be low and narrow, for it scrolls."""
        return QSize(200, 120)


def screen_size(dialog: QDialog) -> QSize:
    """The available size of a dialog's screen."""
    return dialog.screen().availableSize()


def room_for(dialog: QDialog) -> QSize:
    """The largest size that a dialog has on its screen, in its window's frame."""
    return screen_size(dialog) - QSize(_AROUND // 4, _AROUND)


def show_dialog(dialog: QDialog) -> None:
    """Show a non-modal dialog, no larger than its screen, which is deleted when it is closed.

    Tab goes through it as it is read.
    """
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    chosen = dialog.testAttribute(Qt.WidgetAttribute.WA_Resized)
    dialog.resize((dialog.size() if chosen else dialog.sizeHint()).boundedTo(room_for(dialog)))
    dialog.open()
    chain(read_through(dialog))
