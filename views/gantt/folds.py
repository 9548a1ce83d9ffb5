"""Folding of groups of nodes by a click on their labels beside the plot."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPolygonF

from views.data.gantt.rows import RowGroup, Rows, RowScale
from views.raster.request import ALL_ROWS
from views.state.clock import Clock, Part
from views.state.view_state import ViewState
from views.theme.theme import Theme
from views.timechart.frame import Frame, paint_row_label, paint_upright
from views.timechart.pointer import Pointer

LABEL = 20.0
"""Width of the labels of groups at the left edge of a chart, in pixels; folded groups use the gutter."""

_SIGN = 7.0  # size of the fold sign of a group


def fold(view: ViewState, clock: Clock, rows: Rows, folded: tuple[str, ...]) -> None:
    """Fold just these groups of nodes, by name, where `rows` are shown now.

    What stays is seen as before; where all rows were shown they still are.
    """
    part = clock.rows
    view.choose(folded=folded)
    if part != ALL_ROWS:
        clock.set_window(*clock.window, part_after(rows, view, part))


def part_after(rows: Rows, view: ViewState, part: Part) -> Part:
    """The part of the rows, as the view folds them, that shows what a `part` of these rows did."""
    after = rows.fold(view.options.folded)
    # From shares to processors by the old rows, and back by the new: processors are what both have in common.
    edges = after.rows_of(rows.processors_at(np.array(part) * rows.total)) / after.total
    # If both edges lie in the same folded group, of which nothing can be seen alone, all rows are shown.
    return (float(edges[0]), float(edges[1])) if edges[1] > edges[0] else ALL_ROWS


def toggled(folded: tuple[str, ...], name: str) -> tuple[str, ...]:
    """The folded groups after adding or removing a group."""
    return tuple(other for other in folded if other != name) if name in folded else (*folded, name)


class FoldMouse:
    """The labels of groups of nodes beside a chart: tooltips, and folding by clicks."""

    def __init__(
        self,
        view: ViewState,
        clock: Clock,
        frame: Callable[[], Frame],
        rows: Callable[[], tuple[Rows, RowScale] | None],
        pointer: Pointer,
    ) -> None:
        self._view, self._clock, self._frame, self._rows = view, clock, frame, rows
        self._pointer = pointer

    @property
    def pointed(self) -> RowGroup | None:
        """The group of nodes under the mouse, if it can be folded."""
        return None if self._pointer.position is None else self.group_at(self._pointer.position)

    @property
    def rows(self) -> Rows | None:
        """The rows that are shown, if groups of them can be folded."""
        shown = self._rows()
        return shown[0] if shown is not None and shown[0].can_fold else None

    def group_at(self, position: QPointF) -> RowGroup | None:
        """The group of nodes whose rows contain a position, beside the plot too, if it can be folded."""
        shown, frame = self._rows(), self._frame()
        if shown is None or not shown[0].can_fold:
            return None
        if not frame.plot.top() <= position.y() < frame.plot.bottom():
            return None
        return shown[0].group_at(shown[1].row(position.y()))

    def label_at(self, position: QPointF) -> RowGroup | None:
        """The group whose label contains the position."""
        left = self._frame().gutter.left()
        group = self.group_at(position)
        if group is None or position.x() < left:
            return None
        wide = self._frame().gutter.width() if group.folded else LABEL
        return group if position.x() < left + wide else None

    def tooltip_at(self, position: QPointF) -> str:
        """Describe the effect of a click on the label at the position; empty if there is no label."""
        group = self.label_at(position)
        if group is None:
            return ""
        return f"{group.name}\nClick: {'unfold' if group.folded else 'fold'} this group of nodes"

    def click(self, position: QPointF) -> bool:
        """Fold or unfold the group whose label contains the position; True if there is such a group."""
        group = self.label_at(position)
        if group is not None:
            self.toggle(group.name)
        return group is not None

    def toggle(self, name: str | None = None) -> None:
        """Fold a group or unfold it; None: fold all, or unfold all where all are."""
        rows = self.rows
        if rows is None:
            return
        now = self._view.options.folded
        every = tuple(group.name for group in rows.groups)
        if name is not None:
            now = toggled(now, name)
        else:
            now = () if set(every) <= set(now) else every
        fold(self._view, self._clock, rows, now)


def paint_groups(painter: QPainter, frame: Frame, rows: Rows, scale: RowScale, theme: Theme) -> None:
    """Paint the names of groups of nodes along the left edge, with fold signs; of folded groups beside their
    row.
    """
    for group in rows.groups:
        top = max(scale.y(group.first), frame.plot.top())
        bottom = min(scale.y(group.first + group.rows), frame.plot.bottom())
        if group.folded:
            _paint_folded(painter, frame, group, (top, bottom), theme)
            continue
        name = group.name if len(rows.groups) > 1 else rows.kind
        needed = QFontMetricsF(painter.font()).horizontalAdvance(name) + 4
        # The sign goes where the upright name leaves room at both ends; without it a click still folds.
        signed = rows.can_fold and bottom - top >= needed + 2 * (_SIGN + 5)
        if signed:
            _paint_sign(painter, QPointF(frame.gutter.left() + 8, top + 3), False, theme)
        paint_upright(painter, frame, name, top, bottom - top)


def _paint_folded(
    painter: QPainter, frame: Frame, group: RowGroup, edges: tuple[float, float], theme: Theme
) -> None:
    top, bottom = edges
    line = QFontMetricsF(painter.font()).height()
    # On less than four pixels neither the band nor the sign could be recognised.
    if bottom - top < 4:
        return
    ground = QColor(theme.grid)
    painter.fillRect(QRectF(frame.gutter.left(), top, frame.gutter.width(), bottom - top), ground)
    middle = (top + bottom) / 2
    _paint_sign(painter, QPointF(frame.gutter.left() + 8, middle - _SIGN / 2), True, theme)
    if bottom - top >= line - 4:
        painter.setPen(QColor(theme.text))
        paint_row_label(painter, frame, group.name, middle)
        painter.setPen(QColor(theme.faint))


def _paint_sign(painter: QPainter, corner: QPointF, folded: bool, theme: Theme) -> None:
    """A triangle that points to the right where there is more to be seen, else down."""
    x, y, half = corner.x(), corner.y(), _SIGN / 2
    points = [QPointF(x, y), QPointF(x, y + _SIGN), QPointF(x + half + 1, y + half)]
    if not folded:
        points = [QPointF(x, y), QPointF(x + _SIGN, y), QPointF(x + half, y + half + 1)]
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QColor(theme.faint))
    painter.setBrush(QColor(theme.faint))
    painter.drawPolygon(QPolygonF(points))
    painter.restore()
