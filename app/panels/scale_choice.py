"""The choice of changes to the open trace: faster arrivals, wider jobs, smaller requests."""

from __future__ import annotations

from collections.abc import Callable, Collection

from PySide6.QtCore import QLocale
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from app.panels.dialogs import HighArea
from engine.errors import InputError
from engine.trace.scale import Scaling, parse_scale
from engine.trace.smaller_requests import REQUESTS

_ABOUT = (
    "Below 1, jobs arrive faster: the load is higher. A job twice as wide runs half as long. "
    "The mean job takes {:.2f} % of the machine.\n\n"
    "With a cap or smaller requests runtimes stay as they are, but a job left with fewer processors than it "
    "kept busy runs longer. The quality notes list such jobs, and those that overrun.\n\n"
    "All runs are simulated again; Undo takes it back."
)

_QUANTILES = (0.0, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0)
"""Of what a user's jobs used; 0: requests as they are."""


class ScaleDialog(QDialog):
    """Factors that are 1, a cap that is empty and requests as they are where the trace is as the log has it.

    `take` gets their spelling. `measured` names those of REQUESTS whose use the log records.
    """

    def __init__(
        self,
        scale: str,
        parallelism: float,
        measured: Collection[str],
        take: Callable[[str], object],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("What if: scale load, widths and requests")
        self._take = take
        self.theta = self._factor("Inter-arrival times")
        self.rho = self._factor("Job width")
        self.cap = QLineEdit(
            self, placeholderText="no cap; 12h, or 2d;debug:30m for the queue debug", clearButtonEnabled=True
        )
        self.cap.setAccessibleName("Walltimes at most")
        self.requests = QComboBox(self)
        self.requests.setAccessibleName("Requests")
        for quantile in _QUANTILES:
            words = f"{quantile:.0%} quantile of what the user's jobs used".replace("%", " %")
            self.requests.addItem(words if quantile else "as they are", quantile)
        self.of = {name: self._request(name, name in measured) for name in REQUESTS}
        self.requests.currentIndexChanged.connect(self._follow_quantile)
        about = QLabel(_ABOUT.format(100 * parallelism), self)
        about.setWordWrap(True)
        self.problem = QLabel("", self, wordWrap=True)
        box = QDialogButtonBox.StandardButton
        buttons = QDialogButtonBox(box.Ok | box.Cancel | box.Reset, self)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        buttons.button(box.Reset).clicked.connect(lambda: self._show(Scaling()))
        inside = QWidget(self)
        rows = QFormLayout(inside)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.addRow("Inter-arrival times ×", self.theta)
        rows.addRow("Job width ×", self.rho)
        rows.addRow("&Walltimes at most", self.cap)
        rows.addRow("Requests", self.requests)
        boxes = QHBoxLayout()
        for check_box in self.of.values():
            boxes.addWidget(check_box)
        boxes.addStretch(1)
        rows.addRow("Applies to", boxes)
        rows.addRow(about)
        rows.addRow(self.problem)
        area = HighArea(self)
        area.setWidget(inside)
        column = QVBoxLayout(self)
        column.addWidget(area, 1)
        column.addWidget(buttons)
        self._show(parse_scale(scale))

    @property
    def spelling(self) -> str:
        """The spelling for `parse_scale`, empty if nothing is changed."""
        chosen = tuple(name for name, box in self.of.items() if box.isChecked())
        quantile = self.requests.currentData() if chosen else 0.0
        parts = [Scaling(self.theta.value(), self.rho.value(), 0, quantile, (), chosen).spelling]
        cap = self.cap.text().strip()
        parts += [f"walltime_cap={cap}"] if cap else []
        return ",".join(filter(None, parts))

    def accept(self) -> None:
        """Hand it over, unless something is wrong with it."""
        try:
            spelling = parse_scale(self.spelling).spelling
        except InputError as error:
            self.problem.setText(str(error))
            self.cap.setFocus()
            return
        self._take(spelling)
        super().accept()

    def _factor(self, name: str) -> QDoubleSpinBox:
        box = QDoubleSpinBox(self)
        box.setLocale(QLocale.c())
        box.setDecimals(3)
        box.setRange(0.001, 1000)
        box.setSingleStep(0.05)
        box.setAccessibleName(name)
        return box

    def _request(self, name: str, measured: bool) -> QCheckBox:
        """Whether a request is cut; disabled where the log does not record what was used."""
        box = QCheckBox(REQUESTS[name].capitalize() if name != "ram" else REQUESTS[name], self)
        box.setToolTip("" if measured else "The log does not record how much of it jobs used")
        box.setProperty("measured", measured)
        return box

    def _follow_quantile(self) -> None:
        """Grey what is not cut anyway; it stays in place."""
        for box in self.of.values():
            box.setEnabled(bool(self.requests.currentData()) and box.property("measured"))

    def _show(self, scale: Scaling) -> None:
        self.theta.setValue(scale.theta)
        self.rho.setValue(scale.rho)
        self.cap.setText(scale.caps)
        if self.requests.findData(scale.rightsize) < 0:  # of a session, or of the command line
            self.requests.addItem(f"{scale.rightsize:g} quantile", scale.rightsize)
        self.requests.setCurrentIndex(self.requests.findData(scale.rightsize))
        for name, box in self.of.items():
            box.setChecked(name in scale.rightsized)
        self._follow_quantile()
