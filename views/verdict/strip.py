"""A strip with a line for each run: who was hurt most, by what, and what would help."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QUrl, Signal
from PySide6.QtGui import QResizeEvent, QTextOption, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QTextBrowser, QWidget

from engine.claims.claim import ClaimPlace
from engine.claims.words import TextSpan, plain
from engine.shown_text import html_text
from views.theme.fonts import follow_font, tick_font
from views.theme.theme import Theme
from views.work.widget_handlers import EventWatch

LINE_EVERY = 200
"""Pixels of the window's height for each line that is seen at once: further ones are scrolled to, so that the
charts keep their room."""

_FEWEST = 2
_MARGIN = 1  # pixels around the text
_SPACING = 92  # % of the usual height of a line


@dataclass(frozen=True)
class VerdictLine:
    """What is said of a run, which has this id and colour."""

    run_id: int
    colour: str
    spans: tuple[TextSpan, ...]


class VerdictStrip(QTextBrowser):
    """Lines of text, in which each part that says a quantity or names a thing is a link.

    `place_chosen` (run id, Place) asks for the place where it is seen. Without lines the strip is hidden.
    """

    place_chosen = Signal(int, object)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._lines: tuple[VerdictLine, ...] = ()
        self._wanted, self._fitting, self._height = True, False, 0
        self.setOpenLinks(False)
        self.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Verdicts")
        self.document().setDocumentMargin(_MARGIN)
        self.anchorClicked.connect(self._choose)
        EventWatch(parent, self, self._follow_page)
        self.set_theme(theme)
        follow_font(self, tick_font, self._fill)
        self.hide()

    @property
    def lines(self) -> tuple[VerdictLine, ...]:
        """The lines that are shown."""
        return self._lines

    @property
    def text(self) -> str:
        """The lines as text."""
        return "\n".join(plain(line.spans) for line in self._lines)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self._theme = theme
        self.setStyleSheet(f"background: {theme.window}; color: {theme.text}")
        self._fill()

    def show_lines(self, lines: Sequence[VerdictLine]) -> None:
        """Show these lines; the same ones stay as they are, scrolled and selected."""
        if tuple(lines) != self._lines:
            self._lines = tuple(lines)
            self._fill()

    def set_wanted(self, wanted: bool) -> None:
        """Show the strip where it has lines, or hide it."""
        self._wanted = wanted
        self.setVisible(wanted and bool(self._lines))

    def sizeHint(self) -> QSize:
        return QSize(400, self._height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _follow_page(self, _: QObject, event: QEvent) -> bool:
        """A higher window has room for more lines."""
        if event.type() == QEvent.Type.Resize:
            self._fit()
        return False

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll; with Control Qt would change the size of this text alone, which the settings say."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()
        else:
            super().wheelEvent(event)

    @property
    def _most(self) -> int:
        """Pixels that the window has room for: as many lines as its height allows."""
        lines = max(self.window().height() // LINE_EVERY, _FEWEST)
        return ceil(lines * self.fontMetrics().lineSpacing() * _SPACING / 100 + 2 * _MARGIN)

    def _fit(self) -> None:
        """Take the height that the text has in this width, with a scroll bar if the window has less room.

        Qt's own "as needed" would ask for the bar while the strip still has its earlier height, wrap the text
        beside it, and keep it when the strip has grown.
        """
        if self._fitting:
            return
        self._fitting = True  # a bar that comes or goes resizes the text, which asks for this again
        policy = Qt.ScrollBarPolicy
        bar = self.verticalScrollBar()
        scrolled = bar.value()
        self.setVerticalScrollBarPolicy(policy.ScrollBarAlwaysOff)
        wanted = ceil(self.document().size().height())
        self._height = min(wanted, self._most)
        if self.height() != self._height:
            self.setFixedHeight(self._height)
        if wanted > self._height:
            self.setVerticalScrollBarPolicy(policy.ScrollBarAlwaysOn)
        # Qt leaves the range as it was for the earlier height where a new width makes the text lower.
        bar.setRange(0, max(ceil(self.document().size().height()) - self._height, 0))
        bar.setValue(scrolled)
        self._fitting = False

    def _fill(self) -> None:
        """Write the lines; names are text, never markup."""
        lines = []
        for place, line in enumerate(self._lines):
            square = f'<span style="color: {line.colour}">■</span>'
            lines.append(
                f'<p style="margin: 0; line-height: {_SPACING}%">{square} {self._linked(place, line)}</p>'
            )
        self.setHtml("".join(lines))
        self._fit()
        self.set_wanted(self._wanted)

    def _linked(self, place: int, line: VerdictLine) -> str:
        """The spans of a line; a link is the numbers of its line and of its span."""
        style = f"color: {self._theme.link}; text-decoration: none"
        parts = []
        for number, span in enumerate(line.spans):
            # Qt would break lines at the thin spaces within numbers.
            words = html_text(span.text).replace("\u202f", "\u00a0")
            if span.place is not None:
                words = f'<a href="{place}.{number}" style="{style}">{words}</a>'
            parts.append(words)
        return "".join(parts)

    def _choose(self, link: QUrl) -> None:
        place, _, number = link.toString().partition(".")
        line = self._lines[int(place)]
        chosen = line.spans[int(number)].place
        assert isinstance(chosen, ClaimPlace)
        self.place_chosen.emit(line.run_id, chosen)
