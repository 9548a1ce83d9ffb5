"""The answer about a change of rules in four numbers: recorded, rules alone, load alone, both together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from views.text.values import duration, signed_percent
from views.theme.fonts import follow_font, scaled
from views.theme.theme import Theme

if TYPE_CHECKING:
    from engine.report.rule_change import RuleChange
    from engine.slurm.scheduler.phases import PhasedChange

_LARGE = 1.7
"""Size of a number relative to other text."""

TITLES = ("Recorded mean wait", "New rules alone", "Other load alone", "Both, by the models")


def _large(base: QFont) -> QFont:
    """The font of the numbers."""
    font = scaled(base, _LARGE)
    font.setBold(True)
    return font


class Headline(QWidget):
    """Four numbers side by side, each with what it is above it and how sure it is below it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        grid = QGridLayout(self)
        grid.setContentsMargins(8, 2, 8, 2)
        grid.setHorizontalSpacing(18)
        grid.setVerticalSpacing(0)
        plain = Qt.TextFormat.PlainText
        self.titles = [QLabel(title, self, textFormat=plain) for title in TITLES]
        self.numbers = [QLabel("", self, textFormat=plain) for _ in TITLES]
        self.notes = [QLabel("", self, textFormat=plain, wordWrap=True) for _ in TITLES]
        for place, parts in enumerate(zip(self.titles, self.numbers, self.notes, strict=True)):
            title, number, note = parts
            follow_font(number, _large)
            number.setAccessibleName(title.text())
            number.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            note.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
            for row, label in enumerate(parts):
                grid.addWidget(label, row, place)
            grid.setColumnStretch(place, 1)

    def show_change(self, change: RuleChange) -> None:
        """Show the numbers of all jobs."""
        whole = change.whole
        shares = (whole.recorded_change, whole.rules_change, whole.load_change, whole.model_change)
        before, after = map(duration, whole.recorded)
        notes = (
            f"{before} to {after}; {change.sureness}",
            f"on the jobs after the change{_spread(change.rules)}",
            f"jobs after the change against those before it, by the old rules{_spread(change.load)}",
            "to be compared with the recorded change",
        )
        for number, share in zip(self.numbers, shares, strict=True):
            number.setText(signed_percent(None if share is None else 100 * share))
        for label, note in zip(self.notes, notes, strict=True):
            label.setText(note)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        for label in (*self.titles, *self.notes):
            label.setStyleSheet(f"color: {theme.faint}")


def _spread(change: PhasedChange | None) -> str:
    """What the phases of slurmctld's loops make of a change, in words; empty where there are none."""
    if change is None:
        return ""
    low, high = signed_percent(100 * change.low), signed_percent(100 * change.high)
    return f"; {'may be chance: ' if change.by_chance else ''}{low} to {high} over {change.phases} phases"
