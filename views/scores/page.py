"""Scores of all runs: the radar, and the gains over a baseline by weights that the reader may change."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSlider,
    QVBoxLayout,
    QWidget,
)

from views.data.metric_scores import OWN_WEIGHTS, MetricScores
from views.data.results import Result, place_of_baseline
from views.plotting.run_legend import RunLegend
from views.plotting.widget import PlotWidget
from views.scores.gains import gains_plot, unfinished_plot
from views.scores.radar import radar_plot
from views.state.context import ViewContext
from views.text.tooltips import tip
from views.theme.swatch import swatch
from views.theme.theme import Theme
from views.widgets.elided_box import ElidedBox
from views.widgets.explanation import ExplainedLabel
from views.widgets.wrapped_row import WrappedRow

_WIDEST = 200
"""Pixels of the box with the name of the baseline."""

_APART = 8  # pixels
_SMALLEST = (200, 130)
"""Pixels of a chart."""

_INSTEAD = "Unfair jobs need fair start times; bounded slowdown is shown instead."


class ScoresPage(QWidget):
    """The radar and the gains of all runs.

    `weights_changed` carries the reader's three weights, `baseline_chosen` the id of the chosen run;
    `fair_starts_wanted` requests fair starts.
    """

    weights_changed = Signal(list)
    baseline_chosen = Signal(int)
    fair_starts_wanted = Signal()

    def __init__(self, context: ViewContext, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scores = MetricScores.of(())
        self._count = 0  # of the study's runs, finished or not
        self._chosen: tuple[int | None, ...] = ()  # ids of baselines, the first that is there counts
        self.radar = PlotWidget(context, theme, "Scores", self)
        self.bars = PlotWidget(context, theme, "Relative gains", self)
        for chart in (self.radar, self.bars):
            chart.setMinimumSize(*_SMALLEST)
        self.legend = RunLegend(self, clickable=True)
        self.legend.changed.connect(self._choose_runs)
        self.baseline = ElidedBox(self)
        self.baseline.setToolTip("The run that the others are compared with")
        self.baseline.setAccessibleName("Baseline")
        self.baseline.setMaximumWidth(_WIDEST)
        self.baseline.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.baseline.activated.connect(self._choose)
        self._compared = QLabel("Baseline:", self)
        self.work_out = QPushButton("Compute fair start times (slow)", self)
        self.work_out.setToolTip(tip(f"{_INSTEAD}\nAll runs are simulated again."))
        self.work_out.clicked.connect(self._want_fair_starts)
        self.names = [QLabel("", self) for _ in OWN_WEIGHTS]
        self.shares = [QLabel("", self) for _ in OWN_WEIGHTS]
        self.sliders = [self._slider(weight) for weight in OWN_WEIGHTS]
        self._lay_out()
        self.set_results(())

    @property
    def weights(self) -> list[int]:
        """The reader's weights, 0 to 100 each."""
        return [slider.value() for slider in self.sliders]

    @property
    def baseline_index(self) -> int:
        """The index of the baseline among the runs."""
        return place_of_baseline(self._scores.results, *self._chosen)

    def set_weights(self, weights: Sequence[int]) -> None:
        """Put the sliders where they were left."""
        for slider, weight in zip(self.sliders, weights, strict=True):
            with QSignalBlocker(slider):
                slider.setValue(weight)
        self._show()

    def set_results(self, results: Sequence[Result]) -> None:
        """Show these finished runs; the baseline stays while its run is there."""
        self._scores = MetricScores.of(results)
        self.legend.set_results(results)
        self.baseline.clear()
        for result in results:
            self.baseline.addItem(swatch(result.colour), result.name)
        self.baseline.setCurrentIndex(self.baseline_index if results else -1)
        self.work_out.setVisible(bool(results) and not self._scores.knows_unfair)
        self.work_out.setEnabled(True)
        self._place_legend()
        for label, name in zip(self.names, self._scores.weighed, strict=True):
            label.setText(name)
        self._show()

    def set_run_count(self, count: int) -> None:
        """Say what is missing where fewer than two runs are finished; `count` is of all runs of the study."""
        if count != self._count:
            self._count = count
            self._show()

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self.radar.set_theme(theme)
        self.bars.set_theme(theme)

    def choose_baseline(self, *chosen: int | None) -> None:
        """Compare with the first of these runs that is there, else with the usual one."""
        if chosen != self._chosen:
            self._chosen = chosen
            self.baseline.setCurrentIndex(self.baseline_index if self._scores.results else -1)
            self._show()

    def _choose(self, index: int) -> None:
        run_id = self._scores.results[index].run_id
        self.choose_baseline(run_id)
        self.baseline_chosen.emit(run_id)

    def _want_fair_starts(self) -> None:
        self.work_out.setEnabled(False)
        self.fair_starts_wanted.emit()

    def _take_weights(self) -> None:
        self._show()
        self.weights_changed.emit(self.weights)

    def _show(self) -> None:
        total = sum(self.weights)
        for label, weight in zip(self.shares, self.weights, strict=True):
            label.setText(f"{100 * weight / total if total else 100 / 3:.0f} %")
        scores, baseline, hidden = self._scores, self.baseline_index, self.legend.hidden
        gains = scores.gains(baseline, self.weights) if scores.results else {}
        self.radar.set_plot(lambda: radar_plot(scores, hidden))
        untold = scores.untold(baseline) if scores.results else ""
        if len(scores.results) < 2:
            self.bars.set_plot(partial(unfinished_plot, len(scores.results), self._count))
            return
        self.bars.set_plot(lambda: gains_plot(scores.results, baseline, gains, hidden, untold=untold))

    def _choose_runs(self) -> None:
        """Follow the runs that are picked or hidden."""
        for chart in (self.radar, self.bars):
            chart.pick_runs(self.legend.picked)
        self._show()

    def _slider(self, weight: int) -> QSlider:
        slider = QSlider(Qt.Orientation.Horizontal, self)
        slider.setRange(0, 100)
        slider.setValue(weight)
        slider.setMinimumWidth(30)
        slider.setMaximumWidth(120)
        slider.setToolTip("How much this metric counts in the bars named “yours”")
        slider.valueChanged.connect(self._take_weights)
        return slider

    def _place_legend(self) -> None:
        """Name the runs between the baseline and the button, or below them where that is more than a line."""
        beside = [self._compared, self.baseline] + ([] if self.work_out.isHidden() else [self.work_out])
        wide = sum(part.sizeHint().width() for part in beside) + self.legend.line_width
        below = wide + (len(beside) + 2) * _APART > self.width()
        self._head.removeWidget(self.legend)
        self._head.addWidget(self.legend, *((1, 0, 1, 4) if below else (0, 2, 1, 1)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_legend()

    def _lay_out(self) -> None:
        head = self._head = QGridLayout()
        head.setContentsMargins(8, 4, 8, 0)
        head.setHorizontalSpacing(_APART)
        head.addWidget(self._compared, 0, 0)
        head.addWidget(self.baseline, 0, 1)
        head.addWidget(self.work_out, 0, 3)
        head.setColumnStretch(2, 1)
        self._place_legend()
        row = WrappedRow(self, _APART)
        row.setContentsMargins(8, 0, 8, 4)
        row.add(ExplainedLabel("Your weights:", "gain", self))
        parts = zip(self.names, self.sliders, self.shares, strict=True)
        for number, (name, slider, share) in enumerate(parts, 1):
            slider.setAccessibleName(f"Weight {number}")
            share.setMinimumWidth(self.fontMetrics().horizontalAdvance("100 %"))
            weight = QWidget(row)  # which stays together where the row goes on in another line
            together = QHBoxLayout(weight)
            together.setContentsMargins(0, 0, 0, 0)
            together.setSpacing(_APART)
            for part in (name, slider, share):
                together.addWidget(part)
            row.add(weight)
        charts = QHBoxLayout()
        charts.setSpacing(0)
        charts.addWidget(self.radar, 2)
        charts.addWidget(self.bars, 3)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addLayout(charts, 1)
        column.addWidget(row)
