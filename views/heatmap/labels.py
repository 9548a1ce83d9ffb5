"""The labels beside and between the rows of a heatmap: users, queues, pins."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from PySide6.QtCore import QLineF, QPointF
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPolygonF

from views.data.user_rows import UserRows
from views.theme.theme import Theme
from views.timechart.frame import Frame, paint_row_label, paint_upright, row_label_room

LABELLED = 9.0
"""Rows at least this tall, in pixels, all have their user's name beside them."""

_CLEAR = 3.0
"""Least room between the lines around a selected row, in pixels."""

_APART = 6.0
"""Least room between two separators, in pixels."""


def paint_row_names(
    painter: QPainter,
    frame: Frame,
    rows: UserRows,
    names: Sequence[str],
    picked: Collection[int],
    theme: Theme,
) -> None:
    """Paint the names of users if there is room, and always of picked users; pins; queues, or the number of
    users.

    If neither fits, at least the top user has a name: the most affected user in the default order.
    """
    height = frame.plot.height()
    _paint_groups(painter, frame, rows, picked, theme)
    base = painter.font()
    full = QFontMetricsF(base).height()
    bottom = frame.plot.top() - 1
    pinned = set(rows.order[: rows.pinned].tolist())
    spans = rows.spans(height)
    named = (spans[:, 1] - spans[:, 0] >= LABELLED) | np.isin(rows.order, list(picked))
    alone = not named.any() and not rows.groups
    if alone:
        named[:1] = True
    for user, (top, end) in zip(rows.order[named].tolist(), spans[named].tolist(), strict=True):
        tall = end - top
        half = min(tall if tall >= LABELLED else full, full) / 2
        middle = frame.plot.top() + min(max((top + end) / 2, half), height - half)
        if middle - half < bottom - 1:
            continue  # never a name over another
        bottom = middle + half
        painter.setFont(_lower(base, tall / full) if LABELLED <= tall < full else base)
        painter.setPen(QColor(theme.accent if user in picked else theme.faint))
        paint_row_label(painter, frame, _in_full(names[user], frame, base) if alone else names[user], middle)
        if user in pinned:
            _paint_pin(painter, frame, middle, theme)
    painter.setFont(base)


def _in_full(name: str, frame: Frame, font: QFont) -> str:
    """With `user` before it where there is room: a number alone could be taken for one of a scale."""
    text = f"user {name}"
    return text if QFontMetricsF(font).horizontalAdvance(text) <= row_label_room(frame) else name


def paint_separators(painter: QPainter, frame: Frame, rows: UserRows, theme: Theme) -> None:
    """Paint a line below the pinned rows, and fainter lines between queues, unless they would cover the
    data.
    """
    height = frame.plot.height()
    starts = [(group.first, theme.faint) for group in rows.groups[1:]]
    if 0 < rows.pinned < rows.count:
        starts.insert(0, (rows.pinned, theme.accent))
    # Lines keep a distance: in low rows only the first of several is drawn.
    before = 0.0
    for row, colour in starts:
        edge = rows.edge(row, height)
        if edge - before >= _APART:
            before = edge
            y = int(frame.plot.top() + edge) - 0.5
            painter.setPen(QColor(colour))
            painter.drawLine(QLineF(frame.plot.left(), y, frame.plot.right(), y))


def paint_picked(
    painter: QPainter, frame: Frame, rows: UserRows, picked: Collection[int], theme: Theme
) -> None:
    """Lines above and below the rows of selected users, never over them, however low they are.

    None where all users are selected: lines tell some from the others.
    """
    painter.setPen(QColor(theme.accent))
    height = frame.plot.height()
    spans = [span for user in picked if (span := rows.span(user, height)) is not None]
    if len(spans) == rows.count > 1:
        return
    for span in spans:
        # A row lower than a line's distance gets a higher frame around its middle, moved inside the plot.
        half = max(span[1] - span[0], _CLEAR) / 2
        middle = min(max(sum(span) / 2, half), height - half)
        top, end = frame.plot.top() + middle - half, frame.plot.top() + middle + half
        edges = (int(top) - 0.5, int(end) + 0.5)
        painter.drawLines([QLineF(frame.plot.left(), y, frame.plot.right(), y) for y in edges])


def _paint_groups(
    painter: QPainter, frame: Frame, rows: UserRows, picked: Collection[int], theme: Theme
) -> None:
    """The queue of each group: beside it, or upright at the left of users' names; or how many users."""
    painter.setPen(QColor(theme.faint))
    top, height = frame.plot.top(), frame.plot.height()
    if not rows.groups:
        # The most exact text that there is room for.
        wide = QFontMetricsF(painter.font()).horizontalAdvance
        text = next((text for text in rows.counted if wide(text) + 4 <= height), rows.counted[-1])
        paint_upright(painter, frame, text, top, height)
    line = QFontMetricsF(painter.font()).height()
    named = [sum(span) / 2 for user in picked if (span := rows.span(user, height)) is not None]
    for group in rows.groups:
        first, last = (rows.edge(row, height) for row in (group.first, group.first + group.rows))
        middle = (first + last) / 2
        # Room for names in each row: the queue stands upright beside them; otherwise it has their place.
        if last - first >= LABELLED * group.rows:
            paint_upright(painter, frame, group.name, top + first, last - first)
        elif last - first >= line and all(abs(middle - other) >= line for other in named):
            paint_row_label(painter, frame, group.name, top + middle)


def _paint_pin(painter: QPainter, frame: Frame, middle: float, theme: Theme) -> None:
    """A small wedge that points at the row."""
    x = frame.plot.left() - 6
    painter.save()
    painter.setPen(QColor(theme.accent))
    painter.setBrush(QColor(theme.accent))
    painter.drawPolygon(QPolygonF([QPointF(x, middle - 3), QPointF(x + 4, middle), QPointF(x, middle + 3)]))
    painter.restore()


def _lower(font: QFont, share: float) -> QFont:
    smaller = QFont(font)
    smaller.setPixelSize(max(int(QFontMetricsF(font).height() * share * 0.8), 7))
    return smaller
