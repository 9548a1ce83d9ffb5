"""The key sheet: all keys of the menus and what the mouse does in a chart, grouped, and searched."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLineEdit, QTextBrowser, QVBoxLayout, QWidget

from app.actions.fuzzy import fit
from app.actions.menu_tree import Entry
from engine.shown_text import html_text
from views.theme.theme import Theme

Keys = tuple[str, str]
"""Keys, and what they do."""

_LETTERS = 22
"""Letters of the least width of what keys do, beside the longest keys of a column."""

_AROUND = 60
"""Pixels around two columns."""


class KeySheet(QDialog):
    """Dialog of keys in groups; typing leaves those lines that fit."""

    def __init__(
        self, charts: Sequence[Keys], entries: Sequence[Entry], theme: Theme, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keys")
        self._theme = theme
        # Groups are the menus, in their order; what the mouse does comes first.
        self._groups: dict[str, list[Keys]] = {"In a chart": list(charts)}
        for entry in entries:
            if entry.keys:
                what = " › ".join((*entry.menus[1:], entry.name))
                self._groups.setdefault(entry.menus[0], []).append((entry.keys, what))
        self.line = QLineEdit(self)
        self.line.setAccessibleName("Find a key")
        self.line.setPlaceholderText("Search keys and what they do")
        self.line.setClearButtonEnabled(True)
        self.line.textChanged.connect(self._show)
        self.sheet = QTextBrowser(self)
        self.sheet.setAccessibleName("Keys")
        self.sheet.setFrameShape(QTextBrowser.Shape.NoFrame)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        for part in (self.line, self.sheet, buttons):
            column.addWidget(part)
        # As wide as two columns of keys need, within the window.
        wide = max(860, 2 * self._least + _AROUND)
        self.resize(min(wide, parent.width() - 40), min(620, parent.height() - 60))
        self._show("")
        self.line.setFocus()

    def _show(self, typed: str) -> None:
        groups = {
            title: [line for line in lines if fit(typed, f"{line[0]} {line[1]} {title}") is not None]
            for title, lines in self._groups.items()
        }
        # Each group goes to the shorter column, so that both end at about the same height.
        columns = 2 if self.width() >= 2 * self._least + _AROUND else 1
        halves: list[list[str]] = [[] for _ in range(columns)]
        heights = [0] * columns
        for title, lines in groups.items():
            if lines:
                shorter = heights.index(min(heights))
                halves[shorter].append(self._group(title, lines))
                heights[shorter] += len(lines) + 3
        cells = "".join(f"<td width='{100 // columns}%'>{''.join(half)}</td>" for half in halves)
        nothing = "" if any(heights) else "No key has this function. Try the command palette."
        self.sheet.setHtml(nothing or f"<table width='100%' cellpadding='6'><tr>{cells}</tr></table>")

    @property
    def _least(self) -> int:
        """The least width of a column, in pixels: keys are never parted."""
        metrics = self.fontMetrics()
        keys = (keys for lines in self._groups.values() for keys, _ in lines)
        return max(map(metrics.horizontalAdvance, keys), default=0) + _LETTERS * metrics.averageCharWidth()

    def _group(self, title: str, lines: Sequence[Keys]) -> str:
        theme = self._theme
        cap = f"background-color:{theme.button}; color:{theme.text};"
        rows = "".join(
            f"<tr><td align='right' style='white-space:nowrap'><span style='{cap}'>&nbsp;{html_text(keys)}"
            f"&nbsp;</span>&nbsp;</td><td>{html_text(what)}</td></tr>"
            for keys, what in lines
        )
        return f"<h4>{html_text(title)}</h4><table cellpadding='3'>{rows}</table>"
