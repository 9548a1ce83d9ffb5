"""The estimates that were fitted to a site's log: a tick each, with what it is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLabel, QScrollArea, QSizePolicy, QWidget

from views.text.counts import plural

if TYPE_CHECKING:
    from engine.metrics.fit import FittedSetting, SiteFit

_MOST_LINES = 6  # of text that are seen without scrolling


class Estimates(QScrollArea):
    """The list of estimates. `accepted` carries which of them a reader has ticked, in their order."""

    accepted = Signal(list)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, widgetResizable=True)
        self.setAccessibleName("What was fitted")
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.ticks: list[QCheckBox] = []
        self.evidence: list[QLabel] = []

    def show_fit(self, fit: SiteFit) -> None:
        """Show the estimates of a fit, and which of them are accepted."""
        evidence = [estimate.evidence for estimate in fit.estimates]
        if evidence != [label.toolTip() for label in self.evidence]:
            self._fill(fit.estimates)
        for tick, estimate in zip(self.ticks, fit.estimates, strict=True):
            with QSignalBlocker(tick):
                tick.setChecked(estimate.accepted)

    def _fill(self, estimates: tuple[FittedSetting, ...]) -> None:
        rows = QWidget(self)
        grid = QGridLayout(rows)
        grid.setContentsMargins(8, 0, 8, 0)
        grid.setVerticalSpacing(1)
        grid.setColumnStretch(1, 1)
        self.ticks, self.evidence = [], []
        for row, estimate in enumerate(estimates):
            tick = QCheckBox(_name(estimate), rows)
            # An estimate of zero changes nothing, so it cannot be ticked, and says why.
            tick.setEnabled(estimate.value > 0)
            why = "" if estimate.value > 0 else "The log gives no evidence for this estimate"
            tick.setToolTip(why or "If ticked, the site is simulated with this estimate")
            tick.toggled.connect(self._update_text)
            label = QLabel(f"{estimate.evidence[0].upper()}{estimate.evidence[1:]}", rows, wordWrap=True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setToolTip(estimate.evidence)
            grid.addWidget(tick, row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(label, row, 1)
            self.ticks.append(tick)
            self.evidence.append(label)
        grid.setRowStretch(len(estimates), 1)
        self.setWidget(rows)
        # The list is as high as its lines, up to a limit from which it scrolls.
        line = self.fontMetrics().lineSpacing() + 6
        self.setFixedHeight(min(len(estimates) + 1, _MOST_LINES) * line)

    def _update_text(self) -> None:
        self.accepted.emit([tick.isChecked() for tick in self.ticks])


def _name(estimate: FittedSetting) -> str:
    """The setting and its value, as in `Launch delay 3 s`."""
    if estimate.name == "away":
        return f"{plural(estimate.value, 'node')} away"
    return f"{estimate.name.capitalize()} delay {estimate.value} s"
