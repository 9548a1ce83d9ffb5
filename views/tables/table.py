"""A table of anything: sorted and searched away from the window, with columns that the reader chooses."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np
from PySide6.QtCore import QKeyCombination, QPoint, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QKeySequence, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from engine.arrays import Ints
from views.state.filter import NO_MATCH
from views.tables.bars import TableCells
from views.tables.content import Content, Sorting, arrange
from views.tables.corner import CornerHeading
from views.tables.explained_columns import ExplainedColumns
from views.tables.header import dress_header, dress_table
from views.tables.model import TableModel
from views.tables.table_selection import PickedItems, RowsView
from views.text.counts import format_count, plural
from views.text.terms import term
from views.theme.theme import Theme
from views.widgets.menu_entries import MenuEntry, MenuItem, literal, open_menu
from views.widgets.table_copies import copy_cells
from views.work.async_memo import AsyncMemo
from views.work.executor import Executor
from views.work.lazy import LazyValue

MOST_COPIED = 20_000
"""Rows that Ctrl+C takes; more are exported to a file."""

AS_SHOWN = QKeyCombination(
    Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier, Qt.Key.Key_C
)
"""The keys that copy cells as they are seen; Ctrl+C copies numbers in base units, for spreadsheets."""

_WIDEST_NAME = 260
_WIDEST_VALUE = 240
_WIDE_VALUE, _WIDE_NUMBER = "88 d 88 min", "88 888.8"
_SAMPLE = 30  # rows that determine the width of a column
_HEADING_EXTRAS, _SWATCH = 30, 18
"""Pixels of a heading beside its text: the sort arrow and air, and the run's swatch."""


class Table(QWidget):
    """A row for each item. A click on a heading sorts, a second click reverses the order, a third removes it.

    `picked` carries the selected items, shape (k,), after the reader changed the selection; items hidden by a
    search or filter are included. A right click on a heading shows and hides columns; `hidden` has the keys
    of the hidden columns. The scroll position is kept for new results, and reset for a new order.
    """

    picked = Signal(object)
    columns_changed = Signal()

    def __init__(
        self, noun: str, executor: Executor, theme: Theme, empty: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.noun = noun
        self.model = TableModel(noun)
        self.view = RowsView(self)
        self.search = QLineEdit(self, placeholderText=f"Find {noun}s", clearButtonEnabled=True)
        self.count = QLabel("", self, textFormat=Qt.TextFormat.PlainText)
        self.empty = QLabel(empty, self, alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self.nothing = QLabel("", self.view.viewport(), alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self.nothing.setTextFormat(Qt.TextFormat.PlainText)
        self.search.setAccessibleName(f"Find {noun}s")
        self.view.setAccessibleName(f"{noun.capitalize()}s")
        self.above = QHBoxLayout()
        self.hidden: frozenset[str] = frozenset()
        self._content: LazyValue[Content] | None = None
        self._version = 0
        self._order = Sorting()
        self._arranged: Sorting | None = None  # as the rows are shown now
        self._picks = False  # the first row that is found, as soon as it is
        self._memo: AsyncMemo[tuple[Content, Ints, Sorting]] = AsyncMemo(executor, f"table of {noun}s", self)
        self._cells = TableCells(theme, self.view, self.model)
        self._set_up_view()
        self._lay_out()
        self._connect()
        self.set_theme(theme)

    def _set_up_view(self) -> None:
        view = self.view
        view.setModel(self.model)
        view.setTabKeyNavigation(False)  # Tab leaves the table, and picks no rows on its way
        view.setItemDelegate(self._cells)
        dress_table(view)
        self._picked = PickedItems(view, self.model)
        names = view.verticalHeader()
        dress_header(names)
        names.setMaximumWidth(_WIDEST_NAME)
        names.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        names.setMinimumSectionSize(10)
        names.setDefaultSectionSize(QFontMetrics(view.font()).height() + 7)
        heads = self.heads = ExplainedColumns(view)
        view.setHorizontalHeader(heads)
        dress_header(heads)
        heads.setSortIndicatorShown(True)
        heads.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        heads.setSortIndicatorClearable(True)
        heads.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.corner = CornerHeading(self.model.names_heading, view)
        self.corner.clicked.connect(lambda: heads.setSortIndicator(-1, Qt.SortOrder.AscendingOrder))

    def _lay_out(self) -> None:
        self.above.addWidget(self.search, 1)
        self.above.addWidget(self.count)
        self.above.setContentsMargins(6, 4, 6, 2)
        shown = QWidget(self)
        column = QVBoxLayout(shown)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addLayout(self.above)
        column.addWidget(self.view, 1)
        QVBoxLayout(self.view.viewport()).addWidget(self.nothing)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(shown)

    def _connect(self) -> None:
        self._memo.ready.connect(self._take)
        self.search.textChanged.connect(lambda _: self._request())
        self.search.returnPressed.connect(self._pick_found)
        heads = self.view.horizontalHeader()
        heads.sortIndicatorChanged.connect(self._sort)
        heads.customContextMenuRequested.connect(self._offer_columns)
        self._picked.picked.connect(lambda: self.picked.emit(self._picked.items))

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of another theme."""
        self._cells.theme = theme
        self.empty.setStyleSheet(f"color: {theme.faint}")
        self.count.setStyleSheet(f"color: {theme.faint}")
        self.nothing.setStyleSheet(f"color: {theme.faint}")
        self.view.viewport().update()

    def set_content(self, make: Callable[[], Content] | None) -> None:
        """Show the content that `make` returns, which is called in another thread; None: show the
        message for no content.
        """
        self._content = None if make is None else LazyValue(make)
        self._version += 1
        self._stack.setCurrentIndex(0 if make is None else 1)
        self._request()

    def start_over(self) -> None:
        """Forget search and scrolling, for another trace is shown."""
        self.search.clear()
        self._arranged = None

    def hide_columns(self, keys: Iterable[str]) -> None:
        """Hide the columns of these kinds, and show all others."""
        self.hidden = frozenset(keys)
        self._hide()
        self._request()  # what is shown now may have to be worked out first

    def show_items(self, items: Ints) -> None:
        """Light up the rows of these items, ascending, and bring the first into view."""
        self._picked.show(items)

    def lines(self, rows: Iterable[int] | None = None, exact: bool = True) -> list[list[str]]:
        """Headings and rows of the visible columns, exactly or as they are seen; without `rows` all."""
        columns = [k for k in range(self.model.columnCount()) if not self.view.isColumnHidden(k)]
        text = self.model.export if exact else self.model.as_shown
        return text(list(range(len(self.model.rows)) if rows is None else rows), columns)

    def copy(self, exact: bool = True) -> None:
        """Put the selected rows, or else all, on the clipboard, exactly or as they are seen."""
        rows = self._picked.rows()
        rows = rows if len(rows) else np.arange(len(self.model.rows))
        if len(rows) > MOST_COPIED:
            self.count.setText(f"copied the first {format_count(MOST_COPIED)} rows; export the table for all")
        copy_cells(self.lines(rows[:MOST_COPIED].tolist(), exact), exact=exact)

    @property
    def copy_entries(self) -> list[MenuEntry]:
        """The entries that copy, for the menus of headings and of rows."""
        numbers = (
            "The selected rows, or else all: numbers with all their digits in base units, for a spreadsheet"
        )
        return [
            MenuEntry("&Copy numbers\tCtrl+C", partial(self.copy, True), tip=numbers),
            MenuEntry("Copy as s&hown\tCtrl+Shift+C", partial(self.copy, False)),
        ]

    # What is shown.

    def showEvent(self, event: QShowEvent) -> None:
        """Compute what was postponed while the table was hidden."""
        super().showEvent(event)
        self._request()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
            event.accept()
        elif event.keyCombination() == AS_SHOWN:
            self.copy(exact=False)
            event.accept()
        elif event.matches(QKeySequence.StandardKey.WhatsThis):
            self._explain()
        else:
            super().keyPressEvent(event)

    def _request(self) -> None:
        """Have the rows put in order in another thread; the newest wish wins."""
        content, hidden = self._content, self.hidden
        if content is None or not self.isVisible():
            return
        order = Sorting(self._order.key, self._order.run_id, self._order.descending, self.search.text())

        def make() -> tuple[Content, Ints, Sorting]:
            made = content()
            for column in made.columns:
                if column.key not in hidden:
                    column.prepare()
            return made, arrange(made, order), order

        self._memo.request((self._version, order, hidden), make)

    def _take(self) -> None:
        if self._memo.value is None or self._content is None:
            return
        content, rows, order = self._memo.value
        # The scroll position is read before the model is reset, which moves the view to the top.
        across, down = self.view.scroll_position
        sorted_anew = order != self._arranged
        self._arranged = order
        columns = tuple(column.title for column in self.model.content.columns)
        self.model.show(content, rows)
        self._show_order()
        self._hide()
        # Widths are fitted for other columns alone: those that the user has dragged stay.
        if tuple(column.title for column in content.columns) != columns:
            self._fit_columns()
        wanted = order.wanted.strip()
        why = f"No {self.noun} matches “{wanted}”" if wanted and len(content.rows) else NO_MATCH
        self.nothing.setText("" if len(rows) or not content.total else why)
        shown, total = content.count(rows), content.total
        of_all = plural(total, self.noun)
        self.count.setText(of_all if shown == total else f"{format_count(shown)} of {of_all}")
        # After sorting the first rows matter; otherwise what was in view stays there.
        self.view.go_to(across, 0 if sorted_anew else down)
        if sorted_anew:
            self._show_sorted_column()
        # Selected items have other rows now: Qt would go on marking the old rows.
        self._picked.renew()
        if self._picks:
            self._pick_found()

    def _pick_found(self) -> None:
        """Pick the first of the rows that are found: at once, or when the search is over."""
        self._picks = self._arranged is None or self._arranged.wanted != self.search.text()
        if not self._picks and len(self.model.rows):
            self.view.selectRow(0)
            self.view.setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def order(self) -> Sorting:
        """By what the rows are sorted."""
        return self._order

    def sort_by(self, order: Sorting) -> None:
        """Sort by a kind of column of a run."""
        self._order = order
        self._request()
        self._sorted()

    def _sorted(self) -> None:
        """Do what else follows the order of rows; nothing here."""

    def _sort(self, section: int, order: Qt.SortOrder) -> None:
        column = self.model.content.columns[section] if section >= 0 else None
        run_id = column.run.run_id if column is not None and column.run is not None else None
        descending = order == Qt.SortOrder.DescendingOrder
        self.sort_by(Sorting(column.key if column is not None else "", run_id, descending))

    def _show_order(self) -> None:
        """Show the arrow over the column that sorts, wherever that is now."""
        heads, index = self.view.horizontalHeader(), self._order.column_of(self.model.content)
        turned = Qt.SortOrder.DescendingOrder if self._order.descending else Qt.SortOrder.AscendingOrder
        heads.blockSignals(True)
        heads.setSortIndicator(-1 if index is None else index, turned)
        heads.blockSignals(False)

    def _show_sorted_column(self) -> None:
        """Scroll sideways until the column that sorts is seen whole."""
        index = self._order.column_of(self.model.content)
        if index is not None and self.model.rowCount():
            self.view.scrollTo(self.model.index(0, index))

    def _fit_columns(self) -> None:
        """Room for values and headings; Qt's own rule adds a heading's height to its width."""
        metrics = QFontMetrics(self.view.horizontalHeader().font())
        content = self.model.content
        sample = content.rows[:: max(len(content.rows) // _SAMPLE, 1)].tolist()
        for index, column in enumerate(content.columns):
            title = self.model.headerData(index, Qt.Orientation.Horizontal)
            lines = [metrics.horizontalAdvance(line) for line in title.split("\n")]
            words = [column.format(item) for item in sample] if column.key not in self.hidden else []
            usual = (
                _WIDE_NUMBER
                if column.names is None and not column.unit.endswith(("s", "from now"))
                else _WIDE_VALUE
            )
            values = [metrics.horizontalAdvance(word) for word in (*words, usual)]
            extras = _HEADING_EXTRAS + (_SWATCH if column.run is not None else 0)
            width = max(max(lines) + extras, min(max(values) + 16, _WIDEST_VALUE))
            self.view.setColumnWidth(index, width)

    # Columns.

    def _hide(self) -> None:
        for index, column in enumerate(self.model.content.columns):
            self.view.setColumnHidden(index, column.key in self.hidden)

    def _explain(self) -> None:
        """Explain the heading of the current column, or of the next column with an explanation."""
        now = max(self.view.currentIndex().column(), 0)
        shown = [k for k in range(self.heads.count()) if not self.view.isColumnHidden(k)]
        ahead = [k for k in shown if k >= now] + [k for k in shown if k < now]
        next((k for k in ahead if self.heads.explain(k)), None)

    def _offer_columns(self, position: QPoint) -> None:
        """Show a menu of the kinds of columns, and of the explanation of the heading at a position."""
        items: list[MenuItem] = []
        place = self.heads.logicalIndexAt(position)
        word = self.heads.term_of(place)
        if word is not None:
            explain = partial(self.heads.explain, place)
            items += [MenuEntry(f"Explain “{literal(term(word).title)}”", explain), None]
        titles = {column.key: column for column in self.model.content.columns}
        last = len(titles.keys() - self.hidden) == 1  # of the columns that are shown
        for key, column in titles.items():
            shown, title = key not in self.hidden, literal(column.title)
            toggle = partial(self._toggle, key)
            items.append(MenuEntry(title, toggle, not (shown and last), on=shown, tip=column.text))
        items += [None, *self.copy_entries]
        open_menu("Columns", items, self.heads.mapToGlobal(position), self)

    def _toggle(self, key: str) -> None:
        self.hide_columns(self.hidden ^ {key})
        self.columns_changed.emit()
