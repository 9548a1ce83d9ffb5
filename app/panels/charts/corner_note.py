"""A line over a part of the window with a note on its content, which does not move other widgets."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtWidgets import QLabel, QWidget

from views.theme.theme import Theme
from views.work.widget_handlers import EventWatch

_MARGIN = 6  # pixels


class CornerNote(QLabel):
    """Stands in the lower right corner of a widget while there is something to say."""

    def __init__(self, theme: Theme, over: QWidget) -> None:
        super().__init__("", over)
        self._over = over
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.set_theme(theme)
        self.hide()
        EventWatch(over, self, self._follow)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self.setStyleSheet(
            f"border: 1px solid {theme.accent}; border-radius: 3px; padding: 1px 5px;"
            f"background: {theme.chart}; color: {theme.text}"
        )
        self._move_to_corner()

    def say(self, text: str) -> None:
        """Say this; nothing, where it is empty."""
        self.setText(text)
        self.setVisible(bool(text))
        self._move_to_corner()

    def _follow(self, _: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._move_to_corner()
        return False

    def _move_to_corner(self) -> None:
        over, hint = self._over, self.sizeHint()
        self.resize(min(hint.width(), over.width() - 2 * _MARGIN), hint.height())
        self.move(QPoint(over.width() - _MARGIN, over.height() - _MARGIN) - self.rect().bottomRight())
        self.raise_()
