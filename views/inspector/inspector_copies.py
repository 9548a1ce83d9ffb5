"""Copies of the inspector: text as it is read, a line a row of a table."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QTextBlock, QTextCursor, QWheelEvent
from PySide6.QtWidgets import QTextBrowser

_BETWEEN = "\t"
_UNSEEN = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u200b": None, "\ufffc": None, "\u2028": "\n"})
"""Signs that only keep words together or part them; other programs show some as boxes."""


class PageBrowser(QTextBrowser):
    """A text browser for a page; copying puts the cells of a table row into a single line."""

    def createMimeDataFromSelection(self) -> QMimeData:
        mime = super().createMimeDataFromSelection()  # made by Qt, so that the clipboard may outlive Python
        mime.text()  # Qt writes its own text when it is first asked for, and never again
        mime.setText(selected_text(self.textCursor()))
        return mime

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll; with Control Qt would change the size of this text alone, which the settings say."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()
        else:
            super().wheelEvent(event)


def selected_text(cursor: QTextCursor) -> str:
    """The selected text of a cursor: cells of a row separated by tabs, empty lines only between parts."""
    first, last = cursor.selectionStart(), cursor.selectionEnd()
    lines: list[str] = []
    row_before: tuple[int, int] | None = None
    block = cursor.document().findBlock(first)
    while block.isValid() and (block.position() < last or block.contains(first)):
        words, row = _within(block, first, last), _row(block)
        if row is not None and row == row_before:
            lines[-1] += _BETWEEN + words
        elif words or row is not None or (lines and lines[-1]):
            lines.append(words)
        row_before = row
        block = block.next()
    return "\n".join(line.rstrip() for line in lines).rstrip("\n")


def _within(block: QTextBlock, first: int, last: int) -> str:
    part = QTextCursor(block)
    part.setPosition(max(first, block.position()))
    part.setPosition(min(last, block.position() + block.length() - 1), QTextCursor.MoveMode.KeepAnchor)
    return part.selectedText().translate(_UNSEEN)


def _row(block: QTextBlock) -> tuple[int, int] | None:
    """The row and table of a paragraph; None outside of tables."""
    cursor = QTextCursor(block)
    table = cursor.currentTable()
    return None if table is None else (table.firstPosition(), table.cellAt(cursor).row())
