"""Dots under the words of a page that are explained by a click: rich text has no such line of its own."""

from __future__ import annotations

from PySide6.QtGui import QTextCharFormat, QTextCursor, QTextDocument

from views.inspector.html import TERM


def underline_terms(document: QTextDocument) -> None:
    """Underline with dots whatever links to a term."""
    dotted = QTextCharFormat()
    dotted.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DotLine)
    found = []
    block = document.begin()
    while block.isValid():
        pieces = block.begin()
        while not pieces.atEnd():
            piece = pieces.fragment()
            if piece.charFormat().anchorHref().startswith(TERM):
                found.append((piece.position(), piece.length()))
            pieces += 1
        block = block.next()
    for start, length in found:
        cursor = QTextCursor(document)
        cursor.setPosition(start)
        cursor.setPosition(start + length, QTextCursor.MoveMode.KeepAnchor)
        cursor.mergeCharFormat(dotted)
