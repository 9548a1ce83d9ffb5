"""Metrics of all runs side by side."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QStackedLayout,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from engine.policy.baseline import CALIBRATION, against_real
from views.data.results import Result, place_of_baseline
from views.tables.corner import CornerHeading
from views.tables.header import dress_header, dress_table
from views.tables.metrics_model import BEST_ROLE, CHANGE_ROLE, TITLE_ROLE, MetricChange, MetricsModel
from views.tables.table import AS_SHOWN
from views.text.counts import plural
from views.text.terms import term_of
from views.text.tooltips import tip
from views.theme.theme import LIGHT, Theme
from views.widgets.elided_box import ElidedBox
from views.widgets.elided_label import ElidedLabel
from views.widgets.explanation import ExplainedHeader
from views.widgets.table_copies import copy_cells

_PAD = 8
_EMPTY = (
    "The table compares the metrics of all runs.\nIt appears when the first run is finished and compared."
)


class _Cells(QStyledItemDelegate):
    """Delegate for a value in the left half of a cell, bold where it is the best, and its change."""

    def __init__(self, theme: Theme, view: QWidget) -> None:
        super().__init__(view)
        self.theme = theme
        self.rooms: list[int] = []  # pixels a column
        self._view = view

    def paint(
        self, p: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw background and selection as any table does, then the two texts."""
        # The heading of a group has no values, only its ground.
        if index.data(TITLE_ROLE) is not None:
            p.fillRect(option.rect, QColor(self.theme.button))
            return
        text, change = index.data(), index.data(CHANGE_ROLE)
        # The style paints ground and selection, but without the text, which is painted in two parts below.
        plain = QStyleOptionViewItem(option)
        self.initStyleOption(plain, index)
        plain.text = ""
        style = self._view.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, plain, p, self._view)
        picked = bool(option.state & QStyle.StateFlag.State_Selected)
        colour = QColor(self.theme.accent_text if picked else self.theme.text)
        # Room for the changes of the column: values line up whether they have a change or not.
        room = self._room(index)
        area = QRectF(option.rect).adjusted(_PAD, 0, -_PAD, 0)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        p.save()
        p.setFont(_bold(option.font) if index.data(BEST_ROLE) else option.font)
        p.setPen(colour)
        p.drawText(area.adjusted(0, 0, -room, 0), right, text)
        if change is not None:
            p.setFont(option.font)
            p.setPen(colour if picked else self._colour(change))
            p.drawText(area, right, change.text)
        p.restore()

    def _colour(self, change: MetricChange) -> QColor:
        if change.better is None:
            return QColor(self.theme.faint)
        return QColor(self.theme.good if change.better else self.theme.bad)

    def _room(self, index: QModelIndex | QPersistentModelIndex) -> int:
        """Pixels at the right of a column that its changes take."""
        return self.rooms[index.column()] if index.column() < len(self.rooms) else 0


class MetricsTable(QWidget):
    """Table of metrics (rows) by run (columns), with the change in % against a baseline run.

    The best value of a row is bold. The baseline is chosen in the box above or by a click
    on a run's heading. Ctrl+C copies what is selected, or else all, as tab-separated text
    with values in base units; with Shift as it is seen. `baseline_chosen` carries the id of the chosen run.
    """

    baseline_chosen = Signal(int)

    def __init__(self, theme: Theme = LIGHT, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = MetricsModel()
        self.view = QTableView(self)
        self.view.setAccessibleName("Metrics by run")
        self.baseline_box = ElidedBox(self)
        self.baseline_box.setAccessibleName("Baseline")
        self.key = ElidedLabel("", self)
        self.empty = QLabel(_EMPTY, self, alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self.folds = QToolButton(self)
        self.folds.setCheckable(True)
        self.folds.setToolTip("Show the metrics that have no value under any run")
        self.folds.toggled.connect(self._fold)
        self._results: Sequence[Result] = ()
        self._chosen: int | None = None  # the id of a run; the usual baseline where that is gone
        self._comparing = True
        self._cells = _Cells(theme, self.view)
        self._set_up_view()
        self._lay_out()
        self.baseline_box.activated.connect(lambda column: self.compare_with(column - 1))
        self.view.horizontalHeader().sectionClicked.connect(self.compare_with)
        self.set_theme(theme)

    def _set_up_view(self) -> None:
        view = self.view
        view.setModel(self.model)
        self.labels = ExplainedHeader(self._term_of, view)
        view.setVerticalHeader(self.labels)
        view.setItemDelegate(self._cells)
        dress_table(view)
        dress_header(view.horizontalHeader())
        labels = self.labels
        dress_header(labels)
        labels.setMinimumSectionSize(10)
        labels.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        labels.setDefaultSectionSize(QFontMetrics(view.font()).height() + 7)
        self.corner = CornerHeading("Metric", view)

    def _term_of(self, row: int) -> str | None:
        metric = self.model.metric(row)
        return term_of(metric.name) if metric is not None else None

    def _fold(self) -> None:
        """Hide the rows without any value, unless they are asked for, and the titles of nothing but these."""
        model, title = self.model, -1
        empty = [model.is_empty(row) for row in range(model.rowCount())]
        hidden = [is_empty and not self.folds.isChecked() for is_empty in empty]
        for row in range(model.rowCount()):
            if model.metric(row) is None:
                title = row
                hidden[title] = True
            elif not hidden[row]:
                hidden[title] = False
        for row, off in enumerate(hidden):
            self.view.setRowHidden(row, off)
        count = sum(empty)
        self.folds.setText(plural(count, "metric") + " not available for this log")
        self.folds.setVisible(count > 0)

    def _lay_out(self) -> None:
        above = QHBoxLayout()
        above.addWidget(QLabel("Baseline:", self))
        above.addWidget(self.baseline_box)
        above.addWidget(self.key, 1)
        above.addWidget(self.folds)
        above.setContentsMargins(6, 4, 6, 2)
        # The box is as wide as its longest run, or as twelve letters while there is none.
        self.baseline_box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.baseline_box.setMinimumContentsLength(12)
        self.baseline_box.setToolTip("The run that the others are compared with")
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
        self._cells.theme = theme
        self.empty.setStyleSheet(f"color: {theme.faint}")
        self.key.setStyleSheet(f"color: {theme.faint}")
        self.view.viewport().update()

    def set_results(self, results: Sequence[Result]) -> None:
        """Show these finished runs; the baseline stays while its run is there, else it is the usual one."""
        self._results = tuple(results)
        self.baseline_box.clear()
        self.baseline_box.addItems(["none", *(result.name for result in results)])
        self.model.set_results(results, None)
        self._stack.setCurrentIndex(1 if results else 0)
        self._fold()
        self._show_baseline()

    @property
    def baseline(self) -> int | None:
        """The id of the run that the others are compared with."""
        column = self.model.baseline
        return None if column is None else self._results[column].run_id

    def compare_with(self, column: int) -> None:
        """Compare with the run of that column; -1: with none."""
        self._comparing = column >= 0
        if self._comparing:
            self._chosen = self._results[column].run_id
        self._show_baseline()
        if self._comparing:
            self.baseline_chosen.emit(self._chosen)

    def choose_baseline(self, run_id: int | None) -> None:
        """Compare with this run, or the usual one; where the reader chose none here it stays none."""
        if run_id != self._chosen:
            self._chosen = run_id
            self._show_baseline()

    def _show_baseline(self) -> None:
        column = None
        if self._comparing and self._results:
            column = place_of_baseline(self._results, self._chosen)
        self.model.set_baseline(column)
        self.baseline_box.setCurrentIndex(0 if column is None else column + 1)
        compared = column is not None and len(self._results) > 1
        against = f"▲ better, ▼ worse than {self.baseline_box.currentText()} · " if compared else ""
        if compared and self.model.has_phases:
            against += "≈ inside what phases of slurmctld's loops change · "
        real = against_real([result.schedule.policy for result in self._results])
        is_real = "recorded: a real machine, the others are simulations · " if real else ""
        self.key.setText(f"{is_real}{against}bold: best of its row")
        self.key.setToolTip(tip(CALIBRATION if real else self.key.text()))
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Give each column room for its values in bold, its changes and its heading.

        Qt would ask for the size of each cell, which takes as long as a frame may, at each new result.
        """
        plain, bold = QFontMetrics(self.view.font()), QFontMetrics(_bold(self.view.font()))
        header, rows = self.view.horizontalHeader(), range(self.model.rowCount())
        self._cells.rooms = []
        for column in range(len(self._results)):
            changes = {change.text for row in rows if (change := self.model.change(row, column))}
            values = {text for row in rows if (text := self.model.text(row, column))}
            room = max((plain.horizontalAdvance(text) + 2 * _PAD for text in changes), default=0)
            width = max((bold.horizontalAdvance(text) for text in values), default=0) + room + 2 * _PAD + 5
            self._cells.rooms.append(room)
            header.resizeSection(column, max(width, header.sectionSizeHint(column)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy, and explain the row on which Enter is pressed."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
            event.accept()
        elif event.keyCombination() == AS_SHOWN:
            self.copy(exact=False)
            event.accept()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.view.currentIndex().isValid():
            self.labels.explain(self.view.currentIndex().row())
        else:
            super().keyPressEvent(event)

    def copy(self, exact: bool = True) -> None:
        """Put the selected rows and columns, or the whole table, on the clipboard, tab-separated.

        That is with `exact` values in base units, or as they are seen.
        """
        picked = self.view.selectionModel().selectedIndexes()
        cells = [index for index in picked if index.data(TITLE_ROLE) is None]
        rows = sorted({index.row() for index in cells}) or list(range(self.model.rowCount()))
        columns = sorted({index.column() for index in cells}) or list(range(self.model.columnCount()))
        self._put(rows, columns, exact)

    def copy_rows(self, rows: list[int], exact: bool = True) -> None:
        """Put these rows, under all runs, on the clipboard, tab-separated, as `copy` does."""
        self._put(rows, list(range(self.model.columnCount())), exact)

    def _put(self, rows: list[int], columns: list[int], exact: bool) -> None:
        lines = (self.model.export if exact else self.model.as_shown)(rows, columns)
        copy_cells(lines, exact=exact)


def _bold(font: QFont) -> QFont:
    bold = QFont(font)
    bold.setBold(True)
    return bold
