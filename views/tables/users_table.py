"""Users and how they fare under each run."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QItemSelection, QItemSelectionModel, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QStackedLayout,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from engine.trace import Trace
from views.results import Result
from views.selection import SelectionModel
from views.style import LIGHT, Theme
from views.tables.header import dress_header
from views.tables.users_model import UsersModel
from views.words import plural, spell_count

_WIDEST_NAME = 260
_WIDE_VALUE = "888 d 88 min"
_HEADING_EXTRAS = 48
"""Pixels of a heading beside its text: the run's swatch, the sort arrow, and air."""

_EMPTY = "The users of the trace are listed here\nwhen one is open."


class UsersTable(QWidget):
    """One row a user; a click selects the user everywhere, and a selection made elsewhere is shown."""

    def __init__(
        self, selection: SelectionModel, theme: Theme = LIGHT, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._selection = selection
        self._showing = False
        self.model = UsersModel()
        self.view = QTableView(self)
        self.filter = QLineEdit(self, placeholderText="Filter users", clearButtonEnabled=True)
        self.filter.setToolTip("Show only users whose name contains this text")
        self.count = QLabel("", self)
        self.empty = QLabel(_EMPTY, self, alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self._set_up_view()
        self._lay_out()
        self.filter.textChanged.connect(self._filter)
        self.model.modelReset.connect(self._show_selection)
        self.view.selectionModel().selectionChanged.connect(self._pick)
        self.view.clicked.connect(self._pick)
        selection.changed.connect(self._show_selection)
        self.set_theme(theme)

    def _set_up_view(self) -> None:
        view = self.view
        view.setModel(self.model)
        view.setShowGrid(False)
        view.setAlternatingRowColors(True)
        view.setWordWrap(False)
        view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        view.setCornerButtonEnabled(False)
        names = view.verticalHeader()
        dress_header(names)
        names.setHighlightSections(True)
        names.setMaximumWidth(_WIDEST_NAME)
        names.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        names.setMinimumSectionSize(10)
        names.setDefaultSectionSize(QFontMetrics(view.font()).height() + 7)
        heads = view.horizontalHeader()
        dress_header(heads)
        heads.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        heads.setSortIndicatorClearable(True)  # the third click on a heading: by name again
        view.setSortingEnabled(True)

    def _lay_out(self) -> None:
        above = QHBoxLayout()
        above.addWidget(self.filter, 1)
        above.addWidget(self.count)
        above.setContentsMargins(6, 4, 6, 2)
        shown = QWidget(self)
        column = QVBoxLayout(shown)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addLayout(above)
        column.addWidget(self.view, 1)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(shown)

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of another theme."""
        self.empty.setStyleSheet(f"color: {theme.faint}")
        self.count.setStyleSheet(f"color: {theme.faint}")

    def set_results(self, trace: Trace | None, results: Sequence[Result]) -> None:
        """Show the users of a trace and how they fare under these finished runs."""
        self.model.set_results(trace, results)
        self._stack.setCurrentIndex(0 if trace is None else 1)
        self._count()
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Room for values and headings; Qt's own rule adds a heading's height to its width."""
        metrics = QFontMetrics(self.view.horizontalHeader().font())
        for column in range(self.model.columnCount()):
            title = self.model.headerData(column, Qt.Orientation.Horizontal)
            lines = [metrics.horizontalAdvance(line) for line in title.split("\n")]
            width = max(max(lines) + _HEADING_EXTRAS, metrics.horizontalAdvance(_WIDE_VALUE) + 16)
            self.view.setColumnWidth(column, width)

    def _filter(self, text: str) -> None:
        self.model.set_filter(text)
        self._count()

    def _count(self) -> None:
        shown, users = self.model.rowCount(), self.model.users
        self.count.setText(
            plural(users, "user") if shown == users else f"{spell_count(shown)} of {plural(users, 'user')}"
        )

    def _pick(self, *_: object) -> None:
        """The rows that the person selected become the selection everywhere."""
        if not self._showing:
            rows = self.view.selectionModel().selectedRows()
            self._selection.select_users(int(self.model.rows[index.row()]) for index in rows)

    def _show_selection(self) -> None:
        """Light up the rows of the selected users, and bring the first into view."""
        found = (self.model.row_of(user) for user in sorted(self._selection.value.users))
        rows = sorted(row for row in found if row is not None)
        picked = QItemSelection()
        for row in rows:
            picked.select(self.model.index(row, 0), self.model.index(row, self.model.columnCount() - 1))
        self._showing = True
        try:
            flag = QItemSelectionModel.SelectionFlag.ClearAndSelect
            self.view.selectionModel().select(picked, flag)
        finally:
            self._showing = False
        if rows:
            self.view.scrollTo(self.model.index(rows[0], max(self.view.columnAt(0), 0)))
