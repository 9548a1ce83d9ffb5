"""The place of a window on its screen: as it was left, and never beyond what the screen has room for."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QMargins
from PySide6.QtWidgets import QWidget

_FIRST_SIZE = 1400, 900
_FRAME = QMargins(4, 32, 4, 4)
"""What a window manager puts around the window: its title bar and borders, which are not known before."""


def geometry_of(window: QWidget) -> str:
    """The place and size of the window, as settings keep it."""
    return window.saveGeometry().toBase64().toStdString()


def place(window: QWidget, geometry: str) -> None:
    """Place the window as it was left, where that is known, on the screen that there is now."""
    if not window.restoreGeometry(from_base64(geometry)):
        window.resize(*_FIRST_SIZE)
    fit_screen(window)


def fit_screen(window: QWidget) -> None:
    """Make the window no larger than its screen has room for, and move it to where all of it is seen."""
    if window.isMaximized() or window.isFullScreen():
        return
    screen = window.screen().availableGeometry()
    window.resize(window.size().boundedTo(screen.marginsRemoved(_FRAME).size()))
    # Its place is that of its frame, which is around what has been sized.
    free = screen.adjusted(0, 0, -_FRAME.left() - _FRAME.right(), -_FRAME.top() - _FRAME.bottom())
    right, bottom = free.right() - window.width() + 1, free.bottom() - window.height() + 1
    x, y = min(max(window.x(), free.x()), right), min(max(window.y(), free.y()), bottom)
    if (x, y) != (window.x(), window.y()):
        window.move(x, y)


def from_base64(text: str) -> QByteArray:
    """What settings keep of a window or of its docks, as Qt has it."""
    return QByteArray.fromBase64(QByteArray(text.encode()))
