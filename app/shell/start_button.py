"""A large button of the start page, with a title and a description below it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QIcon, QKeyEvent, QPaintEvent
from PySide6.QtWidgets import QCommandLinkButton, QStyle, QStyleOptionButton, QStylePainter, QWidget

_ASIDE, _ABOVE = 12, 10
"""Pixels of the border of the words."""

_WRAPPED = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop) | int(Qt.TextFlag.TextWordWrap)


class StartButton(QCommandLinkButton):
    """Button with words about it below its name, both in the font of the program.

    Qt's own has letters of 9 points whatever that font is, and an arrow that is black in any theme.
    """

    def __init__(self, text: str, about: str, parent: QWidget) -> None:
        super().__init__(text, about, parent)
        self.setIcon(QIcon())

    def event(self, event: QEvent) -> bool:
        """Remove the arrow again that another theme brings back."""
        done = super().event(event)
        if event.type() == QEvent.Type.StyleChange:
            self.setIcon(QIcon())
        return done

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter presses it too; outside of dialogs Qt knows Space alone."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    @property
    def _bold(self) -> QFont:
        font = QFont(self.font())
        font.setBold(True)
        return font

    def _tall(self, words: str, font: QFont, width: int) -> int:
        """The height of words within the border."""
        room = QRect(0, 0, width - 2 * _ASIDE, 10_000)
        return QFontMetrics(font).boundingRect(room, _WRAPPED, words).height()

    def heightForWidth(self, width: int) -> int:
        """The height of all words where the button is so wide."""
        name = self._tall(self.text(), self._bold, width)
        return name + self._tall(self.description(), self.font(), width) + 2 * _ABOVE

    def sizeHint(self) -> QSize:
        """As wide as its name, or as it is: words wrap."""
        name = QFontMetrics(self._bold).horizontalAdvance(self.text()) + 2 * _ASIDE
        return QSize(name, self.heightForWidth(max(self.width(), name)))

    def minimumSizeHint(self) -> QSize:
        """No less than all its words."""
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The frame of the style, and both texts."""
        painter, option = QStylePainter(self), QStyleOptionButton()
        self.initStyleOption(option)
        option.text = ""
        painter.drawControl(QStyle.ControlElement.CE_PushButton, option)
        room = self.rect().adjusted(_ASIDE, _ABOVE, -_ASIDE, -_ABOVE)
        painter.setPen(self.palette().buttonText().color())
        painter.setFont(self._bold)
        painter.drawText(room, _WRAPPED, self.text())
        room.setTop(room.top() + self._tall(self.text(), self._bold, self.width()))
        painter.setFont(self.font())
        painter.drawText(room, _WRAPPED, self.description())
