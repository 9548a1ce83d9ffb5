"""A tour of the window: six steps, each beside the part that it is about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from views.work.widget_handlers import EventWatch

_WIDTH, _AWAY, _FRAME = 380, 12, 3
"""Of the note in pixels, its distance from the part, and the width of the frame around that."""


@dataclass(frozen=True)
class Step:
    """A heading, a few sentences, and the part of the window that they are about, if that is seen."""

    title: str
    text: str
    part: Callable[[], QWidget | None]


class Tour(QFrame):
    """Note with a step of the tour, and a frame around its part; Esc or Skip ends it. `ended` is sent once.

    Enter presses the button with the focus.

    The window can be used meanwhile.
    """

    ended = Signal()

    def __init__(self, steps: Sequence[Step], window: QWidget) -> None:
        super().__init__(window)
        self.steps, self.step, self._window = steps, 0, window
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFrameShape(QFrame.Shape.Box)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        # Narrower than the window by its distance from both edges, or it would lie outside.
        self.setFixedWidth(min(_WIDTH, window.width() - 2 * _AWAY))
        self._frame = _Frame(window)
        self.title = QLabel("", self)
        font = self.title.font()
        font.setBold(True)
        self.title.setFont(font)
        self.text = QLabel("", self, wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.count = QLabel("", self)
        self.skip, self.back, self.next = (QPushButton(word, self) for word in ("Skip", "Back", "Next"))
        self.skip.clicked.connect(self.close)
        self.back.clicked.connect(lambda: self.show_step(self.step - 1))
        self.next.clicked.connect(self._go_on)
        row = QHBoxLayout()
        row.addWidget(self.count, 1)
        for button in (self.skip, self.back, self.next):
            row.addWidget(button)
        column = self._column = QVBoxLayout(self)
        for part in (self.title, self.text):
            column.addWidget(part)
        column.addLayout(row)
        # The window may be resized or scrolled during the tour: the frame follows the part that is told
        # about.
        EventWatch(window, self, self._follow_window)
        self.show_step(0)
        self.show()
        self.raise_()
        self.next.setFocus()

    def show_step(self, step: int) -> None:
        """Show a step, counted from 0."""
        self.step = step
        shown, last = self.steps[step], step == len(self.steps) - 1
        self.title.setText(shown.title)
        self.text.setText(shown.text)
        self.count.setText(f"{step + 1} of {len(self.steps)}")
        self.setAccessibleName(f"Tour, step {step + 1} of {len(self.steps)}: {shown.title}")
        self.setAccessibleDescription(shown.text)
        self.back.setEnabled(step > 0)
        self.skip.setVisible(not last)
        self.next.setText("Done" if last else "Next")
        self._place()

    def _go_on(self) -> None:
        if self.step + 1 < len(self.steps):
            self.show_step(self.step + 1)
        else:
            self.close()

    def _follow_window(self, _: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._place()
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        buttons = self.skip, self.back, self.next
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):  # buttons outside of dialogs ignore these
            next((button for button in buttons if button.hasFocus()), self.next).click()
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QEvent) -> None:
        self._frame.hide()
        self._frame.deleteLater()
        self.ended.emit()
        event.accept()

    def _place(self) -> None:
        """Stand below the part, else above it, else in the middle; always within the window."""
        window, part = self._window, self.steps[self.step].part()
        # The height of wrapped words depends on the width: `adjustSize` alone may leave too little.
        self.adjustSize()
        self.resize(self.width(), self._column.totalHeightForWidth(self.width()))
        room = window.rect().adjusted(_AWAY, _AWAY, -_AWAY, -_AWAY)
        there = part is not None and part.isVisible()
        self._frame.setVisible(there)
        # Without the part, or where it is hidden, the whole room takes its place and the middle is used.
        spot = QRect(part.mapTo(window, QPoint()), part.size()) if part is not None and there else room
        self._frame.setGeometry(spot & window.rect())
        self._frame.raise_()
        below, above = spot.bottom() + _AWAY, spot.top() - _AWAY - self.height()
        middle = spot.center().y() - self.height() // 2
        lowest = room.bottom() - self.height()
        # Below, else above, if all of it fits there; else over the middle of the part.
        y = next((top for top in (below, above) if room.top() <= top <= lowest), middle)
        x = spot.center().x() - self.width() // 2
        self.move(
            min(max(x, room.left()), room.right() - self.width()),
            min(max(y, room.top()), lowest),
        )
        self.raise_()


class _Frame(QWidget):
    """Frame around a part, through which the mouse goes."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(QPen(self.palette().color(QPalette.ColorRole.Accent), _FRAME))
        painter.drawRect(self.rect().adjusted(1, 1, -2, -2))
