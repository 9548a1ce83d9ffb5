"""Under which load, and how parallel, the jobs of the open trace are looked at: asked for."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QDoubleSpinBox, QFormLayout, QLabel, QWidget

from engine.trace.scale import Scaling, parse_scale

_ABOUT = """Under 1, jobs arrive in less time: the load is higher. A job twice as wide runs half as long.
The mean job takes {:.2f} % of the machine. All runs are simulated again."""


class ScaleDialog(QDialog):
    """Two factors, both 1 where the trace is as the log has it; `take` gets them spelled."""

    def __init__(
        self, scale: str, parallelism: float, take: Callable[[str], object], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Scale the trace")
        self._take = take
        now = parse_scale(scale)
        self.theta = self._factor(now.theta, "Inter-arrival times")
        self.rho = self._factor(now.rho, "Job width")
        about = QLabel(_ABOUT.format(100 * parallelism), self)
        about.setWordWrap(True)
        box = QDialogButtonBox.StandardButton
        buttons = QDialogButtonBox(box.Ok | box.Cancel | box.Reset, self)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        buttons.button(box.Reset).clicked.connect(self._reset)
        rows = QFormLayout(self)
        rows.addRow("Inter-arrival times ×", self.theta)
        rows.addRow("Job width ×", self.rho)
        rows.addRow(about)
        rows.addRow(buttons)

    @property
    def spelling(self) -> str:
        """What `parse_scale` reads, empty where nothing is changed."""
        return Scaling(self.theta.value(), self.rho.value()).spelling

    def accept(self) -> None:
        """Hand the factors over."""
        self._take(self.spelling)
        super().accept()

    def _factor(self, value: float, name: str) -> QDoubleSpinBox:
        box = QDoubleSpinBox(self)
        box.setLocale(QLocale.c())
        box.setDecimals(3)
        box.setRange(0.001, 1000)
        box.setSingleStep(0.05)
        box.setValue(value)
        box.setAccessibleName(name)
        return box

    def _reset(self) -> None:
        """As the log has it."""
        self.theta.setValue(1)
        self.rho.setValue(1)
