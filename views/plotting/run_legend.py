"""The runs with their colours, named in full; clicks choose which of them are seen."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Protocol

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPalette, QResizeEvent, QShowEvent, QTextDocument
from PySide6.QtWidgets import QLabel, QWidget

from engine.shown_text import html_text
from views.data.results import Result
from views.text.tooltips import tip
from views.theme.palette import SQUARES, square_of

_HELP = "Click: highlight this run. Ctrl+click: highlight several runs.\nDouble-click: hide the others."


class LegendEntry(Protocol):
    """A run, or another item that plots distinguish by colour; `run_id` identifies it."""

    @property
    def run_id(self) -> int:
        """The id of the item."""

    @property
    def name(self) -> str:
        """In words."""

    @property
    def colour(self) -> str:
        """Of its swatch."""


class RunLegend(QLabel):
    """A line of text, or more if it is narrow, that names the colours of the runs.

    If `clickable`, a click on a run picks it, and a second click unpicks it; with ctrl it is added to the
    picked runs. A double click hides all other runs, and a second shows them. Both send `changed`. A `plain`
    legend has filled squares alone: its colours are not those of runs, which have patterns too.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None, clickable: bool = False, plain: bool = False) -> None:
        super().__init__("", parent)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setWordWrap(True)
        self._clickable, self._plain, self._control = clickable, plain, False
        self._results: Sequence[LegendEntry] = ()
        self._over = ""  # the run under the mouse
        self.picked: frozenset[int] = frozenset()
        self.hidden: frozenset[int] = frozenset()
        if clickable:
            flags = Qt.TextInteractionFlag.LinksAccessibleByMouse
            self.setTextInteractionFlags(flags | Qt.TextInteractionFlag.LinksAccessibleByKeyboard)
            self.linkActivated.connect(self._click)
            self.linkHovered.connect(self._hover)

    def set_results(self, results: Sequence[LegendEntry]) -> None:
        """Name these runs; what was picked or hidden stays so while it is there."""
        there = frozenset(result.run_id for result in results)
        self._results = results
        self.picked &= there
        self.hidden = self.hidden & there if there - self.hidden else frozenset()
        self._write()
        self._keep_height()

    def shown(self, results: Sequence[Result]) -> list[Result]:
        """The runs that are not hidden."""
        return [result for result in results if result.run_id not in self.hidden]

    @property
    def line_width(self) -> int:
        """The width in pixels of all names in a single line."""
        document = QTextDocument()
        document.setDefaultFont(self.font())
        document.setHtml(self.text())
        return ceil(document.idealWidth()) + 2

    def _click(self, link: str) -> None:
        run = frozenset({int(link)})
        if self._control:
            self._choose(self.picked ^ run, self.hidden - run)
        else:
            self._choose(frozenset() if self.picked == run else run, self.hidden - run)

    def _hide_others(self, run: int) -> None:
        others = frozenset(result.run_id for result in self._results) - {run}
        self._choose(frozenset(), frozenset() if self.hidden == others else others)

    def _choose(self, picked: frozenset[int], hidden: frozenset[int]) -> None:
        if (picked, hidden) != (self.picked, self.hidden):
            self.picked, self.hidden = picked, hidden
            self._write()
            self.changed.emit()

    def _hover(self, link: str) -> None:
        self._over = link
        named = next((result.name for result in self._results if str(result.run_id) == link), "")
        self.setToolTip(tip(f"{named}\n{_HELP}") if named else "")

    def _write(self) -> None:
        self.setText("&nbsp;&nbsp; ".join(map(self._entry, self._results)))

    def _entry(self, result: LegendEntry) -> str:
        """Lines break between the parts of a policy or of a machine, else between runs."""
        hidden = result.run_id in self.hidden
        back = hidden or (self.picked and result.run_id not in self.picked)
        role = QPalette.ColorRole.PlaceholderText if back else QPalette.ColorRole.WindowText
        name = html_text(result.name).replace("-", "\u2011").replace(" ", "&nbsp;")
        for sign in ",+":
            name = name.replace(sign, f"{sign}\u200b")
        square = SQUARES[0] if self._plain else square_of(result.colour)
        swatch = f'<span style="color: {result.colour}">{"□" if hidden else square}</span>'
        if not self._clickable:
            return f"{swatch}&nbsp;{name}"
        style = f"text-decoration: none; color: {self.palette().color(role).name()}"
        return f'<a href="{result.run_id}" style="{style}">{swatch}&nbsp;{name}</a>'

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Activate the link here, because the label's own signal does not include the keys held."""
        self._control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        super().mouseReleaseEvent(event)
        self._control = False

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Hide all but the run that is there."""
        if self._over:
            self._hide_others(int(self._over))

    def changeEvent(self, event: QEvent) -> None:
        """Links have colours of their own, of the theme before."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._clickable:
            self._write()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Make room for all lines: layouts of pages do not use the height for a width."""
        super().resizeEvent(event)
        self._keep_height()

    def showEvent(self, event: QShowEvent) -> None:
        """Before that its width means nothing."""
        super().showEvent(event)
        self._keep_height()

    def _keep_height(self) -> None:
        if self.isVisible():
            self.setMinimumHeight(0)  # the height below is at least that
            self.setMinimumHeight(max(self.heightForWidth(self.width()), 0))
