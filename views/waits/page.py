"""The page of what waits are made of: a table of groups beside the chart of their reasons."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from engine.metrics.waits import BY
from engine.trace import Trace
from views.data.measures import Over
from views.data.picks import select_units
from views.data.results import Result
from views.data.view_options import WaitsBy
from views.plot.lane_plot import AROUND, LANE
from views.plot.plot import Plot
from views.plotting.run_legend import RunLegend
from views.plotting.widget import PlotWidget
from views.state.context import ViewContext
from views.tables.content import Content
from views.tables.table import Table
from views.text.tooltips import tip
from views.theme.theme import Theme
from views.waits.groups import REASON_COLOURS, by_known, kinds_shown, run_waits
from views.waits.plots import ShareBars, sentences, waits_plot
from views.waits.table import waits_content
from views.widgets.elided_label import ElidedLabel
from views.widgets.page_stack import PageStack
from views.work.async_memo import AsyncMemo
from views.work.lazy import LazyValue

_EMPTY = (
    "This view shows what waits are made of: resources, priority, limits, reservations.\n"
    "It appears when the first run is finished and compared."
)
_SELECTED: dict[str, Over] = {"user": "user", "partition": "queue"}
"""What a click on a group selects; of other groups it selects the jobs."""

_TALLEST, _ANY = 2 * LANE, 16_777_215
"""Height of a lane with a bar at most, in pixels, for the bar belongs to the name above it; and Qt's most."""


@dataclass(frozen=True)
class ReasonSwatch:
    """An entry of the legend: a kind of reasons and its colour."""

    run_id: int
    name: str
    colour: str


@dataclass(frozen=True, eq=False)
class _WaitsSeen:
    """What is shown of some runs, worked out in a thread."""

    content: Content
    plot: Plot
    legend: Sequence[ReasonSwatch]
    words: str


class WaitsPage(QWidget):
    """The waits of groups under all runs, by reason. `by_chosen` carries how the reader groups the jobs.

    A click on a row, a bar or a column selects the group everywhere: its user, its queue, or its jobs.
    """

    by_chosen = Signal(str)

    def __init__(self, context: ViewContext, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._selection = context.selection
        self._trace: Trace | None = None
        self._results: Sequence[Result] = ()
        self._wanted: WaitsBy = "account"
        self._picking = False
        self.by = QComboBox(self)
        for by in BY:
            self.by.addItem(f"By {by}", by)
        self.by.setToolTip(tip("Part the waits of accounts, partitions, users, or weeks of submission"))
        self.by.setAccessibleName("Waits by")
        self.by.activated.connect(lambda _: self.by_chosen.emit(self.by.currentData()))
        self.about = ElidedLabel("", self)
        self.legend = RunLegend(self, plain=True)
        self.table = Table("group", context.executor, theme, _EMPTY, self)
        self.table.hidden = frozenset({"jobs"})
        self.chart = PlotWidget(context, theme, "What waits are made of", self)
        self.empty = QLabel(_EMPTY, self, alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self._key: Hashable = None  # of what is shown
        self._waits: LazyValue[_WaitsSeen] | None = None
        self._memo: AsyncMemo[_WaitsSeen] = AsyncMemo(context.executor, "Waits", self)
        self._memo.ready.connect(self._take)
        self.table.picked.connect(lambda items: self._select(items.tolist(), False))
        self.chart.picked.connect(self._select)
        self._selection.changed.connect(self._show_selection)
        self._lay_out()
        self.set_theme(theme)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(8, 2, 8, 2)
        head.setSpacing(6)
        head.addWidget(self.by)
        head.addWidget(self.about, 1)
        self.legend.setContentsMargins(8, 2, 8, 0)
        beside = QWidget(self)  # as high as the table, after which Tab comes to it
        right = QVBoxLayout(beside)
        right.setContentsMargins(0, 0, 0, 0)
        right.setSpacing(2)
        right.addWidget(self.legend)
        right.addWidget(self.chart, 1)
        right.addStretch()
        below = QHBoxLayout()
        below.setSpacing(4)
        below.addWidget(self.table, 1)
        below.addWidget(beside, 1)
        shown = QWidget(self)
        column = QVBoxLayout(shown)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addLayout(below, 1)
        self._stack = PageStack(self, self.empty, shown)

    @property
    def shown_by(self) -> str:
        """How jobs are grouped: as wanted, as far as the log can."""
        return by_known(self._trace, self._wanted) if self._trace is not None else self._wanted

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of another theme."""
        self.empty.setStyleSheet(f"color: {theme.faint}")
        self.table.set_theme(theme)
        self.chart.set_theme(theme)

    def set_results(self, trace: Trace | None, results: Sequence[Result]) -> None:
        """Show the waits of these finished runs of a trace."""
        self._trace, self._results = trace, results
        self._stack.setCurrentIndex(1 if trace is not None and results else 0)
        self._request()

    def choose_by(self, by: WaitsBy) -> None:
        """Group the jobs by this."""
        self._wanted = by
        self._request()

    def showEvent(self, event: QShowEvent) -> None:
        """Work out only what is seen: of a log of a million jobs it takes a second."""
        super().showEvent(event)
        self._work_out()

    def _request(self) -> None:
        """Show the groups; table and chart ask for them, in threads, when they are seen."""
        results, by = tuple(self._results), self.shown_by
        self.by.setCurrentIndex(self.by.findData(by))
        key = (by, tuple((result.run_id, id(result)) for result in results))
        if self._trace is None or not results or key == self._key:
            return
        # Worked out once for the table, the chart and the words above them, by whichever asks first.
        waits = LazyValue(partial(_waits_seen, results, by))
        self._key, self._waits = key, waits
        self.table.set_content(lambda: waits().content)
        self.chart.set_plot(lambda: waits().plot)
        self._work_out()

    def _work_out(self) -> None:
        """Have what stands around the table and the chart worked out, too."""
        if self._waits is not None and self.isVisible():
            self._memo.request(self._key, self._waits)

    def _take(self) -> None:
        waits = self._memo.value
        if waits is None:
            return
        # The table and the chart take theirs by themselves.
        self.about.setText(waits.words)
        self.legend.set_results(waits.legend)
        self.chart.setMaximumHeight(
            AROUND + _TALLEST * waits.plot.lane_count if isinstance(waits.plot, ShareBars) else _ANY
        )
        self._show_selection()

    def _select(self, codes: Sequence[int], more: bool) -> None:
        """Select these groups; `more`: besides what is selected."""
        if self._trace is None:
            return
        over, units = _SELECTED.get(self.shown_by, "job"), list(codes)
        if over == "job":
            units = np.flatnonzero(np.isin(BY[self.shown_by](self._trace).codes, codes)).tolist()
        # The selection of jobs that this makes is no reason to put out the rows.
        self._picking = True
        select_units(self._selection, self._trace, over, units, more)
        self._picking = False
        if over == "job":  # which jobs were selected does not tell whose they are
            self.table.show_items(np.array(sorted(codes), np.int64))

    def _show_selection(self) -> None:
        """Light up the rows of selected users or queues; other groups only while they are picked here."""
        over, value = _SELECTED.get(self.shown_by), self._selection.value
        if self._picking and over is None:
            return
        codes = {"user": value.users, "queue": value.queues}.get(over or "", frozenset())
        self.table.show_items(np.array(sorted(codes), np.int64))


def _waits_seen(results: Sequence[Result], by: str) -> _WaitsSeen:
    runs = run_waits(results, by)
    swatches = [
        ReasonSwatch(place, kind, REASON_COLOURS[kind]) for place, kind in enumerate(kinds_shown(runs))
    ]
    words = " ".join(sentences(runs)) if len(runs) > 1 else "".join(sentences(runs)).partition(": ")[2]
    return _WaitsSeen(waits_content(runs, by), waits_plot(runs, by), swatches, words)
