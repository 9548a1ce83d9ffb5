"""A line of entries separated by commas, to which a menu adds further ones, with what they mean in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QMenu, QToolButton, QVBoxLayout, QWidget

from engine.errors import InputError
from views.text.tooltips import tip
from views.widgets.menu_entries import MenuItem, fill


class PickLine(QWidget):
    """A line of text with a menu of what can stand in it, and below it the same in words.

    `offered` gives the menu's entries, made anew whenever it opens; these call `add`. `explain` says what a
    text means and raises InputError where it cannot be read: an unfinished text is no error while it is
    typed, so that its words are just absent. An empty line means `unless`, in words.
    """

    entered = Signal()  # Enter in the line

    def __init__(
        self,
        name: str,
        example: str,
        about: str,
        offered: Callable[[], Sequence[MenuItem]],
        explain: Callable[[str], str],
        parent: QWidget | None = None,
        unless: str = "",
    ) -> None:
        super().__init__(parent)
        self._offered, self._explain, self._unless = offered, explain, unless
        self.line = QLineEdit(self)
        self.line.setPlaceholderText(example)
        self.line.setToolTip(tip(about))
        self.line.setAccessibleName(name)
        self.line.returnPressed.connect(self.entered)
        self.line.textChanged.connect(self.update_words)
        self.menu = QMenu(self)
        # The menu is filled when it opens: what is offered depends on the open trace.
        self.menu.aboutToShow.connect(self._fill)
        self.pick = QToolButton(self)
        self.pick.setText("+")
        self.pick.setToolTip("Choose from a list")
        self.pick.setAccessibleName(f"{name}: choose from a list")
        self.pick.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.pick.setMenu(self.menu)
        # The explanation of the typed text takes no room until there is an explanation.
        self.words = QLabel("", self, wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.words.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        row = QHBoxLayout()
        row.addWidget(self.line, 1)
        row.addWidget(self.pick)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(row)
        column.addWidget(self.words)
        self.setFocusProxy(self.line)
        self.update_words()

    def add(self, entry: str, selected: str = "") -> None:
        """Add an entry at the end, with the part of it that the user is likely to replace `selected`."""
        before = self.line.text().strip().rstrip(",").rstrip()
        self.line.setText(f"{before}, {entry}" if before else entry)
        self.line.setFocus()
        if selected:
            self.line.setSelection(self.line.text().rindex(selected), len(selected))

    def update_words(self) -> None:
        """Say what the line means; nothing of one that cannot be read yet."""
        text = self.line.text()
        try:
            words = self._explain(text) if text.strip() else self._unless
        except InputError:
            words = ""
        self.words.setText(words)
        self.words.setVisible(bool(words))

    def _fill(self) -> None:
        self.menu.clear()
        fill(self.menu, self._offered())
