"""Sweeps in a window: run for their page, and their cells opened as runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.model.models import Models
from app.model.sweeping import SweepRunner
from views.work.widget_handlers import while_alive

if TYPE_CHECKING:
    from views.sweep.page import SweepPage


def connect_sweeps(page: SweepPage, sweeping: SweepRunner, models: Models) -> None:
    """Connect the page of sweeps, which knows no model, with the code that runs them."""
    page.sweep_wanted.connect(sweeping.start)
    page.run_wanted.connect(lambda policy: models.workbench.add_run(policy))
    models.code.offered.connect(while_alive(page, lambda: page.offer_metrics(models.code.metrics)))
    page.offer_metrics(models.code.metrics)
    sweeping.show_on(page)
