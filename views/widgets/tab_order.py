"""The order in which Tab goes through widgets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cmp_to_key
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QAbstractSpinBox, QComboBox, QWidget

_WHOLE = (QAbstractItemView, QAbstractSpinBox, QComboBox)
"""Widgets whose inner parts Tab does not stop at."""


def chain(widgets: Iterable[QWidget]) -> None:
    """Let Tab go through these widgets in this order, from where the first is."""
    for before, after in pairwise(widgets):
        QWidget.setTabOrder(before, after)


def read_through(part: QWidget) -> Iterator[QWidget]:
    """The visible stops of Tab within a part, line after line; a holder is gone through as a whole."""
    children = (widget for widget in part.children() if isinstance(widget, QWidget))
    held = [widget for widget in children if widget.isVisible() and not widget.isWindow()]
    for child in sorted(held, key=cmp_to_key(_before)):
        if child.focusPolicy() & Qt.FocusPolicy.TabFocus and child.focusProxy() is None:
            yield child
        if not isinstance(child, _WHOLE):
            yield from read_through(child)


def _before(widget: QWidget, other: QWidget) -> int:
    """Negative if a widget is read before another: it is above it, or in the same line at its left."""
    first, second = widget.geometry(), other.geometry()
    shared = min(first.bottom(), second.bottom()) - max(first.top(), second.top())
    if 2 * shared > min(first.height(), second.height()):
        return first.left() - second.left()
    return first.top() - second.top()
