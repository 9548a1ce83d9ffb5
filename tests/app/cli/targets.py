"""Widgets as targets of random input: what takes all input, what a widget is called, where a spot lies."""

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QDialog, QWidget
from shiboken6 import isValid

from app.actions.menu_tree import Entry
from app.shell.window import MainWindow
from tests.app.cli.random_steps import Spot


def over_all() -> QWidget | None:
    """The popup or modal dialog that takes all input."""
    for over in (QApplication.activePopupWidget(), QApplication.activeModalWidget()):
        if over is not None and isValid(over):
            return over
    return None


def leave(over: QWidget) -> None:
    if isinstance(over, QDialog):
        over.reject()
    else:
        over.close()


def place_in(widget: QWidget, spot: Spot) -> QPoint:
    """A position in a widget, from shares of its width and height."""
    return QPoint(int(spot[0] * max(widget.width(), 1)), int(spot[1] * max(widget.height(), 1)))


def is_a(widget: QWidget, kind: str) -> bool:
    return any(base.__name__ == kind for base in type(widget).__mro__)


def title_of(entry: Entry) -> str:
    return " > ".join((*entry.menus, entry.name))


def is_alive(widget: QWidget) -> bool:
    """Whether it is still there and seen."""
    return isValid(widget) and widget.isVisible()


def name_of(widget: QWidget) -> str:
    """What a widget is, and in what."""
    parts: list[str] = []
    part: QWidget | None = widget
    while part is not None and isValid(part) and not isinstance(part, MainWindow) and len(parts) < 4:
        parts.append(f"{type(part).__name__}{f'({part.objectName()})' if part.objectName() else ''}")
        part = part.parentWidget()
    return " in ".join(parts) or type(widget).__name__
