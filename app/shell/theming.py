"""Change of the program's theme while its windows are open."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Protocol

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

from views.theme.apply import apply_theme
from views.theme.theme import Theme, ThemeName
from views.work.idle_queue import IdleQueue


class ThemedWindow(Protocol):
    """A window whose charts have a theme of their own beside the program's style sheet."""

    @property
    def idle_queue(self) -> IdleQueue:
        """The idle queue of the window."""

    def dress(self, name: ThemeName, theme: Theme) -> None:
        """Show a theme that the whole program has been given."""

    def setUpdatesEnabled(self, enable: bool, /) -> None:
        """Paint, or hold all painting back."""

    def repaint(self) -> None:
        """Paint at once."""


def change_theme(
    app: QApplication,
    windows: Collection[ThemedWindow],
    name: ThemeName,
    scheme: Qt.ColorScheme | None = None,
) -> None:
    """Show a theme in these windows, at least one. `scheme` is the desktop's preference, if known.

    Nothing is painted in between, so that no half-changed window is visible.
    """
    for window in windows:
        window.setUpdatesEnabled(False)
    theme = apply_theme(app, name, scheme)
    for window in windows:
        window.dress(name, theme)
        # After the charts, too, which other fonts and sizes have changed meanwhile.
        again = partial(window.idle_queue.add, ("painted", window), partial(_paint_again, window))
        window.idle_queue.add(("theme", window), again)


def _paint_again(window: ThemedWindow) -> None:
    if isValid(window):
        window.setUpdatesEnabled(True)
        window.repaint()  # Qt forgets to, for good, where the window was resized while updates were off
