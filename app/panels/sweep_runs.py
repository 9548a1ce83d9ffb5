"""Sweeps in a window: run for their page, and their cells opened as runs."""

from __future__ import annotations

from typing import Any

from app.model.sweeping import Sweeping
from app.model.workbench import Workbench


def connect_sweeps(page: Any, sweeping: Sweeping, workbench: Workbench) -> None:
    """Connect the page of sweeps, which knows no model, with what runs them."""
    page.sweep_wanted.connect(sweeping.start)
    page.cancel_wanted.connect(sweeping.cancel)
    page.run_wanted.connect(lambda policy: workbench.add_run(policy))
    sweeping.began.connect(page.begin)
    sweeping.came.connect(page.show_cell)
    sweeping.progressed.connect(page.show_progress)
    sweeping.ended.connect(page.end)
    sweeping.forgotten.connect(page.clear)
