"""The choice of other jobs for a run: faster arrivals, wider jobs, smaller requests."""

from __future__ import annotations

from dataclasses import replace

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

from app.model.workbench import Workbench
from app.panels.dialogs import HighArea
from engine.errors import InputError
from engine.trace.scale import Scaling, parallelism, parse_scale
from engine.trace.smaller_requests import REQUESTS, measured_requests

_ABOUT = (
    "Below 1, jobs arrive faster: the load is higher. A job twice as wide runs half as long. "
    "The mean job takes {:.2f} % of the machine.\n\n"
    "With a cap or smaller requests runtimes stay as they are, but a job left with fewer processors than it "
    "kept busy runs longer. The quality notes list such jobs, and those that overrun.\n\n"
    "Each is a run of its own beside the others, and compared with them. Undo takes it back."
)

_QUANTILES = (0.0, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0)
"""Of what a user's jobs used; 0: requests as they are."""


_ALL = "All simulated runs"


class ScaleDialog(QDialog):
    """Factors that are 1, a cap that is empty and requests as they are where jobs are as the log has them.

    Accepting adds a run with these jobs beside the run that is chosen, at first that of `run_id`, or one
    beside each simulated run.
    """

    def __init__(self, workbench: Workbench, run_id: int | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("What if: load and requests")
        self._workbench, study = workbench, workbench.study
        logged = study.trace.as_logged
        self.run = QComboBox(self)
        self.run.setAccessibleName("Run to change")
        # A long name, as of a site, must not widen the dialog.
        self.run.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        for run in study.runs:
            if run.policy.simulated:
                self.run.addItem(study.name(run), run.id)
        if self.run.count() > 1:
            self.run.addItem(_ALL)
        known = self.run.findData(run_id) if run_id is not None else -1
        self.run.setCurrentIndex(max(known, 0 if self.run.count() else -1))
        self.run.currentIndexChanged.connect(lambda _: self._show(self._scaling))
        measured = measured_requests(logged)
        self.theta = self._factor("Inter-arrival times")
        self.rho = self._factor("Job width")
        self.cap = QLineEdit(
            self, placeholderText="no cap; 12h, or 2d;debug:30m for the queue debug", clearButtonEnabled=True
        )
        self.cap.setAccessibleName("Walltimes at most")
        self.requests = QComboBox(self)
        self.requests.setAccessibleName("Requests")
        for quantile in _QUANTILES:
            words = f"{100 * quantile:.0f} % quantile of what the user's jobs used"
            self.requests.addItem(words if quantile else "as they are", quantile)
        self.of = {name: self._request(name, name in measured) for name in REQUESTS}
        self.requests.currentIndexChanged.connect(self._follow_quantile)
        about = QLabel(_ABOUT.format(100 * parallelism(logged)), self)
        about.setWordWrap(True)
        self.problem = QLabel("", self, wordWrap=True)
        box = QDialogButtonBox.StandardButton
        buttons = QDialogButtonBox(box.Ok | box.Cancel | box.Reset, self)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        buttons.button(box.Ok).setEnabled(self.run.count() > 0)
        buttons.button(box.Reset).clicked.connect(lambda: self._show(Scaling()))
        inside = QWidget(self)
        rows = QFormLayout(inside)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.addRow("&Of the run", self.run)
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
        self._show(self._scaling)

    @property
    def spelling(self) -> str:
        """The spelling for `parse_scale`, empty if nothing is changed."""
        chosen = tuple(name for name, box in self.of.items() if box.isChecked())
        quantile = self.requests.currentData() if chosen else 0.0
        parts = [Scaling(self.theta.value(), self.rho.value(), 0, quantile, (), chosen).spelling]
        cap = self.cap.text().strip()
        parts += [f"walltime_cap={cap}"] if cap else []
        return ",".join(filter(None, parts))

    @property
    def _scaling(self) -> Scaling:
        """That of the chosen run: it is changed further."""
        run = self._workbench.study.run(self.run.currentData() or 0)
        return run.policy.variant.scaling if run is not None else Scaling()

    def accept(self) -> None:
        """Add the runs that are not there yet, unless something is wrong with what is asked for."""
        try:
            scaling = parse_scale(self.spelling)
        except InputError as error:
            self.problem.setText(str(error))
            self.cap.setFocus()
            return
        self._add(scaling)
        super().accept()

    def _add(self, scaling: Scaling) -> None:
        workbench, chosen = self._workbench, self.run.currentData()
        known = {(run.policy, run.cluster) for run in workbench.study.runs}
        wanted = []
        for run in workbench.study.runs:
            if run.policy.simulated and chosen in (run.id, None):
                variant = replace(run.policy.variant, scaling=scaling)
                if ((changed := replace(run.policy, variant=variant)), run.cluster) not in known:
                    wanted.append((changed, run.cluster))
        # Several runs are a single answer to a question, so that a single step takes them back.
        if len(wanted) > 1:
            workbench.edits.beginMacro(f"the what-if: {scaling}")
        for policy, cluster in wanted:
            workbench.add_run(policy, cluster)
        if len(wanted) > 1:
            workbench.edits.endMacro()

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
