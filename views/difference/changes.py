"""Winners and losers: a row for each user, queue, size class, hour or weekday, with bars, sortable."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QWidget,
)

from views.data.changes import class_colours
from views.data.comparison import ChangesBy, Comparison
from views.difference.changes_model import NET, ChangesModel, Groups
from views.state.context import ViewContext
from views.tables.bars import BarCells
from views.tables.header import follow_font
from views.tables.table_selection import PickedItems, RowsView
from views.theme.theme import Theme
from views.widgets.table_copies import CopyRows
from views.work.async_memo import AsyncMemo

_BAR = 2
"""Pixels of the height of a bar, about."""

_PAD, _ARROW = 3, 14
"""Pixels beside a title; and of the arrow in the column that the rows are sorted by at first."""


class ChangesTable(RowsView):
    """A row for each group. A click selects the group everywhere, and users and queues selected elsewhere are
    shown.

    Groups without a job that matches a dimming filter are faded.
    """

    def __init__(self, context: ViewContext, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._selection, self._filter = context.selection, context.filter
        self._comparison: Comparison | None = None
        self._by: ChangesBy = "user"
        self.changes = ChangesModel()
        # The filter is applied in a thread, since its mask takes time in the number of jobs; until then no
        # group is faint.
        self._matching: AsyncMemo[Groups | None] = AsyncMemo(
            context.executor, "Groups of matching jobs", self
        )
        self._matching.ready.connect(lambda: self.changes.set_matching(self._matching.value))
        self.setModel(self.changes)
        self._bars = _Bars(theme, self)
        self.setItemDelegate(self._bars)
        self.setAccessibleName("Hours of waiting won and lost")
        self._set_up()
        self.copying = CopyRows(self)
        # The selected groups are kept as items, not as rows: after a reset of the model `renew` finds their
        # new rows.
        self._picked = PickedItems(self, self.changes)
        self._picked.picked.connect(lambda: self.pick(self._picked.items.tolist()))
        self.changes.modelReset.connect(self._picked.renew)
        self._selection.changed.connect(self._show_selection)
        self._filter.changed.connect(self._dim)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self._bars.theme = theme
        self.viewport().update()

    def set_comparison(self, comparison: Comparison | None) -> None:
        """Show the users of this pair of runs; it stays scrolled as it is."""
        scrolled, self._comparison = self.scroll_position, comparison
        self.changes.set_comparison(comparison, self._by)
        metrics = QFontMetrics(self.font())
        for column in range(self.changes.columnCount()):
            title = str(self.changes.headerData(column, Qt.Orientation.Horizontal))
            head, widest = map(metrics.horizontalAdvance, (title, self.changes.longest(column)))
            head += 2 * _PAD + 2 + (_ARROW if column == NET else 0)
            self.setColumnWidth(column, max(head, widest + 10))
        self.go_to(*scrolled)
        self._dim()

    def set_grouping(self, by: ChangesBy) -> None:
        """Show users, accounts, queues, size classes, hours or weekdays."""
        if by != self._by:
            self._by = by
            self.set_comparison(self._comparison)
            self._show_selection()

    def _dim(self) -> None:
        """Have the groups of matching jobs found in a thread: there may be many jobs."""
        comparison, dimmed, by = self._comparison, self._filter.value.dimmed, self._by

        def find() -> Groups | None:
            if comparison is None or dimmed is None:
                return None
            codes = comparison.by(by).codes[dimmed.mask(comparison.jobs)]
            return frozenset(np.flatnonzero(np.bincount(codes)).tolist())

        self._matching.request((comparison, dimmed, by), find)

    @property
    def grouping(self) -> ChangesBy:
        """The kind of groups: users, accounts, queues, size classes, hours or weekdays."""
        return self._by

    def group_at(self, position: QPoint) -> int | None:
        """The code of the group in the row there; None: there is none."""
        row = self.rowAt(position.y())
        return int(self.changes.rows[row]) if 0 <= row < len(self.changes.rows) else None

    def pick(self, items: Sequence[int]) -> None:
        """Pick these users or queues; of other groups the compared jobs."""
        comparison = self._comparison
        if self._by == "user":
            self._selection.select_users(items)
        elif self._by == "queue":
            self._selection.select_queues(items)
        elif comparison is not None:
            jobs = np.isin(comparison.by(self._by).codes, items) & comparison.difference.jobs
            self._selection.select_jobs(comparison.trace, frozenset(np.flatnonzero(jobs).tolist()))

    def _set_up(self) -> None:
        self.setShowGrid(False)
        self.setAlternatingRowColors(True)
        self.setWordWrap(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setCornerButtonEnabled(False)
        names, heads = self.verticalHeader(), self.horizontalHeader()
        names.hide()
        names.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        names.setMinimumSectionSize(10)
        names.setDefaultSectionSize(QFontMetrics(self.font()).height() + 7)
        for header in (names, heads):
            follow_font(header)
        heads.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        heads.setSectionsClickable(True)
        heads.setMinimumSectionSize(10)
        heads.setHighlightSections(False)
        heads.setSortIndicator(NET, Qt.SortOrder.DescendingOrder)
        self.setSortingEnabled(True)
        heads.sortIndicatorChanged.connect(self.scrollToTop)  # after it was sorted

    def _show_selection(self) -> None:
        """Light up the rows of selected users or queues, and bring the first into view."""
        value = self._selection.value
        if self._by in ("user", "queue"):
            codes = value.users if self._by == "user" else value.queues
            self._picked.show(np.array(sorted(codes), np.int64))
        elif not value.jobs:
            self._picked.show(np.empty(0, np.int64))


class _Bars(BarCells):
    """Changes as bars below their numbers, which no bar covers: gains blue and losses orange."""

    strong, weak = 200, 80  # thin, and nothing is read on them

    def bar(self, room: QRectF, share: float, column: int) -> tuple[QRectF, str]:
        """A bar from the left; where won and lost share a column, from the middle to either side."""
        colour = class_colours(self.theme.dark)[2 if share > 0 else 6]
        room = room.adjusted(0, room.height() - _BAR, 0, _BAR - 1)
        if column != NET:
            return room.adjusted(0, 0, room.width() * (abs(share) - 1), 0), colour
        middle, end = room.center().x(), room.center().x() + share * room.width() / 2
        return QRectF(min(middle, end), room.top(), abs(end - middle), room.height()), colour
