"""The page of sweeps: the policy and its two keys, the progress, and the surface."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from engine.errors import InputError
from engine.metrics.catalog import METRICS
from engine.metrics.metric import Metric
from engine.metrics.needs import needs_of
from engine.policy.keys import KEY
from engine.policy.phrases import key_title
from engine.policy.policy import parse_policy
from engine.sweep.grid import NUMERIC_KEYS, make_grid
from views.data.sweep_cells import SweepCells, SweepResults
from views.sweep.grid import SweepGrid
from views.sweep.heading import GridHeading
from views.text.counts import format_seconds
from views.text.tooltips import tip
from views.theme.theme import Theme
from views.widgets.awaited_work import read_spelled
from views.widgets.metric_choice import offer_further
from views.widgets.wrapped_row import WrappedRow
from views.work.executor import Executor

BASE = "metric"
DEFAULTS = (("bf", "0, 0.25, 0.5, 0.75, 1"), ("window", "1, 2, 3, 4, 5"))
"""The grid of Tang et al. 2013, figures 3 and 4."""

_EMPTY = "A sweep simulates every combination of two keys of a policy.\nChoose them above and press Sweep."
_LACKS = "This sweep did not compute this metric: press Sweep to compute it."
_THIN = 4  # pixels of the bar of progress

_FRAME = 16
"""Pixels that a line takes besides its text."""

_MEASURES = tuple(metric for metric in METRICS.values() if metric.better is not None)


class SweepPage(QWidget):
    """The page of sweeps. `sweep_wanted` carries a Grid and the shown metric, `run_wanted` the Policy of a
    cell.
    """

    sweep_wanted = Signal(object, str)
    cancel_wanted = Signal()
    run_wanted = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None, files: Executor | None = None) -> None:
        super().__init__(parent)
        self._theme, self._files = theme, files
        self.results: SweepResults | None = None
        self.base = QLineEdit(BASE, self)
        self.base.setToolTip("The policy whose keys are varied, as policies are spelled")
        self.base.setAccessibleName("Policy")
        self.base_label = QLabel("Policy:", self)
        self.base_label.setBuddy(self.base)
        self.keys = [
            self._key(name, what) for (name, _), what in zip(DEFAULTS, ("Rows", "Columns"), strict=True)
        ]
        self.values = [self._line(text) for _, text in DEFAULTS]
        self.go = QPushButton("Sweep", self)
        self.go.setToolTip("Simulate every combination on all cores of this machine")
        self.go.clicked.connect(self._go)
        self.measure = QComboBox(self)
        self.measure.setToolTip("The metric that the surface shows")
        self.measure.setAccessibleName("Metric of the surface")
        for metric in _MEASURES:
            self.measure.addItem(metric.label, metric.name)
        self.measure.setCurrentIndex(self.measure.findData("wait_mean"))
        self.measure.currentIndexChanged.connect(self._show)
        self._further: dict[str, Metric] = {}  # by name
        self.progress = QProgressBar(self, textVisible=False)
        self.progress.setFixedHeight(_THIN)
        keeps = self.progress.sizePolicy()
        keeps.setRetainSizeWhenHidden(True)  # the surface stays in place
        self.progress.setSizePolicy(keeps)
        self.progress.setMaximum(1000)
        self.progress.hide()
        self.message = QLabel("", self, wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.message.hide()
        self.surface = SweepGrid(theme, self)
        self.surface.chosen.connect(self._choose)
        self.heading = GridHeading(theme, self)
        self.empty = QLabel(_EMPTY, self, alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self._lay_out()
        self.set_theme(theme)
        self._show()

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self.message.setStyleSheet(f"color: {theme.bad}")
        self.empty.setStyleSheet(f"color: {theme.faint}")
        self.heading.set_theme(theme)
        self.surface.set_theme(theme)

    def offer_metrics(self, metrics: Sequence[Metric]) -> None:
        """Offer these metrics, too; what is chosen stays, if it is there."""
        self._further = {metric.name: metric for metric in metrics}
        offer_further(self.measure, len(_MEASURES), metrics, lambda metric: metric.label)

    def show_results(self, results: SweepResults) -> None:
        """Show the cells that have come."""
        self.results = results
        self._show()

    def show_progress(self, share: float, remaining: float | None = None) -> None:
        """Show how much of the sweep is done, 0 to 1, and say how many seconds are left."""
        self.go.setText("Cancel")
        self.progress.setValue(round(1000 * share))
        self.progress.setToolTip("" if remaining is None else f"{format_seconds(remaining)} left")
        self.progress.show()

    def end(self, why: str = "") -> None:
        """The sweep is over; `why` it did not get to its end."""
        self.go.setText("Sweep")
        self.progress.hide()
        self._say(why)

    def clear(self) -> None:
        """Nothing is known of another trace."""
        self.results = None
        self.end()
        self._show()

    @property
    def cells(self) -> SweepCells | None:
        """The known cells of the chosen metric; None before the first sweep."""
        name = self.measure.currentData()
        metric = METRICS.get(name) or self._further[name]
        return self.results.cells(metric) if self.results is not None else None

    @property
    def sweeping(self) -> bool:
        """True if a sweep is running."""
        return not self.progress.isHidden()

    def _go(self) -> None:
        if self.sweeping:
            self.cancel_wanted.emit()
            return
        try:
            rows, columns = (
                (key.currentData(), line.text()) for key, line in zip(self.keys, self.values, strict=True)
            )
            base = read_spelled(self._files, self.base.text(), parse_policy, self)
            grid = make_grid(base, rows, columns)
        except InputError as error:
            self._say(str(error))
            return
        self._say("")
        self.sweep_wanted.emit(grid, self.measure.currentData())

    def _choose(self, cell: int) -> None:
        if self.results is not None:
            self.run_wanted.emit(self.results.grid.policies[cell])

    def _show(self) -> None:
        cells = self.cells
        self.surface.show_cells(cells)
        self.heading.show_cells(cells)
        for part in (self.surface, self.heading):
            part.setVisible(cells is not None)
        self.empty.setVisible(cells is None)
        if cells is not None and not self.sweeping:
            name = cells.metric.name
            lacks = not any(value is not None for value in cells.values.values()) and cells.summaries
            asked = name in self._further or any(needs_of((name,)).values())
            self._say(_LACKS if lacks and asked else "")

    def _say(self, text: str) -> None:
        self.message.setText(text)
        self.message.setVisible(bool(text))

    def _key(self, name: str, what: str) -> QComboBox:
        box = QComboBox(self)
        box.setAccessibleName(f"{what}: key")
        for key in NUMERIC_KEYS:
            box.addItem(f"{key_title(key)} ({key})", key)
            box.setItemData(box.count() - 1, tip(KEY[key].help), Qt.ItemDataRole.ToolTipRole)
        box.setCurrentIndex(box.findData(name))
        box.setToolTip(f"{what}: the key that is varied")
        return box

    def _line(self, text: str) -> QLineEdit:
        line = QLineEdit(text, self)
        line.setToolTip("Values of this key, separated by commas")
        line.setAccessibleName("Values")
        line.returnPressed.connect(self._go)
        line.setMinimumWidth(line.fontMetrics().horizontalAdvance(text) + _FRAME)
        return line

    def _lay_out(self) -> None:
        head = WrappedRow(self)
        head.setContentsMargins(8, 4, 8, 0)
        head.add(self.base_label, self.base, self.keys[0])
        head.add(self.values[0], stretched=True)
        head.add(QLabel("×", self), self.keys[1])
        head.add(self.values[1], stretched=True)
        head.add(self.go, self.measure)
        self.base.setMinimumWidth(60)
        # Long names of policies must not widen the window: boxes take a fixed width, and show all in their
        # list.
        for box, longest in zip((self.measure, *self.keys), (10, 24, 24), strict=True):
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(longest)
        self.message.setContentsMargins(8, 0, 8, 0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(head)
        column.addWidget(self.progress)
        column.addWidget(self.message)
        column.addWidget(self.heading)
        column.addWidget(self.surface, 1)
        column.addWidget(self.empty, 1)
