"""A table for LaTeX that fits the width of a page: smaller type, wrapped words, or columns in parts."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from engine.shown_text import latex_text

Row = Sequence[str]

PAGE = 345.0
"""The width of the text of an `article` at 10 points, in points; most classes are wider."""

_GAP = 12.0
"""Points between two columns: twice \\tabcolsep."""

_LINE = 12.0
"""Points from a line to the next at 10 points."""

_SIZES = {"footnotesize": (0.87, 9.5), "scriptsize": (0.79, 8.0), "tiny": (0.69, 6.0)}
"""Sizes of type, with their widths relative to 10 points and the points from a line to the next.

The first is taken in which a table fits.
"""

_HEAD = 46.0
"""Points of a title above numbers that stays in one line."""

_NARROWEST = 120.0
"""Points of wrapped words that follow in a part of their own."""

HEIGHT = 480.0
"""The height of a tabular in points, which cannot be broken between pages: the rows that follow stand in
further ones. The text of an `article` is 550 points high; the rest is left to the caption."""

_RULES = 15.0
"""Points of the rules of a tabular, with the space around them."""

_LONGEST, _PART = 18, 9
"""The letters of the longest word that is never broken between lines, and of the parts of longer words:
a line may end after each part, where a word has no marks such as hyphens."""

_WIDTHS = {
    letter: width
    for letters, width in (
        ("iljtfrI.,:;|!'()[] ", 4.0),
        ("^~", 6.2),
        ("mw%@#&_±−+=<>≤≥≈×", 8.4),
        ("MW—", 10.3),
        ("…", 13.6),
    )
    for letter in letters
}
"""The most that letters are wide in points at 10 points of Computer Modern, where others are no example."""

_NUMBER = re.compile(r"[+\-−±–]?\s*[\d.–][\d\s., %±()+−\-–a-z]*|")
"""A cell of a column of numbers, its change or its unit behind it; empty where there is none."""

_BREAK = re.compile(r"(?<=[:=;/_+])(?=\w)|(?<=[,.])(?=[^\W\d])|(?<=\w-)(?=\w)")
"""The places of a spelling at which a line may end: behind its marks, but not inside a number."""


@dataclass(frozen=True, eq=False)
class _Column:
    """A column: its place in the table, its title, its cells, whether it has words, and its widths in points
    at full size.

    Columns are told apart by what they are and not by what they hold: two can have the same title and cells.
    """

    place: int
    title: str
    cells: tuple[str, ...]
    words: bool

    @property
    def widest_cell(self) -> float:
        return max(map(_width, self.cells), default=0.0)

    @property
    def natural(self) -> float:
        """The width of cells and title in one line."""
        return max(self.widest_cell, _width(self.title))

    @property
    def longest_piece(self) -> float:
        """The width of a column of words below which a piece that cannot be broken is wider."""
        pieces = (piece for text in (self.title, *self.cells) for piece in _pieces(text))
        return max((_width(piece.rstrip()) for piece in pieces), default=0.0)

    @property
    def least(self) -> float:
        """The width of a column whose title or words are in several lines."""
        if self.words:
            return min(self.natural, max(self.longest_piece, _NARROWEST))
        return max(self.widest_cell, *map(_width, _title_lines(self)))


def latex(titles: Row, rows: Sequence[Row], page: float = PAGE) -> str:
    """A `tabular` with the rules of the package booktabs, at most `page` points wide and HEIGHT points high.

    What is too wide is set smaller, with titles over numbers in several lines; then words are wrapped in
    columns of a fixed width, and then columns of numbers follow in further tabulars, which repeat the words.
    What is too high follows in further tabulars too, below the same titles, and a row that no page holds goes
    on there.
    """
    columns = _columns(titles, rows)
    if _total([column.natural for column in columns]) <= page:
        parts = _pages([1] * len(rows), 1, _LINE)
        pieces = _joined(_tabular(columns, {}, False, part) for part in parts)
        return "\n".join(["% needs \\usepackage{booktabs}", *pieces])
    keys = [column for column in columns if column.words]
    for each, measures in _SIZES.items():
        size, (scale, line) = each, measures
        room, gap = page / scale, _GAP / scale  # in points of type at full size
        if sum(column.longest_piece for column in keys) <= _left(columns, keys, room, gap):
            break
    else:  # so many words fit no page: they follow in parts too, but for the first two columns
        keys = columns[:2]
    others = [column for column in columns if column not in keys]
    least = sum(column.longest_piece for column in keys)
    # Words leave room for all columns of numbers where they can, and for the widest in any case.
    all_left = room - gap * len(columns) - sum(column.least for column in others)
    widths = _shared(keys, max(all_left, min(_left(columns, keys, room, gap), 0.6 * room), least))
    widths |= {
        column.place: column.least for column in others if column.words and column.least < column.natural
    }
    used = sum(widths.get(column.place, column.natural) + gap for column in keys)
    lines = ["% needs \\usepackage{array,booktabs}", f"{{\\{size}"]
    fixed = {key: width * scale for key, width in widths.items()}
    lines += _joined(
        _tabular(shown, fixed, True, some)
        for part in list(_parts(others, room - used, gap)) or [[]]
        for whole in [[column for column in columns if column in keys or column in part]]
        for shown in [_continued(whole, widths, line)]
        for some in _pages(*_heights(shown, widths), line)
    )
    return "\n".join(lines) + "}"  # in the same line: its end would be a space beside the table


def _left(columns: Sequence[_Column], keys: Sequence[_Column], room: float, gap: float) -> float:
    """What the widest of the other columns leaves of a room to the columns that each part repeats."""
    others = (column.least + gap for column in columns if column not in keys)
    return room - gap * len(keys) - max(others, default=0.0)


def _heights(columns: Sequence[_Column], widths: dict[int, float]) -> tuple[list[int], int]:
    """The lines of each row, and of the titles, where columns with a width have wrapped words."""

    def lines(column: _Column, text: str) -> int:
        width = widths.get(column.place)
        return 1 if width is None else len(_lines(text, width))

    # A row is as high as its highest cell, and titles likewise.
    rows = [
        max(lines(column, cell) for column, cell in zip(columns, cells, strict=True))
        for cells in zip(*(column.cells for column in columns), strict=True)
    ]
    heads = (
        len(_title_lines(column))
        if column.place not in widths and not column.words
        else lines(column, column.title)
        for column in columns
    )
    return rows, max(heads, default=1)


def _room(head: int, line: float) -> float:
    """The points that titles of `head` lines leave to the rows of a tabular."""
    return HEIGHT - _RULES - head * line


def _continued(columns: Sequence[_Column], widths: dict[int, float], line: float) -> list[_Column]:
    """The columns where a row that no page holds goes on in further rows; short cells are empty there."""
    heights, head = _heights(columns, widths)
    # Only a row that no page holds is cut: others go to the next page as a whole.
    most = int(_room(head, line) // line)
    if max(heights, default=0) <= most:
        return list(columns)
    cells: list[list[str]] = [[] for _ in columns]
    for row, height in enumerate(heights):
        for column, parts in zip(columns, cells, strict=True):
            text, width = column.cells[row], widths.get(column.place)
            lines = [text] if width is None or height <= most else _broken(text, width)
            # Each further row has the next lines of every cell.
            parts += ["".join(lines[k : k + most]).strip() for k in range(0, max(height, 1), most)]
    return [replace(column, cells=tuple(parts)) for column, parts in zip(columns, cells, strict=True)]


def _pages(heights: Sequence[int], head: int, line: float) -> list[slice]:
    """The rows of each tabular, so that no tabular is higher than HEIGHT; a table without rows has one.

    `heights` has the lines of each row, `head` those of the titles; a line is `line` points high.
    """
    room = _room(head, line)
    slices, first, used = [], 0, 0.0
    for place, lines in enumerate(heights):
        if place > first and used + lines * line > room:
            slices.append(slice(first, place))
            first, used = place, 0.0
        used += lines * line
    return [*slices, slice(first, len(heights))]


def _joined(tabulars: Iterator[list[str]]) -> list[str]:
    """The lines of tabulars below one another; the indent of a paragraph would make them too wide."""
    lines: list[str] = []
    for tabular in tabulars:
        lines += ["\\par\\medskip\\noindent" if lines else "\\noindent", *tabular]
    return lines


def _columns(titles: Row, rows: Sequence[Row]) -> list[_Column]:
    found = []
    for place, title in enumerate(titles):
        cells = tuple(row[place] for row in rows)
        # The first two columns of our tables are words, as are others whose cells are no numbers.
        words = place < 2 or not all(_NUMBER.fullmatch(cell) for cell in cells)
        found.append(_Column(place, title, cells, words))
    return found


def _total(widths: Sequence[float]) -> float:
    return sum(widths) + _GAP * len(widths)


def _width(text: str) -> float:
    """The width of a text in points at 10 points of Computer Modern, at most: no letter is wider."""
    return sum(_WIDTHS.get(c) or (7.9 if c.isupper() or not c.isascii() else 5.7) for c in text)


def _lines(text: str, width: float) -> list[str]:
    """A text in lines of this width where it can be broken: between words, or behind marks of spellings."""
    return [line.strip() for line in _broken(text, width)]


def _broken(text: str, width: float) -> list[str]:
    """The lines of a text with the spaces at their ends: joined they are the text."""
    lines = [""]
    for piece in _pieces(text):
        if lines[-1] and _width(lines[-1] + piece.rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return lines


def _title_lines(column: _Column) -> list[str]:
    """The lines of a title over numbers."""
    return _lines(column.title, max(column.widest_cell, _HEAD))


def _shared(words: Sequence[_Column], room: float) -> dict[int, float]:
    """The widths of the columns whose words are wrapped, so that all share a room; short ones keep theirs.

    No column is narrower than its longest piece.
    """
    widths: dict[int, float] = {}
    spare = room - sum(column.longest_piece for column in words)
    wide = sorted(words, key=lambda column: column.natural - column.longest_piece)
    for place, column in enumerate(wide):
        more = min(column.natural - column.longest_piece, max(spare, 0.0) / (len(wide) - place))
        spare -= more
        if column.longest_piece + more < column.natural:
            widths[column.place] = column.longest_piece + more
    return widths


def _parts(others: Sequence[_Column], room: float, gaps: float) -> Iterator[list[_Column]]:
    """The columns in parts that fit the room, one at least in each."""
    part: list[_Column] = []
    used = 0.0
    for column in others:
        if part and used + column.least + gaps > room:
            yield part
            part, used = [], 0.0
        part.append(column)
        used += column.least + gaps
    if part:
        yield part


def _tabular(columns: Sequence[_Column], widths: dict[int, float], small: bool, some: slice) -> list[str]:
    """The lines of a tabular of some of the rows. Columns with a width in points have wrapped words."""
    kinds = []
    # A column that is too wide for the page has a fixed width, in which its words wrap; all others are as
    # wide as LaTeX finds them.
    for column in columns:
        fixed = widths.get(column.place)
        if fixed is not None:
            kinds.append(f">{{\\raggedright\\arraybackslash}}p{{{math.floor(fixed)}pt}}")
        else:
            kinds.append("l" if column.words else "r")
    head = [_head(column, column.place in widths, small) for column in columns]
    body = []
    for cells in zip(*(column.cells[some] for column in columns), strict=True):
        texts = (
            breakable(cell) if column.place in widths else latex_text(cell)
            for column, cell in zip(columns, cells, strict=True)
        )
        body.append(" & ".join(texts) + r" \\")
    return [
        f"\\begin{{tabular}}{{{''.join(kinds)}}}",
        "\\toprule",
        " & ".join(head) + r" \\",
        "\\midrule",
        *body,
        "\\bottomrule",
        "\\end{tabular}",
    ]


def _head(column: _Column, wrapped: bool, small: bool) -> str:
    """The title of a column, over numbers in small tables in several lines."""
    if wrapped:
        return breakable(column.title)
    lines = _title_lines(column) if small and not column.words else []
    if len(lines) < 2:
        return latex_text(column.title)
    joined = r" \\ ".join(map(latex_text, lines))
    return f"\\shortstack[r]{{{joined}}}"


def breakable(text: str) -> str:
    """A text in LaTeX whose lines may end behind a mark of a spelling, and in long words."""
    *pieces, last = _pieces(text) or [""]
    ends = ("" if piece[-1].isspace() else "\\allowbreak{}" for piece in pieces)
    return "".join(latex_text(piece) + end for piece, end in zip(pieces, ends, strict=True)) + latex_text(
        last
    )


def _pieces(text: str) -> list[str]:
    """A text in the pieces behind which a line may end: words with the space behind them, and their parts."""
    pieces = []
    for word in re.findall(r"\S+\s*|\s+", text):
        for piece in _BREAK.split(word):
            step = _PART if len(piece.rstrip()) > _LONGEST else len(piece)
            pieces += [piece[first : first + step] for first in range(0, len(piece), step)]
    return pieces
