"""A plot of the jobs of two runs: clicks and drags select jobs, and the others are faded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from engine.arrays import Mask
from views.data.comparison import Comparison
from views.data.results import NO_JOBS
from views.plot.plot import EmptyPlot, Plot, PlotWords
from views.plotting.widget import PlotWidget
from views.state.context import ViewContext
from views.state.filter import Filter
from views.state.selection import Selection
from views.theme.theme import Theme

_EMPTY = "Nothing to compare yet"


class JobPlot(PlotWidget):
    """Shows the jobs of a comparison. Esc drops the rectangle that is being drawn, else the selection."""

    def __init__(self, context: ViewContext, theme: Theme, title: str, parent: QWidget | None = None) -> None:
        super().__init__(context, theme, title, parent, picks=True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(220, 150)
        self._selection, self._filter = context.selection, context.filter
        self._empty = EmptyPlot(words=PlotWords(title, message=_EMPTY))
        self._no_jobs = EmptyPlot(words=PlotWords(title, message=NO_JOBS))
        self._make: Callable[[Mask | None], Plot] | None = None
        self._bright: tuple[Selection, Filter] | None = None
        self.comparison: Comparison | None = None
        self.picked.connect(self._pick)
        self.missed.connect(self._miss)
        for model in (context.selection, context.filter):
            model.changed.connect(self._follow)
        self._refresh()

    def set_comparison(
        self, comparison: Comparison | None, make: Callable[[Mask | None], Plot] | None = None
    ) -> None:
        """Show a pair of runs in the plot that `make` returns for the jobs of the trace that are not faded.

        `make` is called in a thread, again whenever others are selected.
        """
        self.comparison, self._make = comparison, make
        self._refresh()

    def _follow(self) -> None:
        """Follow what is selected, and looked at."""
        if self._looked_at() != self._bright:
            self._refresh()

    def _looked_at(self) -> tuple[Selection, Filter]:
        return self._selection.value.without_time, self._filter.value

    def _refresh(self) -> None:
        self._bright = self._looked_at()
        comparison, make = self.comparison, self._make
        if comparison is None or make is None:
            self.set_plot(lambda: self._empty)
        elif not comparison.count:
            self.set_plot(lambda: self._no_jobs)
        else:
            bright = partial(bright_jobs, comparison, *self._bright)
            self.set_plot(lambda: make(bright()))

    def _pick(self, jobs: Sequence[int], more: bool) -> None:
        if self.comparison is not None:
            kept = self._selection.value.jobs if more else frozenset()
            self._selection.select_jobs(self.comparison.trace, kept | frozenset(jobs))

    def _miss(self, more: bool) -> None:
        if self.comparison is not None and not more:
            self._selection.clear()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc drops the rectangle, else the selection."""
        if event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
        elif not self.drop_drag():
            if self._selection.value.empty:
                event.ignore()  # the window has something else to leave
            self._selection.clear()


def bright_jobs(comparison: Comparison, selection: Selection, shown: Filter) -> Mask | None:
    """The jobs of the trace that are selected and match the filter, shape (n,); None: no job is faded."""
    picked, dimmed = selection.mask(comparison.trace), shown.dimmed
    if dimmed is None:
        return picked
    matching = dimmed.mask(comparison.jobs)
    return matching if picked is None else picked & matching
