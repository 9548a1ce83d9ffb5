"""Tooltips: Qt would take names with angle brackets for markup, and would not break long lines."""

from __future__ import annotations

from html import escape


def tip(plain: str) -> str:
    """Text as a tooltip that shows it as it is; an empty line parts paragraphs."""
    paragraphs = ("<br>".join(escape(line) for line in part.split("\n")) for part in plain.split("\n\n"))
    return "".join(f"<p>{part}</p>" for part in paragraphs)
