"""Messages across the window: the error and what to do, with details and answers on demand."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from app.model.messages import Answers
from engine.shown_text import printable
from views.text.counts import clip

MOST = 4
"""Messages at once; the oldest gives way."""

_LONGEST, _LONGEST_WORD, _LONGEST_DETAILS = 280, 90, 20_000
"""Characters that are shown: a message is a few lines high, and no word wider than the window."""


class Message(QFrame):
    """A message; it never blocks the work. With `seconds` it closes by itself, unless the mouse is over
    it.
    """

    def __init__(
        self,
        text: str,
        details: str,
        answers: Answers,
        seconds: float | None,
        stays: bool,
        parent: MessageBar,
    ) -> None:
        super().__init__(parent)
        self.stays = stays
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAutoFillBackground(True)  # it covers charts
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.whole = text
        shown = _in_short(printable(text))
        # What was cut is whole in the details.
        if shown.split() != text.split():  # cut, and not only joined into a single line
            details = "\n\n".join(part for part in (text[:_LONGEST_DETAILS], details) if part)
        self.text = QLabel(shown, self, wordWrap=True)
        self.text.setTextFormat(Qt.TextFormat.PlainText)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.details = QPlainTextEdit(details, self, readOnly=True)
        self.details.setMaximumHeight(160)
        self.details.hide()
        self.more = QPushButton("Details", self)
        self.more.setCheckable(True)
        self.more.setVisible(bool(details))
        self.more.toggled.connect(self.details.setVisible)
        self.answers = {label: self._answer(label, run) for label, run in answers.items()}
        self.dismiss = QPushButton("Close", self)
        self.dismiss.clicked.connect(self.close_message)
        row = QHBoxLayout()
        row.addWidget(self.text, 1)
        for button in (*self.answers.values(), self.more, self.dismiss):
            row.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(9, 5, 9, 5)
        column.addLayout(row)
        column.addWidget(self.details)
        self._bar = parent
        # A message that somebody reads stays: the timer then asks again each second.
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._go_unless_read)
        if seconds is not None:
            self._timer.start(round(seconds * 1000))

    def close_message(self) -> None:
        """Take it away."""
        self._bar.drop(self)

    def _answer(self, label: str, run: Callable[[], object]) -> QPushButton:
        def take() -> None:
            # Closed first: what runs then may show a message of its own, or another trace.
            self.close_message()
            run()

        button = QPushButton(label, self)
        button.clicked.connect(take)
        return button

    def _go_unless_read(self) -> None:
        if self.underMouse() or self.more.isChecked():
            self._timer.start(1000)
        else:
            self.close_message()


class MessageBar(QWidget):
    """The open messages, the newest on top; they cover the charts instead of moving them.

    When a message with the focus closes, the previous widget gets the focus back; `left` is sent if that is
    gone too.
    """

    left = Signal()
    shown_text = Signal(str)  # what can be missed, for the status line

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.shown: list[Message] = []  # the newest last
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._before: QWidget | None = None  # what had the keys before a message
        QApplication.instance().focusChanged.connect(self._remember)  # type: ignore[union-attr]
        self.hide()

    @property
    def newest(self) -> Message:
        """The message on top; there must be a message."""
        return self.shown[-1]

    def show_message(
        self,
        text: str,
        details: str = "",
        answers: Answers | None = None,
        seconds: float | None = None,
        stays: bool = False,
    ) -> None:
        """Show a message, as `Messages` says."""
        # The same text is not there twice: it moves up. Otherwise the oldest makes room.
        for message in [shown for shown in self.shown if shown.whole == text] or self.shown[: -MOST + 1]:
            self.drop(message)
        message = Message(text, details, answers or {}, seconds, stays, self)
        self.shown.append(message)
        self._column.insertWidget(0, message)
        self.show()

    def say(self, text: str) -> None:
        """Say something for some seconds that can be missed."""
        self.shown_text.emit(text)

    def drop(self, message: Message) -> None:
        """Take a message away."""
        if message in self.shown:
            self.shown.remove(message)
            # A focused widget that is deleted would leave the keys with nobody: the focus goes back first.
            focused = self.window().focusWidget()
            if focused is not None and message.isAncestorOf(focused):
                self._give_back()
            message.hide()
            message.deleteLater()
        self.setVisible(bool(self.shown))

    def clear(self) -> None:
        """Take all away that another trace makes void."""
        for message in list(self.shown):
            if not message.stays:
                self.drop(message)

    def _remember(self, old: QWidget | None, new: QWidget | None) -> None:
        """Keep which widget had the focus before the bar took it."""
        # Only a step from outside into the bar counts; steps between its buttons keep what was before.
        if old is not None and new is not None and self.isAncestorOf(new) and not self.isAncestorOf(old):
            self._before = old

    def _give_back(self) -> None:
        before, self._before = self._before, None
        # The widget may have been deleted or hidden since.
        if before is not None and isValid(before) and before.isVisible():
            before.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.left.emit()


def _in_short(text: str) -> str:
    """The message with long words shortened in the middle; the details have the full text."""
    half = _LONGEST_WORD // 2
    words = [
        word if len(word) <= _LONGEST_WORD else f"{word[:half]}…{word[-half:]}"
        for word in text[: 20 * _LONGEST].split(" ")
    ]
    short = " ".join(words)
    return text if short == text and len(text) <= _LONGEST and "\n" not in text else clip(short, _LONGEST)
