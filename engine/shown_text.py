r"""Text that leaves the program: names in logs are untrusted, whatever they are written into.

Where people read a name, `shown_name` writes it: what cannot be shown (control characters, marks of writing
direction, halves of surrogate pairs) is an escape of Python like `\u202e`, a backslash is doubled, so that
different names stay different, and the middle of a long name is cut. `escaped` is the same without the cut.
Whole texts, in which names have been written already, pass `printable`, or the function of their format.
Formats that programs read (JSON, Parquet, CSV of the command line) keep names as they are in the log.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from html import escape
from itertools import accumulate, takewhile
from typing import Any

MOST = 120
"""The most characters of a name where it is shown."""

_ODD = re.compile("[^ -~]")
"""The characters to be looked at: most texts have hardly any."""

_LITERAL = re.compile("[ !#-%(-;=?-~]*")
"""What is the same in HTML: printable ASCII but for & < > and both quotes."""

_BREAKS = "\n\t"
"""Control characters that lay out a text of several lines."""

_UNTOLD = "-1"
"""What a log has for the queue or the group of a job that had none."""


def shown_name(name: object, most: int = MOST) -> str:
    """A name, or whatever else a log or a user brought, for people: at most `most` characters."""
    text = str(name)
    if len(text) <= most and _is_plain(text):
        return text
    # No escape is cut in two, and no more of an endless name is looked at than can be shown.
    pieces = list(_pieces(text if len(text) <= most else text[:most]))
    if len(text) <= most and sum(map(len, pieces)) <= most:
        return "".join(pieces)
    end = most // 3
    last = _within(reversed(list(_pieces(text[-end:]))), end)
    return "".join([*_within(pieces, most - 1 - end), "…", *reversed(last)])


def is_named(kind: str, name: str) -> bool:
    """Whether the log has a user, queue or group of that name; otherwise the jobs have none."""
    return kind == "user" or name != _UNTOLD


def format_name(kind: str, name: str) -> str:
    """A user, queue or group of the log as it is shown: by its name, or `no queue`."""
    return shown_name(name) if is_named(kind, name) else f"no {kind}"


def with_kind(kind: str, name: str) -> str:
    """`user 7`, `queue short`, or `no queue`."""
    return f"{kind} {shown_name(name)}" if is_named(kind, name) else f"no {kind}"


def escaped(name: object) -> str:
    """The whole name as `shown_name` writes it: different names stay different."""
    text = str(name)
    return text if _is_plain(text) else "".join(_pieces(text))


def printable(text: str, breaks: str = _BREAKS) -> str:
    """A text with escapes for what cannot be shown, except the control characters in `breaks`."""
    return _ODD.sub(lambda odd: odd[0] if odd[0] in breaks or can_be_shown(odd[0]) else _escape(odd[0]), text)


def in_a_line(text: str) -> str:
    """A text in a single line."""
    return printable(text, "")


def terminal_text(text: str) -> str:
    """A text for a terminal, which it cannot control; ends of lines of other systems stay."""
    return "\r\n".join(map(printable, text.split("\r\n")))


def can_be_shown(c: str) -> bool:
    """Whether a character is shown as itself: no control, format, surrogate, private or unassigned one."""
    return c.isprintable() or unicodedata.category(c) == "Zs"  # as the thin spaces in numbers


def html_text(text: object) -> str:
    """A text for HTML, SVG and Qt's rich text, also within the quotes of an attribute: never markup."""
    text = str(text)
    # Nearly all of the tens of thousands of cells of a page are plain.
    return text if _LITERAL.fullmatch(text) else escape(printable(text), quote=True)


def json_text(document: Any, indent: int | None = None) -> str:
    """A document as JSON, which reads back the same: what cannot be shown is an escape of JSON."""
    text = json.dumps(document, indent=indent, ensure_ascii=False, allow_nan=False)
    return _ODD.sub(
        lambda odd: odd[0] if odd[0] in _BREAKS or can_be_shown(odd[0]) else json.dumps(odd[0])[1:-1], text
    )


_LATEX = {
    "\\": r"\textbackslash{}",
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "−": "$-$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "≈": r"$\approx$",
    "×": r"$\times$",
    "¹": "$^1$",
    "²": "$^2$",
    "³": "$^3$",
    "<": "$<$",
    ">": "$>$",
}


def latex_text(text: str) -> str:
    """A text for LaTeX: a single line without commands."""
    return "".join(_LATEX.get(c, " " if c.isspace() else c) for c in in_a_line(text))


_MARKDOWN = {**{mark: f"\\{mark}" for mark in "\\|`*_[]~$"}, "<": "&lt;", "&": "&amp;"}


def markdown_text(text: str) -> str:
    """A text for a cell of a table in Markdown: a single line without markup."""
    return "".join(_MARKDOWN.get(c, " " if c.isspace() else c) for c in in_a_line(text))


_BEGINS_FORMULA = frozenset("=+-@")


def spreadsheet_text(text: str) -> str:
    """A word for a cell of a spreadsheet, behind an apostrophe if it would be run as a formula."""
    text = escaped(text)
    if text[:1] not in _BEGINS_FORMULA:
        return text
    # A number may begin with a minus and is no formula.
    try:
        float(text)
    except ValueError:
        return f"'{text}"
    return text


def _is_plain(text: str) -> bool:
    return text.isprintable() and "\\" not in text


def _pieces(text: str) -> Iterator[str]:
    """Each character as it is shown."""
    return ("\\\\" if c == "\\" else c if can_be_shown(c) else _escape(c) for c in text)


def _escape(c: str) -> str:
    return c.encode("unicode_escape").decode()


def _within(pieces: Iterable[str], most: int) -> list[str]:
    """The first pieces that have at most so many characters together."""
    pieces = list(pieces)
    ends = takewhile(lambda end: end <= most, accumulate(map(len, pieces)))
    return pieces[: sum(1 for _ in ends)]
