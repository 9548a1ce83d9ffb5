"""The base of the panels of distributions and of the scatter: choices in a row, charts, and picking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Generic, TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from engine.trace import Trace
from views.data.picks import click_hint, describe_selected, select_units, selected_units
from views.data.plot_choices import DistributionChoices, ScatterChoices
from views.data.results import Result
from views.plotting.widget import PlotWidget
from views.state.context import ViewContext
from views.theme.theme import Theme
from views.widgets.choosers import Choosers
from views.widgets.elided_label import ElidedLabel
from views.widgets.page_stack import PageStack

C = TypeVar("C", DistributionChoices, ScatterChoices)


class ChoicePanel(QWidget, Generic[C]):
    """Choosers over charts. A click on a dot selects its user, queue or jobs; the selection is marked.

    `chosen` carries the reader's choices. Subclasses implement `_show`, the layout for finished runs
    (`_stack_up`), and the description of what can be clicked.
    """

    chosen = Signal(object)

    def __init__(
        self,
        context: ViewContext,
        theme: Theme,
        choices: C,
        tips: Mapping[str, str],
        charts: Sequence[str],
        empty: str,
        parent: QWidget | None,
    ) -> None:
        super().__init__(parent)
        self._selection = context.selection
        self._choices: C = choices
        self._trace: Trace | None = None
        self._results: Sequence[Result] = ()
        self.choosers = Choosers(tips, self)
        self.choosers.chosen.connect(self._choose)
        self.charts = [PlotWidget(context, theme, name, self) for name in charts]
        self._log = QAction("Logarithmic axes", self, checkable=True)
        self._log.triggered.connect(lambda on: self._choose("axis", "log" if on else "linear"))
        self.marked = ElidedLabel("", self)
        self.marked.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)  # boxes go first
        self.marked.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.empty = QLabel(empty, self, alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        for chart in self.charts:
            chart.picked.connect(self._pick)
            chart.addAction(self._log)
        self._selection.changed.connect(self._mark)

    @property
    def choices(self) -> C:
        """The choices by which plots are shown."""
        return self._choices

    def set_choices(self, choices: C) -> None:
        """Show plots by these choices."""
        if choices != self._choices:
            self._choices = choices
            self._show()

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of another theme."""
        self.empty.setStyleSheet(f"color: {theme.faint}")
        for chart in self.charts:
            chart.set_theme(theme)

    def set_results(self, trace: Trace | None, results: Sequence[Result]) -> None:
        """Show these finished runs of a trace."""
        self._trace, self._results = trace, results
        self._offer_measures(trace)
        self._stack.setCurrentIndex(1 if results else 0)
        self._show()

    def _stack_up(self, shown: QWidget) -> None:
        """`shown` takes the place of the empty state when there are finished runs."""
        self._stack = PageStack(self, self.empty, shown)

    def _offer_measures(self, trace: Trace | None) -> None:
        """Offer in boxes what can be shown of a trace."""
        raise NotImplementedError

    def _show(self) -> None:
        """Show what is chosen."""
        raise NotImplementedError

    def _show_choices(self, *names: str) -> None:
        """Show in boxes and menus what is chosen."""
        for name in names:
            self.choosers.show_choice(name, getattr(self._choices, name))
        self._log.setChecked(self._choices.axis == "log")

    def _allow_axis(self, allowed: bool) -> None:
        """Enable the choice of axes, or not."""
        self.choosers.boxes["axis"].setEnabled(allowed)
        self._log.setEnabled(allowed)

    @property
    def _clickable(self) -> str:
        """The description of what can be clicked in the charts; empty if nothing."""
        return "dot"

    def _choose(self, name: str, value: Any) -> None:
        self.set_choices(replace(self._choices, **{name: value}))
        self.chosen.emit(self._choices)

    def _pick(self, units: Sequence[int], toggle: bool) -> None:
        if self._trace is not None:
            select_units(self._selection, self._trace, self._choices.over, units, toggle)

    def _mark(self) -> None:
        """Show what is selected of what the charts are over."""
        over = self._choices.over
        units = selected_units(self._trace, over, self._selection.value)
        for chart in self.charts:
            chart.mark(units)
        hint = click_hint(self._clickable, over) if self._clickable else ""
        self.marked.setText(describe_selected(self._trace, over, units) or hint)
