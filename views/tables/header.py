"""The look of all tables, and headings of columns that belong to runs."""

from __future__ import annotations

import re

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from views.work.widget_handlers import EventWatch

MOST_LINES = 4


def run_header(name: str, longest: int = 26) -> str:
    """A policy's spelling on a few lines, broken after `:` and `,` if a line would be longer than
    `longest`.
    """
    lines = [""]
    for part in re.findall(r"[^:,]+[:,]?|[:,]", name):
        if lines[-1] and len(lines[-1]) + len(part) > longest:
            lines.append("")
        lines[-1] += part
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES - 1], lines[MOST_LINES - 1] + "…"]
    return "\n".join(lines)


def dress_header(header: QHeaderView) -> None:
    """Set up a header: text at the left, whole headings, and sections to click."""
    header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    header.setSectionsClickable(True)
    header.setHighlightSections(False)
    header.setMinimumSectionSize(60)
    follow_font(header)


def follow_font(header: QHeaderView) -> None:
    """Have the sections of a header grow and shrink with the font."""
    follower = _FontFollower(header)
    EventWatch(header, header, follower.follow)


class _FontFollower:
    """Widens and narrows the sections of its header with the font, so that no heading or row is cut."""

    def __init__(self, header: QHeaderView) -> None:
        self._header = header
        self._height = header.fontMetrics().height()

    def follow(self, _: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FontChange:
            before, self._height = self._height, self._header.fontMetrics().height()
            if before != self._height:
                self._scale(self._height / before)
        return False

    def _scale(self, factor: float) -> None:
        header = self._header
        if header.orientation() == Qt.Orientation.Vertical:
            header.setDefaultSectionSize(round(factor * header.defaultSectionSize()))
            return
        for section in range(header.count()):
            if not header.isSectionHidden(section):
                wide = round(factor * header.sectionSize(section))
                header.resizeSection(section, max(wide, header.sectionSizeHint(section)))


def dress_table(view: QTableView) -> None:
    """Set up a table: light stripes, rows of a single line, no editing."""
    view.setShowGrid(False)
    view.setAlternatingRowColors(True)
    view.setWordWrap(False)
    view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    view.setCornerButtonEnabled(False)
