"""Legends: swatches with names, or a bar with numbers, in the title line of a chart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QImage, QPainter

from views.theme.fonts import tick_font
from views.theme.palette import Pixels
from views.theme.swatch import paint_swatch
from views.theme.theme import Theme
from views.widgets.explanation import paint_dots

SWATCH = 10.0
_MORE_SIGN = "…"
BAR, SHORT_BAR, SHORTEST_BAR = 120.0, 56.0, 20.0
PAD = 6.0
MORE = -1
"""Represents the entries that do not fit."""

BACK = 0.3
"""The strength of colours without anything selected."""


@dataclass(frozen=True)
class Hatched:
    """A hatch with its name; its lines fall, or rise."""

    colour: str
    name: str
    rises: bool = False


@dataclass(frozen=True)
class Swatches:
    """Colours with their names, the most important first; an ellipsis represents entries that do not fit.

    `ordered` entries, from small to large, are shown all or not at all: if there is no room for every name,
    as adjacent swatches with the first and the last name or none. `picked` marks the entries with selected
    jobs; the others are faded. The `hatched` entries follow.
    """

    entries: tuple[tuple[str, str], ...]  # colour, name
    ordered: bool = False
    picked: frozenset[int] | None = None
    hatched: tuple[Hatched, ...] = ()


@dataclass(frozen=True)
class EntryBox:
    """The boxes of an entry of a legend: of its colour, and of its name if that is shown."""

    entry: int
    swatch: QRectF
    name: QRectF | None

    @property
    def whole(self) -> QRectF:
        """The box in which a click means the entry."""
        return self.swatch.adjusted(0, -3, 0, 3) if self.name is None else self.swatch | self.name


@dataclass(frozen=True, eq=False)
class Bar:
    """A range of colours; `marks` are positions along it (0..1) with their text, from left to right."""

    colours: Pixels
    marks: tuple[tuple[float, str], ...]
    title: str = ""
    short_titles: tuple[str, ...] = ()  # for less and less room
    explained: bool = False  # by a click: there are dots under the title


Legend = Swatches | Bar


def paint_legend(painter: QPainter, room: QRectF, legend: Legend, theme: Theme) -> float:
    """Paint at the right end of `room`; returns the left edge of what was painted."""
    if isinstance(legend, Bar):
        return _paint_bar(painter, room, legend, theme)
    metrics = QFontMetricsF(painter.font())
    advance = metrics.horizontalAdvance
    boxes = lay_out_swatches(room, legend, advance)
    _paint_hatched(painter, room, legend, advance, theme)
    for field in boxes:
        colour, name = legend.entries[field.entry] if field.entry != MORE else (theme.window, _MORE_SIGN)
        # The ellipsis stands for entries of both kinds, so it never fades.
        back = legend.picked is not None and field.entry not in (*legend.picked, MORE)
        painter.setOpacity(BACK if back else 1.0)
        paint_swatch(painter, field.swatch, colour)
        painter.setOpacity(1.0)
        if field.name is not None:
            painter.setPen(QColor(theme.faint if back or legend.picked is None else theme.text))
            text = metrics.elidedText(name, Qt.TextElideMode.ElideRight, field.name.width())
            painter.drawText(field.name, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, text)
    return min((box.whole.left() for box in boxes), default=_before_hatched(room, legend, advance).right())


def _before_hatched(room: QRectF, legend: Swatches, advance: Callable[[str], float]) -> QRectF:
    """The room that hatched names leave to the entries."""
    wide = sum(_hatched_width(hatched, advance) for hatched in legend.hatched)
    return room if wide > room.width() else room.adjusted(0, 0, -wide, 0)


def _hatched_width(hatched: Hatched, advance: Callable[[str], float]) -> float:
    return SWATCH + 4 + advance(hatched.name) + 2 * PAD


def _paint_hatched(
    painter: QPainter, room: QRectF, legend: Swatches, advance: Callable[[str], float], theme: Theme
) -> None:
    x = _before_hatched(room, legend, advance).right()
    if x >= room.right():
        return
    for hatched in legend.hatched:
        painter.setPen(QColor(hatched.colour))
        lines = Qt.BrushStyle.BDiagPattern if hatched.rises else Qt.BrushStyle.FDiagPattern
        painter.setBrush(QBrush(QColor(hatched.colour), lines))
        painter.drawRect(_swatch(x + PAD, room).adjusted(0.5, 0.5, -0.5, -0.5))
        painter.setPen(QColor(theme.faint))
        text = QRectF(x + PAD + SWATCH + 4, room.top(), advance(hatched.name) + 1, room.height())
        painter.drawText(text, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, hatched.name)
        x += _hatched_width(hatched, advance)


def swatches_width(legend: Swatches, advance: Callable[[str], float]) -> float:
    """Pixels that all of a legend takes; `advance` is the width of a text."""
    entries = sum(SWATCH + 4 + advance(name) + 2 * PAD for _, name in legend.entries)
    return entries + sum(_hatched_width(hatched, advance) for hatched in legend.hatched)


def lay_out_swatches(room: QRectF, legend: Swatches, advance: Callable[[str], float]) -> list[EntryBox]:
    """The positions of the entries at the right end of `room`; `advance` returns the width of a text."""
    room = _before_hatched(room, legend, advance)
    widths = [SWATCH + 4 + advance(name) + 2 * PAD for _, name in legend.entries]
    if legend.ordered and sum(widths) > room.width():
        return _lay_out_tight(room, legend, advance)
    # Room for the ellipsis is taken off before entries are dropped: it would cover the last that stays.
    room, more = _before_more(room, advance) if sum(widths) > room.width() else (room, [])
    # Entries are sorted by importance, so those at the end go first.
    while widths and sum(widths) > room.width():
        widths.pop()
    boxes = []
    x = room.right() - sum(widths)
    for entry, width in enumerate(widths):
        name = QRectF(x + SWATCH + 4, room.top(), width - SWATCH - 4 - 2 * PAD + 1, room.height())
        boxes.append(EntryBox(entry, _swatch(x, room), name))
        x += width
    return boxes + more


def _before_more(room: QRectF, advance: Callable[[str], float]) -> tuple[QRectF, list[EntryBox]]:
    """The room that the ellipsis at the right end leaves to the entries, and the ellipsis; it is omitted if
    it does not fit.
    """
    wide = advance(_MORE_SIGN) + PAD
    if wide + PAD > room.width():
        return room, []
    dots = QRectF(room.right() - wide, room.top(), wide, room.height())
    return room.adjusted(0, 0, -wide - PAD, 0), [EntryBox(MORE, QRectF(), dots)]


def swatch_at(room: QRectF, legend: Swatches, font: QFont, position: QPointF) -> int | None:
    """The entry whose colour or name is at a position; None: there is none."""
    boxes = lay_out_swatches(room, legend, QFontMetricsF(tick_font(font)).horizontalAdvance)
    return next((box.entry for box in boxes if box.whole.contains(position)), None)


def _lay_out_tight(room: QRectF, legend: Swatches, advance: Callable[[str], float]) -> list[EntryBox]:
    """The colours side by side, between the first and the last name where these, or half of it, find room."""
    room, more = _before_more(room, advance)
    last = len(legend.entries) - 1
    first_width, last_width = (advance(legend.entries[entry][1]) + 1 for entry in (0, last))
    colours = SWATCH * (last + 1)
    # A pair of names or none: with a single name the direction of the order would not be known.
    rest = room.width() - first_width - colours - 2 * PAD
    named = rest >= last_width / 2
    last_width = min(last_width, rest)
    if colours > room.width():
        return more
    left = room.right() - colours - (last_width + PAD if named else 0.0)
    boxes = [EntryBox(entry, _swatch(left + entry * SWATCH, room), None) for entry in range(last + 1)]
    if named:
        name = QRectF(left - PAD - first_width, room.top(), first_width, room.height())
        boxes[0] = EntryBox(0, boxes[0].swatch, name)
        name = QRectF(left + colours + PAD, room.top(), last_width, room.height())
        boxes[last] = EntryBox(last, boxes[last].swatch, name)
    return boxes + more


def _swatch(x: float, room: QRectF) -> QRectF:
    return QRectF(x, room.center().y() - SWATCH / 2, SWATCH, SWATCH)


def _paint_bar(painter: QPainter, room: QRectF, bar: Bar, theme: Theme) -> float:
    """Paint the colour bar with the texts of its marks before and after it: first, bar, last.

    The bar and the title shrink with the available room.
    """
    metrics = QFontMetricsF(painter.font())
    first, last = bar.marks[0][1], bar.marks[-1][1]
    form = _form_of(room, bar, metrics.horizontalAdvance)
    if form is None:
        return room.right()
    title, long, width = form
    widths = [metrics.horizontalAdvance(text) for text in (title, first, last)]
    title_room = widths[0] + 2 * PAD if title else 0.0
    left = room.right() - width
    line = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
    painter.setPen(QColor(theme.faint))
    if title:
        painter.drawText(QRectF(left, room.top(), widths[0] + 1, room.height()), line, title)
        if bar.explained:
            baseline = round(room.center().y() + (metrics.ascent() - metrics.descent()) / 2)
            paint_dots(painter, round(left), round(left + widths[0]), baseline, QColor(theme.faint))
    x = left + title_room
    painter.drawText(QRectF(x, room.top(), widths[1] + 1, room.height()), line, first)
    strip = QRectF(x + widths[1] + PAD, room.center().y() - SWATCH / 2, long, SWATCH)
    painter.drawText(QRectF(strip.right() + PAD, room.top(), widths[2] + 1, room.height()), line, last)
    # QImage paints from memory that it does not own: the row must be contiguous, and live until drawn.
    row = bar.colours.reshape(1, -1).copy()
    painter.drawImage(strip, QImage(row.data, row.shape[1], 1, QImage.Format.Format_RGB32))
    _paint_inner_marks(painter, strip, bar)
    return left


def bar_at(room: QRectF, bar: Bar, font: QFont, position: QPointF) -> bool:
    """True if a bar, or its title, is at a position."""
    form = _form_of(room, bar, QFontMetricsF(tick_font(font)).horizontalAdvance)
    return form is not None and room.contains(position) and position.x() >= room.right() - form[2]


def _form_of(room: QRectF, bar: Bar, advance: Callable[[str], float]) -> tuple[str, float, float] | None:
    """The title for which there is room, the length of the bar, and the width of all; None: for nothing."""
    first, last = bar.marks[0][1], bar.marks[-1][1]
    titles = (bar.title, *bar.short_titles)
    # For each title, from long to short, a long and a short bar are tried; then the title goes. The two
    # numbers always stay, since a bar without them says nothing.
    forms = [(title, long) for title in titles for long in (BAR, SHORT_BAR)]
    for title, long in [*forms, (titles[-1], SHORTEST_BAR), ("", SHORT_BAR), ("", SHORTEST_BAR)]:
        title_room = advance(title) + 2 * PAD if title else 0.0
        width = title_room + advance(first) + PAD + long + PAD + advance(last)
        if width <= room.width():
            return title, long, width
    return None


def _paint_inner_marks(painter: QPainter, strip: QRectF, bar: Bar) -> None:
    """Short lines on the bar where its inner marks are."""
    painter.setPen(QColor(0, 0, 0, 130))
    for share, _ in bar.marks[1:-1]:
        x = strip.left() + share * strip.width()
        painter.drawLine(QPointF(x, strip.top()), QPointF(x, strip.bottom()))
