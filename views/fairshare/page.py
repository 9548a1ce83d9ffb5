"""The page of fairshare: usage factors, use against shares, and the filling of a user's share."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from views.data.fairshare import UserFilling, UserUse, filling_of, use_by, users_within, uses_of
from views.data.results import Result
from views.data.view_options import UseBy
from views.fairshare.filling_plot import FillingPlot
from views.fairshare.plots import use_plots, within_plot
from views.plotting.clock_plot import ClockPlot
from views.plotting.lines_plot import LinesPlot
from views.plotting.run_legend import RunLegend
from views.state.context import ViewContext
from views.state.spot import Spot
from views.text.ticks import axis_of
from views.text.tooltips import tip
from views.text.values import percent
from views.theme.theme import Theme
from views.widgets.elided_label import ElidedLabel
from views.work.async_memo import AsyncMemo

_EMPTY = (
    "This page compares what users used with their shares. It appears when the first run is finished "
    "and compared."
)
_NOT_JUDGED = "This run has no expected ends"
_ABOUT: dict[UseBy, str] = {
    "user": (
        "Selected users, or the heaviest. Bottom: how the first user's share fills; red jobs finish after "
        "their expected end."
    ),
    "account": (
        "Accounts of the selected users, or the heaviest; a share is the sum of those of the users. "
        "Bottom: users of the first account."
    ),
}

Known = tuple[list[UserUse], UserFilling | None, list[UserUse]]


class FairsharePage(QWidget):
    """Plots of a run on the window's clock. `run_chosen` carries its id, `by_chosen` whose use.

    Below the use of users is how a share fills, below that of accounts what the users of the first used.
    """

    context_requested = Signal(QPoint, Spot)
    run_chosen = Signal(int)
    by_chosen = Signal(str)

    def __init__(self, context: ViewContext, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._selection = context.selection
        self._results: Sequence[Result] = ()
        self._wanted: int | None = None  # the run that was chosen
        self.run = QComboBox(self)
        self.run.setToolTip(tip("The run whose use is shown"))
        self.run.setAccessibleName("Run")
        self.run.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.run.currentIndexChanged.connect(self._choose)
        self._by: UseBy = "user"
        self.by = QComboBox(self)
        for by in _ABOUT:
            self.by.addItem(f"By {by}", by)
        self.by.setToolTip(tip("Show the use of users, or of accounts, against their shares"))
        self.by.setAccessibleName("Use by")
        self.by.activated.connect(lambda _: self.by_chosen.emit(self.by.currentData()))
        self.about = ElidedLabel(_ABOUT["user"], self)
        self.legend = RunLegend(self)
        self.legend.setContentsMargins(8, 0, 8, 2)
        self.factors = LinesPlot(context, theme, "Usage factor, hours of the machine", _hours, self)
        self.parts = LinesPlot(context, theme, "Part of all use, % (dashed: the share)", _part, self)
        self.filling = FillingPlot(context, theme, self)
        self.within = LinesPlot(context, theme, "Users of an account", _part, self)
        self.legend_within = RunLegend(self)
        self.legend_within.setContentsMargins(8, 2, 8, 0)
        self._show_below("user")
        self._known: AsyncMemo[Known] = AsyncMemo(context.executor, "Fairshare", self)
        self._known.ready.connect(self._take)
        for chart in self.charts:
            chart.context_requested.connect(self.context_requested)
            chart.show_axis(chart in (self.filling, self.within))
        self._selection.changed.connect(self._show)
        self._lay_out()
        self.set_results(())

    @property
    def charts(self) -> tuple[ClockPlot, ...]:
        """The charts, from top to bottom."""
        return self.factors, self.parts, self.filling, self.within

    @property
    def result(self) -> Result | None:
        """The shown run: the chosen run, otherwise the first."""
        chosen = (result for result in self._results if result.run_id == self._wanted)
        return next(chosen, next(iter(self._results), None))

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        for chart in self.charts:
            chart.set_theme(theme)

    def set_results(self, results: Sequence[Result]) -> None:
        """Show a run of these finished runs."""
        self._results = results
        with QSignalBlocker(self.run):
            self.run.clear()
            for finished in results:
                self.run.addItem(finished.name, finished.run_id)
            if self.result is not None:
                self.run.setCurrentIndex(self.run.findData(self.result.run_id))
        self.run.setVisible(len(results) > 1)
        self.by.setVisible(
            any(use_by(result.schedule.trace, "account") == "account" for result in results[:1])
        )
        self._show()

    def choose_run(self, run_id: int | None) -> None:
        """Show this run; None: the first."""
        if run_id != self._wanted:
            self._wanted = run_id
            self.set_results(self._results)

    def choose_by(self, by: UseBy) -> None:
        """Show the use of users or of accounts."""
        self._by = by
        self.by.setCurrentIndex(self.by.findData(by))
        self._show()

    def _choose(self) -> None:
        self._wanted = self.run.currentData()
        self._show()
        self.run_chosen.emit(self._wanted)

    def _show(self) -> None:
        result = self.result
        if result is None:
            self._show_below("user")
            self.legend.set_results(())
            for plot in (self.factors, self.parts):
                plot.show_message(_EMPTY)
            self.filling.set_filling(None, None, _EMPTY)
            return
        # Taken now: the thread runs later, when the selection may have changed.
        users, by = tuple(sorted(self._selection.value.users)), use_by(result.schedule.trace, self._by)
        self.about.setText(_ABOUT[by])

        def work() -> Known:
            uses = uses_of(result.schedule, users, by)
            # Without a selected user nobody's share is filled. By accounts the lower half lists the users of
            # the selected account.
            if not uses or by == "account":
                return uses, None, users_within(result.schedule, uses[0].user) if uses else []
            return uses, filling_of(result, uses[0].user), []

        self._known.request((result.run_id, id(result), users, by), work)

    def _take(self) -> None:
        result, known = self.result, self._known.value
        if result is None or known is None:
            return
        uses, filling, within = known
        self.legend.set_results(uses)
        axis, by = axis_of(result.schedule.trace), use_by(result.schedule.trace, self._by)
        for chart, plot in zip((self.factors, self.parts), use_plots(result, uses), strict=True):
            chart.set_plot(plot, axis)
        self._show_below(by)
        self.legend_within.set_results(within)
        if by == "account" and uses:
            self.within.set_plot(within_plot(result, uses[0], within), axis)
        self.filling.set_filling(result, filling, "" if filling is not None else _NOT_JUDGED)

    def _show_below(self, by: UseBy) -> None:
        self.filling.setVisible(by == "user")
        self.within.setVisible(by == "account")
        self.legend_within.setVisible(by == "account")

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(8, 2, 8, 2)
        head.setSpacing(6)
        head.addWidget(self.run)
        head.addWidget(self.by)
        head.addWidget(self.about, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.legend)
        for chart in self.charts:
            chart.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
            if chart is self.within:
                column.addWidget(self.legend_within)
            column.addWidget(chart, 1)


def _hours(value: float) -> str:
    return f"{value:.3g} h"


def _part(value: float) -> str:
    return percent(value)
