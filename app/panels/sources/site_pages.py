"""The pages that simulate a site on the open log: its twin, and a change of its rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtWidgets import QWidget

from app.model.models import Models
from app.panels.made_later import MadeLater
from app.panels.sources.change_runs import ChangeRuns
from app.panels.sources.twin_runs import TwinRuns


def connect_site_pages(models: Models, later: Callable[[str], MadeLater[Any]], window: QWidget) -> None:
    """Connect both; `later` gives the view of a name, which may not be made yet."""
    TwinRuns(models, later("twin"), window)
    ChangeRuns(models, later("change"), window)
