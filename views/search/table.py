"""The table of a search: the front and the baseline, each metric on both spans."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem, QWidget

from views.data.search_results import SearchResults, spell, title
from views.text.tooltips import as_tip

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter

_WIDEST = 230  # pixels of a policy at first


class FrontTable(QTableWidget):
    """A row a policy that was judged, the baseline last."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName("Policies that were judged")
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 8)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)

    def show_results(self, results: SearchResults) -> None:
        """Show the policies that were judged, and choose the best."""
        metrics = results.question.metrics
        heads = [f"{title(name)}\n{span}" for name in metrics for span in ("searched", "judged")]
        self.clear()
        self.setColumnCount(len(heads) + 2)
        self.setHorizontalHeaderLabels(["Policy", *heads, ""])
        self.setRowCount(len(results.judged))
        last = len(results.judged) - 1
        for row, one in enumerate(results.judged):
            cells = [spell(name, of[name]) for name in metrics for of in (one.trial.values, one.values)]
            note = "baseline" if row == last else "" if one.kept else "breaks a bound when judged"
            for column, text in enumerate([one.trial.policy.spelling, *cells, note]):
                item = QTableWidgetItem(text)
                item.setToolTip(as_tip(text))
                if 0 < column <= len(cells):
                    item.setTextAlignment(_RIGHT)
                self.setItem(row, column, item)
        self.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
        self.setColumnWidth(0, min(self.sizeHintForColumn(0), _WIDEST))
        if results.judged:
            self.setCurrentCell(0, 0)
