"""The line in which a filter is typed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtWidgets import QWidget

from app.panels.completing_line import CompletingLine
from engine.filter.complete import complete
from engine.trace import Trace

_EXAMPLE = "user in (12, 62) and procs >= 64 and wait > 2h"


class FilterLine(CompletingLine):
    """Offers fields, operators and the names of a `trace`."""

    def __init__(self, saved: Callable[[], Mapping[str, str]], parent: QWidget | None = None) -> None:
        """`saved` gives the filters that were kept, by name."""
        super().__init__(lambda before: complete(before, self.trace), saved, parent)
        self.setPlaceholderText(_EXAMPLE)
        self.setAccessibleName("Filter")
        self.trace: Trace | None = None  # whose names are offered
