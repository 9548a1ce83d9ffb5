"""The section on the log's own schedule beside simulations."""

from __future__ import annotations

from engine.policy.baseline import CALIBRATION
from engine.report.section import Compared, Section, Statement


def calibration(compared: Compared) -> Section:
    """What the recorded run beside simulations is, and is not."""
    return Section("What the recorded run tells", [Statement(words=CALIBRATION)])
