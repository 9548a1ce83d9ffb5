"""A strip with a line for each run: who was hurt most, by what, and what would help."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, inf

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QUrl, Signal
from PySide6.QtGui import QHelpEvent, QResizeEvent, QTextOption, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QTextBrowser, QToolTip, QWidget

from engine.claims.claim import ClaimPlace, ClaimQuantity, NamedThing
from engine.claims.words import BETWEEN, LATE_MEANS, THIS_USER, TextSpan, plain
from engine.shown_text import html_text
from views.theme.fonts import follow_font, tick_font
from views.theme.theme import Theme
from views.work.widget_handlers import EventWatch

LINE_EVERY = 80
"""Pixels of the window's height for each line of text, so that the charts keep their room. Where the whole
text is longer, each run has a single line, without what stands before its last claim, which is what would
help: the tool tip has all of it, and so has the strip after a click on the dots. More runs are scrolled to.
"""

_DOTS = "…"
_CUT, _OPENED = "cut", "opened"  # links on the dots of a line, and behind a line that was opened by them

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
        self._opened: set[int] = set()  # places of lines that are shown whole, since their dots were clicked
        self._written: tuple[object, ...] = ()  # what the text was written for
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
            self._opened.clear()
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

    def viewportEvent(self, event: QEvent) -> bool:
        """The tool tip is the whole line, and what late means."""
        if isinstance(event, QHelpEvent):
            place = self.cursorForPosition(event.pos()).blockNumber()
            text = plain(self._lines[place].spans) if place < len(self._lines) else ""
            tip = f"<p>{html_text(text)}</p><p>{LATE_MEANS}</p>" if text else ""
            QToolTip.showText(event.globalPos(), tip, self)
            return True
        return super().viewportEvent(event)

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
        """Take the height that the text has in this width, with a line for each run if the window has less
        room, and with a scroll bar if that is still too high.

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
        self._write(None)
        wanted, most = self._text_height(), self._most
        if wanted > most:
            self._write(self.viewport().width())
            wanted = self._text_height()
        self._height = min(wanted, most)
        if self.height() != self._height:
            self.setFixedHeight(self._height)
        if wanted > self._height:
            self.setVerticalScrollBarPolicy(policy.ScrollBarAlwaysOn)
            self._write(self.viewport().width())
        # Qt leaves the range as it was for the earlier height where a new width makes the text lower.
        bar.setRange(0, max(self._text_height() - self._height, 0))
        bar.setValue(scrolled)
        self._fitting = False

    def _text_height(self) -> int:
        return ceil(self.document().size().height())

    def _fill(self) -> None:
        """Write the lines anew."""
        self._written = ()
        self._fit()
        self.set_wanted(self._wanted)

    def _write(self, width: int | None) -> None:
        """Write the lines, each cut to so many pixels, but for those that were opened; None: all whole."""
        if self._written == (width, *self._opened):
            return
        self._written = (width, *self._opened)
        lines = []
        for place, line in enumerate(self._lines):
            square = f'<span style="color: {line.colour}">■</span>'
            text = self._linked(place, line, None if place in self._opened else width)
            lines.append(f'<p style="margin: 0; line-height: {_SPACING}%">{square} {text}</p>')
        self.setHtml("".join(lines))

    def _linked(self, place: int, line: VerdictLine, width: int | None) -> str:
        """The spans of a line, names as text and never markup; a link is the numbers of its line and span.

        Claims before the last one are left out where `width` has no room for all, the later ones first; a
        text that is still too long is cut at its end.
        """
        parts, metrics = [], self.fontMetrics()
        left = inf if width is None else width - 2 * _MARGIN - metrics.horizontalAdvance("■  ")
        shown, gap = self._fitting_spans(line, left)
        # Only a line without further claims, or of little room, is cut at its end.
        texts = _texts(line, shown)
        cut = gap is None and metrics.horizontalAdvance("".join(texts)) > left
        left -= metrics.horizontalAdvance(f" {_DOTS}") if cut else 0
        for number, text in zip(shown, texts, strict=True):
            if number == gap:
                parts.append(f"{self._link(f'{place}.{_CUT}', _DOTS)} ")
            if cut:
                fitting = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(int(left), 0))
                left -= metrics.horizontalAdvance(text)
                # A number that is cut would be read as another number: the cut is made before it.
                text = text if fitting == text else fitting.removesuffix(_DOTS).rpartition(" ")[0]
            # Qt would break lines at the thin spaces within numbers.
            words = html_text(text).replace("\u202f", "\u00a0")
            says = line.spans[number]
            if isinstance(says.says, ClaimQuantity):  # a number stays on one line with its unit
                words = words.replace(" ", "\u00a0")
            parts.append(words if says.place is None else self._link(f"{place}.{number}", words))
            if left < 0:
                break
        if cut:
            parts.append(f" {self._link(f'{place}.{_CUT}', _DOTS)}")
        elif place in self._opened:
            parts.append(f" {self._link(f'{place}.{_OPENED}', '(shorter)')}")
        return "".join(parts)

    def _fitting_spans(self, line: VerdictLine, room: float) -> tuple[list[int], int | None]:
        """The numbers of the spans that are shown in so many pixels, and the first of them behind claims that
        are left out. Where that helps nothing, all are shown, and None.
        """
        count, advance = len(line.spans), self.fontMetrics().horizontalAdvance
        between = [number for number, span in enumerate(line.spans) if span.text == BETWEEN]
        last = between[-1] + 1 if between else count
        # Whole claims are kept, in their order, and at the least the name of the run and its colon.
        ends = [count, *(border + 1 for border in reversed(between[:-1])), *([2] if between else [])]
        for end in ends:
            shown = [*range(end), *range(max(last, end), count)]
            text = "".join(_texts(line, shown))
            if advance(text if end == count else f"{text}{_DOTS} ") <= room:
                return shown, None if end == count else last
        return list(range(count)), None

    def _link(self, target: str, words: str) -> str:
        return f'<a href="{target}" style="color: {self._theme.link}; text-decoration: none">{words}</a>'

    def _choose(self, link: QUrl) -> None:
        place, _, number = link.toString().partition(".")
        if number in (_CUT, _OPENED):
            self._opened ^= {int(place)}
            self._fill()
            return
        line = self._lines[int(place)]
        chosen = line.spans[int(number)].place
        assert isinstance(chosen, ClaimPlace)
        self.place_chosen.emit(line.run_id, chosen)


def _texts(line: VerdictLine, shown: Sequence[int]) -> list[str]:
    """What is written of these spans: a user whose name is left out is named where "this user" was said."""
    names = [
        span.text
        for number, span in enumerate(line.spans)
        if number not in shown and isinstance(span.says, NamedThing) and span.says.place.table == "users"
    ]
    texts = [line.spans[number].text for number in shown]
    return [text.replace(THIS_USER, names[-1]) for text in texts] if names else texts
