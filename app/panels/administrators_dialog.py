"""The administrators of a trace: test jobs of the machine's own staff distort metrics of users."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)


class AdministratorsDialog(QDialog):
    """A list of the users of a trace, in which administrators are ticked; `take` gets their names."""

    def __init__(
        self,
        users: Sequence[str],
        chosen: Iterable[str],
        take: Callable[[list[str]], object],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Administrators")
        self._take = take
        text = "Heatmaps and metrics can leave out the jobs of administrators. Who is an administrator?"
        self.search = QLineEdit(self, placeholderText="Find a user", clearButtonEnabled=True)
        self.search.setAccessibleName("Find a user")
        self.list = QListWidget(self)
        self.list.setAccessibleName("Users")
        known = set(chosen)
        for name in sorted(users, key=lambda name: name not in known):  # stable: the others stay in order
            item = QListWidgetItem(name, self.list)
            item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked if name in known else Qt.CheckState.Unchecked)
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel, self
        )
        column = QVBoxLayout(self)
        column.addWidget(QLabel(text, self, wordWrap=True))
        column.addWidget(self.search)
        column.addWidget(self.list, 1)
        column.addWidget(buttons)
        self.search.textChanged.connect(self._show)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)

    @property
    def chosen(self) -> list[str]:
        """The ticked users."""
        items = (self.list.item(row) for row in range(self.list.count()))
        return [item.text() for item in items if item.checkState() == Qt.CheckState.Checked]

    def accept(self) -> None:
        """Hand the names over."""
        self._take(self.chosen)
        super().accept()

    def _show(self, wanted: str) -> None:
        for row in range(self.list.count()):
            item = self.list.item(row)
            item.setHidden(wanted.strip().casefold() not in item.text().casefold())
