"""A page that compares two runs: the answer in words, over time, by user and by job."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QPoint, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent, QStandardItemModel
from PySide6.QtWidgets import (
    QComboBox,
    QLabel,
    QPushButton,
    QSplitter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from views.data.comparison import CHANGES_BY, TOO_FEW, ChangesBy, Comparison, RunPair, answer, compare
from views.data.other_run import OtherRun
from views.data.results import Result
from views.data.start_changes import Points, StartChanges
from views.difference.changes import ChangesTable
from views.difference.heatmap import DifferenceHeatmap
from views.difference.histogram import TITLE as CHANGES
from views.difference.histogram import change_plot
from views.difference.job_plot import JobPlot
from views.difference.scatter import TITLE as WAITS
from views.difference.scatter import wait_plot
from views.gantt.chart import GanttChart
from views.state.context import ViewContext
from views.state.filter import NO_MATCH
from views.state.spot import Spot
from views.tables.groups import names_accounts
from views.text.tooltips import tip
from views.theme.swatch import swatch
from views.theme.theme import Theme
from views.timechart.chart import TimeChart
from views.widgets.elided_box import ElidedBox
from views.widgets.page_stack import PageStack
from views.widgets.wrapped_row import WrappedRow
from views.work.async_memo import AsyncMemo

_WIDEST = 320
"""Pixels of a box with the name of a run."""

_EMPTY = (
    "This page compares two finished runs: which jobs start earlier or later, by how much, and whose they "
    "are.\n"
)
_TO_ADD = ("There is no run yet: add two.", "There is one run so far: add another.")

_WORKING, _STALE = "Computing the difference…", "The last comparison: the chosen runs are being compared"


@dataclass(frozen=True, eq=False)
class _Worked:
    """A comparison and what its charts draw from, worked out in a thread."""

    comparison: Comparison
    points: Points
    moves: StartChanges


class _Plots(QSplitter):
    """Parts side by side, or below each other where there is too little width for that."""

    @property
    def _least(self) -> list[QSize]:
        parts = [self.widget(k) for k in range(self.count())]
        return [part.minimumSizeHint().expandedTo(part.minimumSize()) for part in parts if part is not None]

    def minimumSizeHint(self) -> QSize:
        least = self._least
        across = self.orientation() == Qt.Orientation.Horizontal
        heights = [size.height() for size in least]
        tall = max(heights, default=0) if across else sum(heights) + self.handleWidth() * len(heights)
        return QSize(max((size.width() for size in least), default=0), tall)

    def resizeEvent(self, event: QResizeEvent) -> None:
        # Decided before Qt lays the parts out, which then takes the new direction at once.
        wide = sum(size.width() + self.handleWidth() for size in self._least)
        across, down = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        self.setOrientation(across if wide <= self.width() else down)
        super().resizeEvent(event)


class DifferencePage(QWidget):
    """A page that compares a second run with a first run; boxes at the top choose the runs.

    Nothing is computed while the page is hidden. `add_wanted`: the reader wants to add a run.
    """

    add_wanted = Signal()
    context_requested = Signal(QPoint, Spot)
    pair_chosen = Signal(int, int)  # ids of the runs that somebody chose
    grouping_chosen = Signal(str)  # by which somebody wants to see who won

    def __init__(self, context: ViewContext, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._idle_queue, self._filter = context.idle_queue, context.filter
        self._results: dict[int, Result] = {}
        self._wanted: tuple[int, int] | None = None  # runs that are not finished yet
        self._by_hand = False  # whether somebody chose the runs
        self._pair: tuple[int, int] | None = None  # as chosen last
        self._shown: tuple[Result, Result] | None = None
        self._memo: AsyncMemo[_Worked] = AsyncMemo(context.executor, "Difference of two runs", self)
        self._memo.ready.connect(self._show)
        self.first, self.second = (
            self._choice("The run to compare with"),
            self._choice("The run that is compared"),
        )
        self.swap = QToolButton(self)
        self.swap.setText("⇄")
        self.swap.setToolTip("Swap the two runs")
        self.swap.setAccessibleName("Swap the two runs")
        self.swap.clicked.connect(self._swap)
        self.answer = QLabel(TOO_FEW, self, wordWrap=True)
        self.answer.setTextFormat(Qt.TextFormat.PlainText)
        self.answer.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.gantt = GanttChart(context, theme, self)
        self.heatmap = DifferenceHeatmap(context, theme, self)
        self.groups = ChangesTable(context, theme, self)
        self.grouping = QComboBox(self)
        for by, title in CHANGES_BY.items():
            self.grouping.addItem(f"By {title[0].lower()}{title[1:]}", by)
        self.grouping.setToolTip("How to group the hours of waiting won and lost")
        self.grouping.setAccessibleName("Won and lost by")
        self.grouping.activated.connect(lambda _: self.grouping_chosen.emit(self.grouping.currentData()))
        self.scatter = JobPlot(context, theme, WAITS, self)
        self.histogram = JobPlot(context, theme, CHANGES, self)
        self.gantt.set_colours("change")
        for chart in self.charts:
            chart.context_requested.connect(self.context_requested)
            chart.set_message(TOO_FEW)
        self.gantt.show_axis(False)
        self.empty = QLabel(_EMPTY + _TO_ADD[0], self, alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self.add = QPushButton("Add a run…", self)
        self.add.setToolTip("Simulate the trace under another policy (Ctrl+N)")
        self.add.clicked.connect(self.add_wanted)
        self.empty.setStyleSheet(f"color: {theme.faint}")
        self._lay_out()

    @property
    def charts(self) -> tuple[TimeChart, ...]:
        """The charts over time, from top to bottom."""
        return self.gantt, self.heatmap

    @property
    def chosen(self) -> RunPair | None:
        """The first and the second run, if there are two."""
        first, second = (self._results.get(box.currentData()) for box in (self.first, self.second))
        return None if first is None or second is None else RunPair(first, second)

    @property
    def run_ids(self) -> tuple[int, int] | None:
        """The ids of the chosen runs: the first, and the run compared with it."""
        first, second = self.first.currentData(), self.second.currentData()
        return None if first is None or second is None else (first, second)

    def set_run_count(self, count: int) -> None:
        """Say what to do where the study has fewer than two runs, simulated or not."""
        self._stack.setCurrentIndex(0 if count < 2 else 1)
        if count < 2:
            self.empty.setText(_EMPTY + _TO_ADD[count])

    def choose(self, first: int, second: int) -> None:
        """Compare these runs, as soon as both are finished."""
        self._wanted, self._by_hand = (first, second), True
        self.set_results(list(self._results.values()))

    def set_results(self, results: Sequence[Result]) -> None:
        """Offer these finished runs. Until the user chooses, the last two are compared, in the order of
        finishing; afterwards the chosen runs stay chosen while they exist.
        """
        self._results = {result.run_id: result for result in results}
        self._by_hand &= bool(results) or self._wanted is not None  # for another trace nothing was chosen yet
        known = [self.first.currentData(), self.second.currentData()] if self._by_hand else [None, None]
        # The chosen pair is compared once both of its runs are finished; until then others may be.
        if self._wanted is not None and set(self._wanted) <= self._results.keys():
            known, self._wanted = [*self._wanted], None
        ids = list(self._results)
        chosen = [run_id if run_id in self._results else None for run_id in known]
        # The second run first: without a choice it gets the newest run, and the first run that before.
        for index in (1, 0):
            if chosen[index] is None:
                free = [run_id for run_id in ids if run_id not in chosen]
                chosen[index] = free[-1] if free else None
        for box, run_id in zip((self.first, self.second), chosen, strict=True):
            # The boxes are filled anew at each run that ends; nobody has chosen anything by that.
            with QSignalBlocker(box):
                box.clear()
                for result in results:
                    box.addItem(swatch(result.colour), result.name, result.run_id)
                box.setCurrentIndex(ids.index(run_id) if run_id is not None else -1)
        self._offer_accounts()
        self._request()

    def _offer_accounts(self) -> None:
        """Grey the accounts where the log names none."""
        # All results are of the same log: the first tells.
        named = any(names_accounts(result.schedule.trace) for result in [*self._results.values()][:1])
        items = self.grouping.model()
        assert isinstance(items, QStandardItemModel)
        item = items.item(self.grouping.findData("account"))
        item.setEnabled(named)
        item.setToolTip("" if named else "The log names no accounts.")

    def set_grouping(self, by: ChangesBy) -> None:
        """Tell who won and lost by user, account, queue, size class, hour or weekday."""
        # Only `activated` is heard, which Qt sends for a person alone: nothing goes round.
        self.grouping.setCurrentIndex(self.grouping.findData(by))
        self.groups.set_grouping(by)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self.empty.setStyleSheet(f"color: {theme.faint}")
        for chart in self.charts:
            chart.set_theme(theme)
        for plot in (self.scatter, self.histogram):
            plot.set_theme(theme)
        self.groups.set_theme(theme)

    def showEvent(self, event: QShowEvent) -> None:
        """Compute what was postponed while the page was hidden."""
        super().showEvent(event)
        self._request()

    def _choice(self, text: str) -> ElidedBox:
        box = ElidedBox(self)
        box.setToolTip(text)
        box.setAccessibleName(text)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        box.setMaximumWidth(_WIDEST)
        box.currentIndexChanged.connect(self._choose_by_hand)
        return box

    def _lay_out(self) -> None:
        head = WrappedRow(self)
        head.setContentsMargins(8, 4, 8, 0)
        head.add(self.second, QLabel("against", self), self.first, self.swap)
        self.answer.setContentsMargins(8, 2, 8, 2)
        # Above: charts that share a clock, without space between them, so that times line up.
        over_time = QWidget(self)
        column = QVBoxLayout(over_time)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.gantt, 5)
        column.addWidget(self.heatmap, 4)
        # Below: groups beside plots of single jobs.
        by_group = QWidget(self)
        rows = QVBoxLayout(by_group)
        rows.setContentsMargins(4, 0, 0, 0)
        rows.setSpacing(2)
        rows.addWidget(self.grouping, 0, Qt.AlignmentFlag.AlignLeft)
        rows.addWidget(self.groups, 1)
        by_job = _Plots(Qt.Orientation.Horizontal, self)
        for index, (chart, share) in enumerate(((by_group, 4), (self.scatter, 3), (self.histogram, 3))):
            by_job.addWidget(chart)
            by_job.setStretchFactor(index, share)
        self.splitter = QSplitter(Qt.Orientation.Vertical, self)
        self.splitter.addWidget(over_time)
        self.splitter.addWidget(by_job)
        for splitter, sizes in ((self.splitter, [600, 400]), (by_job, [400, 300, 300])):
            splitter.setChildrenCollapsible(False)
            splitter.setSizes(sizes)
        # Without a pair of runs there is only a hint in the middle, and a button to add a run.
        lead, compared = QWidget(self), QWidget(self)
        middle = QVBoxLayout(lead)
        middle.addStretch(1)
        middle.addWidget(self.empty)
        middle.addWidget(self.add, 0, Qt.AlignmentFlag.AlignHCenter)
        middle.addStretch(1)
        self._stack = PageStack(self, lead, compared)
        self._stack.setCurrentIndex(1)
        whole = QVBoxLayout(compared)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(2)
        whole.addWidget(head)
        whole.addWidget(self.answer)
        whole.addWidget(self.splitter, 1)

    def _choose_by_hand(self) -> None:
        """Compare the chosen runs. If both boxes name the same run, the two runs are swapped."""
        ids, before = self.run_ids, self._pair
        # The box that was not touched gets the run that the other had before.
        if ids is not None and before is not None and ids[0] == ids[1]:
            for box, run_id in zip((self.second, self.first), before, strict=True):
                with QSignalBlocker(box):
                    box.setCurrentIndex(box.findData(run_id))
        self._by_hand = True
        self._request()
        if (ids := self.run_ids) is not None:
            self.pair_chosen.emit(*ids)

    def _swap(self) -> None:
        first, second = self.first.currentIndex(), self.second.currentIndex()
        # Only one of the two boxes reports the swap, when both have their new runs.
        with QSignalBlocker(self.first):
            self.first.setCurrentIndex(second)
        self.second.setCurrentIndex(first)

    def _request(self) -> None:
        """Have the difference of the chosen runs worked out, if anybody sees it."""
        self._pair = self.run_ids
        for box in (self.first, self.second):
            box.setToolTip(tip(box.currentText()))
        pair = self.chosen
        if pair is None:
            self._clear(TOO_FEW)
        elif not self.isVisible():
            # Hidden: what is outdated is taken away, and worked out when the page is shown.
            if self._shown is not None and pair != self._shown:
                self._clear(_WORKING)  # when somebody looks
        else:

            def work() -> _Worked:
                comparison = compare(*pair)
                return _Worked(comparison, Points.of(comparison), StartChanges.of(comparison))

            # The charts of another pair stay as they are, with a note, until the new charts can replace them.
            if self._shown is not None and _ids(pair) != _ids(self._shown):
                self._show_stale()
            self._memo.request(pair, work)
            if self._memo.key == pair:  # it was there already
                self._show()

    def _show_stale(self) -> None:
        """Mark the content as outdated until the chosen runs are compared."""
        self.answer.setText(_WORKING)
        for chart in self.charts:
            chart.set_note(_STALE)

    def _clear(self, message: str) -> None:
        """Show nothing, and keep nothing of the runs that were shown."""
        self._shown = None
        self._memo.forget()
        self.answer.setText(message)
        self.gantt.set_data(None)
        self.gantt.set_title("Starts")
        self.heatmap.set_comparison(None)
        self.groups.set_comparison(None)
        self.scatter.set_comparison(None)
        self.histogram.set_comparison(None)
        for chart in self.charts:
            chart.set_note("")
            chart.set_message(message)

    def _show(self) -> None:
        """Hand what was worked out to the charts, once; the runs before stay until then."""
        worked = self._memo.value
        if worked is None:
            return
        comparison = worked.comparison
        pair = comparison.first, comparison.second
        # Another pair was chosen while this pair was worked out.
        if pair != self.chosen:
            return
        if pair == self._shown:
            if self.gantt.note:  # others were chosen for a while
                self._update_text(comparison)
                self.heatmap.set_note("")
            return
        self._shown = pair
        first, second = pair
        self._update_text(comparison)
        self.gantt.set_data(second.schedule, second.boxes)
        self.gantt.set_others((OtherRun(comparison.difference.first, first.name, first.colour),))
        self.gantt.set_title(f"Starts against {first.name}", second.colour)
        # The Gantt chart is shown at once. The other charts follow, each when the window is idle, so that it
        # stays responsive.
        shows: dict[QWidget, Callable[[], None]] = {
            self.heatmap: partial(self._show_heatmap, comparison),
            self.groups: partial(self.groups.set_comparison, comparison),
            self.scatter: partial(
                self.scatter.set_comparison, comparison, partial(wait_plot, comparison, worked.points)
            ),
            self.histogram: partial(
                self.histogram.set_comparison, comparison, partial(change_plot, worked.moves)
            ),
        }
        for part, show in shows.items():
            self._idle_queue.add(("show", part), partial(self._show_part, pair, show))

    def _update_text(self, comparison: Comparison) -> None:
        """The answer of the chosen runs."""
        hidden = not comparison.count and self._filter.value.hides
        self.answer.setText(f"{NO_MATCH}." if hidden else answer(comparison))
        self.gantt.set_note(NO_MATCH if hidden else "")

    def _show_heatmap(self, comparison: Comparison) -> None:
        self.heatmap.set_note("")
        self.heatmap.set_comparison(comparison)

    def _show_part(self, pair: tuple[Result, Result], show: Callable[[], None]) -> None:
        """Show a part in its turn, unless other runs are chosen by then."""
        if pair == self._shown:
            show()


def _ids(pair: tuple[Result, Result]) -> tuple[int, int]:
    return pair[0].run_id, pair[1].run_id
