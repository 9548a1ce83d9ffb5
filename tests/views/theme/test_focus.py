"""The outline of what has the keys: it is seen on all of Qt's widgets, in both themes."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QApplication,
    QCheckBox,
    QComboBox,
    QListWidget,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
    QSlider,
    QTabBar,
    QTextBrowser,
    QToolButton,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from views.theme.apply import apply_theme, palette_of, theme_of
from views.theme.palette import contrast
from views.theme.theme import ThemeName

KINDS: list[Callable[[], QWidget]] = [
    QPushButton,
    QToolButton,
    QCheckBox,
    QRadioButton,
    QComboBox,
    QSlider,
    QTabBar,
    QListWidget,
    QPlainTextEdit,
    QTextBrowser,
]


def at_its_edge(widget: QWidget) -> str:
    """The colour in the middle of the upper edge, inside of a frame."""
    shown = widget.viewport() if isinstance(widget, QAbstractScrollArea) else widget
    picture = shown.grab().toImage()
    return picture.pixelColor(picture.width() // 2, 0).name()


@pytest.mark.parametrize("name", ["light", "dark"])
@pytest.mark.parametrize("make", KINDS)
def test_what_has_the_keys_is_outlined(
    qtbot: QtBot, qapp: QApplication, make: Callable[[], QWidget], name: ThemeName
) -> None:
    theme = apply_theme(qapp, name)
    holder = QWidget()
    qtbot.addWidget(holder)
    column = QVBoxLayout(holder)
    widget, other = make(), QPushButton("other")
    if isinstance(widget, QTabBar):
        widget.addTab("one")
    widget.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    for part in (widget, other):
        column.addWidget(part)
    holder.show()
    holder.activateWindow()
    qtbot.waitUntil(holder.isActiveWindow)
    widget.setFocus()
    accent = QColor(theme.accent).name()
    assert at_its_edge(widget) == accent
    other.setFocus()
    assert at_its_edge(widget) != accent
    assert at_its_edge(other) == accent
    other.deleteLater()
    widget.setFocus()
    assert at_its_edge(widget) == accent
    apply_theme(qapp, "light")


@pytest.mark.parametrize("name", ["light", "dark"])
def test_the_outline_stands_out_from_the_ground(name: str) -> None:
    theme = theme_of(name)
    accent = palette_of(theme).accent().color()
    assert accent.name() == QColor(theme.accent).name()
    assert min(contrast(theme.accent, ground) for ground in (theme.window, theme.chart, theme.button)) >= 3.0
