"""A table for LaTeX that fits the width of a page: smaller type, wrapped words, or columns in parts."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.shown_text import latex_text

Row = Sequence[str]

PAGE = 345.0
"""The width of the text of an `article` at 10 points, in points; most classes are wider."""

_GAP = 12.0
"""Points between two columns: twice \\tabcolsep."""

_SIZES = {"footnotesize": 0.87, "scriptsize": 0.78, "tiny": 0.69}
"""Sizes of type with their widths relative to 10 points: the first is taken in which a table fits."""

_HEAD = 46.0
"""Points of a title above numbers that stays in one line."""

MOST_ROWS = 40
"""Rows of a tabular, which cannot be broken between pages; the rest follows in further ones."""

_NARROW, _WIDE = frozenset("iljtfrI.,:;|!'()[] "), frozenset("mwMW—%@±−+=<>≤≥≈×")

_NUMBER = re.compile(r"[+\-−±–]?\s*[\d.–][\d\s., %±()+−\-–a-z]*|")
"""A cell of a column of numbers, its change or its unit behind it; empty where there is none."""

_BREAKS = re.compile(r"([:=,;/_+-])(?=\w)")
"""Marks of a spelling behind which a line may end."""


@dataclass(frozen=True)
class _Column:
    """A column: its title, its cells, whether it has words, and its widths in points at full size."""

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
        return max((_width(word) for piece in pieces for word in piece.split()), default=0.0)

    @property
    def least(self) -> float:
        """The width of a column of numbers whose title is in several lines."""
        return max(self.widest_cell, *map(_width, _lines(self.title, max(self.widest_cell, _HEAD))))


def latex(titles: Row, rows: Sequence[Row], page: float = PAGE) -> str:
    """A `tabular` with the rules of the package booktabs, at most `page` points wide.

    What is too wide is set smaller, with titles over numbers in several lines; then words are wrapped in
    columns of a fixed width, and then columns of numbers follow in further tabulars, which repeat the words.
    """
    columns = _columns(titles, rows)
    if _total([column.natural for column in columns]) <= page:
        pieces = _joined(_tabular(columns, {}, False, part) for part in _pages(len(rows)))
        return "\n".join(["% needs \\usepackage{booktabs}", *pieces])
    words = [column for column in columns if column.words]
    numbers = [column for column in columns if not column.words]
    for each, scale in _SIZES.items():
        size = each
        room, gap = page / scale, _GAP / scale  # in points of type at full size
        # Words leave room for the widest column of numbers, and for all of them where they can.
        left = room - gap * len(words) - max((column.least + gap for column in numbers), default=0.0)
        all_left = room - gap * len(columns) - sum(column.least for column in numbers)
        shortest = [column.longest_piece for column in words]
        if sum(shortest) <= left:
            break
    widths = _shared(words, max(all_left, min(left, 0.6 * room), sum(shortest)))
    keys = sum(widths.get(id(column), column.natural) + gap for column in words)
    parts = list(_parts(numbers, room - keys, gap)) or [[]]
    lines = ["% needs \\usepackage{array,booktabs}", f"{{\\{size}"]
    fixed = {key: width * scale for key, width in widths.items()}
    lines += _joined(
        _tabular([column for column in columns if column.words or column in part], fixed, True, some)
        for part in parts
        for some in _pages(len(rows))
    )
    return "\n".join([*lines, "}"])


def _pages(rows: int) -> list[slice]:
    """The rows of each tabular, of a table without rows a single one."""
    return [slice(first, first + MOST_ROWS) for first in range(0, max(rows, 1), MOST_ROWS)]


def _joined(tabulars: Iterator[list[str]]) -> list[str]:
    """The lines of tabulars below one another."""
    lines: list[str] = []
    for tabular in tabulars:
        lines += [*(["\\par\\medskip"] if lines else []), *tabular]
    return lines


def _columns(titles: Row, rows: Sequence[Row]) -> list[_Column]:
    found = []
    for place, title in enumerate(titles):
        cells = tuple(row[place] for row in rows)
        # The first two columns of our tables are words, as are others whose cells are no numbers.
        words = place < 2 or not all(_NUMBER.fullmatch(cell) for cell in cells)
        found.append(_Column(title, cells, words))
    return found


def _total(widths: Sequence[float]) -> float:
    return sum(widths) + _GAP * len(widths)


def _width(text: str) -> float:
    """The width of a text in points at 10 points of Computer Modern, at most: no letter is wider."""
    return sum(
        3.9 if c in _NARROW else 8.4 if c in _WIDE else 7.7 if c.isupper() else 5.6 if c.isascii() else 7.7
        for c in text
    )


def _lines(title: str, width: float) -> list[str]:
    """A title in lines of this width where it can be broken: between words, or behind marks of spellings."""
    lines = [""]
    for piece in re.findall(r"\S+?[:=,;/_-](?=\w)|\S+\s*|\s+", title):
        if lines[-1] and _width(lines[-1] + piece.rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return [line.strip() for line in lines]


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
            widths[id(column)] = column.longest_piece + more
    return widths


def _parts(numbers: Sequence[_Column], room: float, gaps: float) -> Iterator[list[_Column]]:
    """The columns of numbers in parts that fit the room, one at least in each."""
    part: list[_Column] = []
    used = 0.0
    for column in numbers:
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
    for column in columns:
        fixed = widths.get(id(column))
        if fixed is not None:
            kinds.append(f">{{\\raggedright\\arraybackslash}}p{{{math.floor(fixed)}pt}}")
        else:
            kinds.append("l" if column.words else "r")
    head = [_head(column, id(column) in widths, small) for column in columns]
    body = []
    for cells in zip(*(column.cells[some] for column in columns), strict=True):
        texts = (
            _breakable(cell) if id(column) in widths else latex_text(cell)
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
        return _breakable(column.title)
    lines = _lines(column.title, max(column.widest_cell, _HEAD)) if small and not column.words else []
    if len(lines) < 2:
        return latex_text(column.title)
    joined = r" \\ ".join(map(latex_text, lines))
    return f"\\shortstack[r]{{{joined}}}"


def _breakable(text: str) -> str:
    """Words of a column of fixed width: a line may end behind a mark of a spelling, and in long words."""
    return "\\allowbreak{}".join(map(latex_text, _pieces(text)))


def _pieces(text: str) -> list[str]:
    """A text in the pieces behind which a line may end, its words aside."""
    return _BREAKS.sub("\\1\u200b", text).split("\u200b")
