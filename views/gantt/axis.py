"""Paints the vertical axis of a Gantt chart: numbers or names of rows, groups, and which part is shown."""

from __future__ import annotations

import math

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from engine.schedule.schedule import Schedule
from engine.shown_text import format_name, shown_name
from views.data.gantt.rows import Rows, RowScale
from views.gantt.folds import paint_groups
from views.state.selection import Selection
from views.text.counts import format_count, plural
from views.theme.theme import Theme
from views.timechart.frame import Frame, paint_row_label, paint_upright

_BAR = 4.0


def paint_row_axis(
    painter: QPainter, frame: Frame, rows: Rows, scale: RowScale, marked: frozenset[str], theme: Theme
) -> None:
    """Paint the names of the rows; names in `marked` are emphasised, and shown wherever there is room."""
    painter.setPen(QColor(theme.faint))
    if rows.names:
        paint_upright(painter, frame, _row_noun(rows), frame.plot.top(), frame.plot.height())
        _paint_names(painter, frame, rows, scale, marked, theme)
    else:
        if rows.hosts is not None:
            _paint_hosts(painter, frame, rows, scale, marked, theme)
        else:
            _paint_numbers(painter, frame, rows, scale)
        paint_groups(painter, frame, rows, scale, theme)
        if not rows.groups:
            paint_upright(painter, frame, _row_noun(rows), frame.plot.top(), frame.plot.height())
    _paint_part(painter, frame, rows, scale, theme)


def marked_names(rows: Rows, schedule: Schedule | None, picked: Selection) -> frozenset[str]:
    """The names of what is selected, where rows are users or queues, or nodes with host names."""
    if rows.hosts is not None:
        return frozenset(
            shown_name(rows.hosts.node_name(node)) for node in picked.nodes if node < rows.hosts.nodes
        )
    if schedule is None or rows.kind not in ("users", "queues"):
        return frozenset()
    of_users = rows.kind == "users"
    names = schedule.trace.user if of_users else schedule.trace.queue
    codes = picked.users if of_users else picked.queues
    kind = rows.kind.removesuffix("s")
    return frozenset(format_name(kind, names.names[code]) for code in codes if code < len(names.names))


def paint_row_lines(painter: QPainter, frame: Frame, rows: Rows, scale: RowScale, theme: Theme) -> None:
    """Lines between groups of nodes, and between rows with names where they are tall enough."""
    painter.setPen(QColor(theme.faint))
    edges = [scale.y(group.first) for group in rows.groups[1:]]
    painter.drawLines([_across(frame, y) for y in edges])
    if rows.names and scale.pixels_per_row >= 4:
        painter.setPen(QColor(theme.grid))
        inner = range(max(int(scale.first), 1), min(int(scale.last) + 1, len(rows.names)))
        painter.drawLines([_across(frame, scale.y(row)) for row in inner])


def _row_noun(rows: Rows) -> str:
    return "jobs at once" if rows.kind == "jobs" else plural(len(rows.names), rows.kind.removesuffix("s"))


def _across(frame: Frame, y: float) -> QLineF:
    return QLineF(frame.plot.left(), round(y) + 0.5, frame.plot.right(), round(y) + 0.5)


def _paint_numbers(painter: QPainter, frame: Frame, rows: Rows, scale: RowScale) -> None:
    line = QFontMetricsF(painter.font()).height()
    down = scale.pixels_per_row
    edge = frame.gutter.right()
    for row, number in rows.ticks(1.6 * line / down, scale.first, scale.last):
        # Rows may begin above the plot, where a tick would be painted into the title line.
        y = scale.y(row)
        if y >= frame.plot.top() - 0.5:
            painter.drawLine(QPointF(edge - 4, int(y) + 0.5), QPointF(edge - 1, int(y) + 0.5))
        # Tall rows have their number in their middle; low rows have it at their upper edge, beside the tick.
        middle = _middle(frame, scale, row, line) if down >= line else y
        if middle is not None and frame.plot.top() <= middle <= frame.plot.bottom():
            paint_row_label(painter, frame, format_count(number), middle)


def _paint_hosts(
    painter: QPainter, frame: Frame, rows: Rows, scale: RowScale, marked: frozenset[str], theme: Theme
) -> None:
    """Paint the host names of nodes: of each node, or of some if rows are low, without overlaps."""
    line = QFontMetricsF(painter.font()).height()
    edge, last = frame.gutter.right(), -math.inf
    for top, bottom, name in rows.host_labels(1.1 * line / scale.pixels_per_row, scale.first, scale.last):
        # Only the visible part of a row counts: the name of a tall node stays in sight while it is scrolled.
        seen = max(scale.y(top), frame.plot.top()), min(scale.y(bottom), frame.plot.bottom())
        middle = (seen[0] + seen[1]) / 2
        written = min(max(middle, frame.plot.top() + line / 2), frame.plot.bottom() - line / 2)
        if seen[0] > seen[1] or written - last < line - 2:
            continue
        last = written
        painter.setPen(QColor(theme.accent if name in marked else theme.faint))
        painter.drawLine(QPointF(edge - 4, int(middle) + 0.5), QPointF(edge - 1, int(middle) + 0.5))
        paint_row_label(painter, frame, name, middle, Qt.TextElideMode.ElideMiddle)
    painter.setPen(QColor(theme.faint))


def _paint_names(
    painter: QPainter, frame: Frame, rows: Rows, scale: RowScale, marked: frozenset[str], theme: Theme
) -> None:
    """Paint the marked names; of the others each, or every n-th if rows are low, without overlaps."""
    line = QFontMetricsF(painter.font()).height()
    visible = range(int(scale.first), min(int(scale.last) + 1, len(rows.names)))
    # Marked names come first and so take their room; the others fill what is left.
    chosen = [row for row in visible if rows.names[row] in marked]
    every = max(math.ceil(line / scale.pixels_per_row), 1)
    chosen += [row for row in visible if row % every == 0 and rows.names[row] not in marked]
    taken: list[float] = []
    edge = frame.gutter.right()
    for row in chosen:
        middle = _middle(frame, scale, row, line)
        if middle is None:
            continue
        written = min(max(middle, frame.plot.top() + line / 2), frame.plot.bottom() - line / 2)
        if any(abs(written - other) < line - 2 for other in taken):
            continue
        taken.append(written)
        painter.setPen(QColor(theme.accent if rows.names[row] in marked else theme.faint))
        painter.drawLine(QPointF(edge - 4, int(middle) + 0.5), QPointF(edge - 1, int(middle) + 0.5))
        paint_row_label(painter, frame, rows.names[row], middle)


def _middle(frame: Frame, scale: RowScale, row: float, line: float) -> float | None:
    """The middle of the visible part of a row, for its name; None if that part is too small."""
    top, bottom = max(scale.y(row), frame.plot.top()), min(scale.y(row + 1), frame.plot.bottom())
    # Its middle, or the height of a line, has to be in view: else a name seems to belong to another row.
    middle = scale.y(row + 0.5)
    return (top + bottom) / 2 if top <= middle <= bottom or bottom - top >= line else None


def _paint_part(painter: QPainter, frame: Frame, rows: Rows, scale: RowScale, theme: Theme) -> None:
    """At the right edge, which part of all rows is seen, where that is not all."""
    if scale.last - scale.first >= rows.total - 1e-6:
        return
    plot = frame.plot
    down = plot.height() / rows.total
    painter.fillRect(QRectF(plot.right() + 4, plot.top(), _BAR, plot.height()), QColor(theme.grid))
    # In a machine with very many rows the visible part would be thinner than can be seen.
    height = max((scale.last - scale.first) * down, 6.0)
    top = min(plot.top() + scale.first * down, plot.bottom() - height)
    painter.fillRect(QRectF(plot.right() + 4, top, _BAR, height), QColor(theme.faint))
