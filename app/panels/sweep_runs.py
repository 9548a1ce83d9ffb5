"""Sweeps in a window: run for their page, and their cells opened as runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.model.sweeping import SweepRunner
from app.model.workbench import Workbench

if TYPE_CHECKING:
    from views.sweep.page import SweepPage


def connect_sweeps(page: SweepPage, sweeping: SweepRunner, workbench: Workbench) -> None:
    """Connect the page of sweeps, which knows no model, with the code that runs them."""
    page.sweep_wanted.connect(sweeping.start)
    page.run_wanted.connect(lambda policy: workbench.add_run(policy))
    sweeping.show_on(page)
