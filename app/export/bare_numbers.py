"""Tables of words for people as columns of bare numbers, for programs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.quantities.job_table import Table

_SIZE = r"[+−-]?\d(?:[\d,\s]*\d)?(?:\.\d+)?"
"""A number as it is written for people, with commas or thin spaces between thousands."""

_UNIT = r"(?:\s*(?:%|h|s|d|min|MiB|GiB|CPU h))?"

_KINDS: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = (
    (re.compile(f"({_SIZE}){_UNIT}"), ("",)),
    (re.compile(rf"({_SIZE}) \(({_SIZE})\s*%\)"), ("", ", %")),
    (re.compile(f"({_SIZE}){_UNIT} to ({_SIZE}){_UNIT}"), (", low", ", high")),
    (re.compile(rf"(\d+)\. \(({_SIZE})\)"), (", rank", "")),
)
"""The forms of cells that are numbers, and what follows the title of the column of each number."""

_MISSING = frozenset(("", "–"))

_CODE = re.compile(r"0\d")
"""How codes begin, such as the user `007`, which are no numbers."""


def bare_table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    """The columns of a table: numbers where all cells of a column are of one form, or else its words.

    A count with its share, a range and a rank have a column for each of their numbers. Units stay in titles.
    Numbers have the digits that people are shown.
    """
    return [
        column
        for place, title in enumerate(titles)
        for column in _columns(title, [row[place] for row in rows])
    ]


def _columns(title: str, cells: Sequence[str]) -> Iterator[tuple[str, Any]]:
    known = [cell for cell in cells if cell not in _MISSING]
    for form, ends in _KINDS:
        if not known or any(_CODE.match(cell) for cell in known):
            break
        if all(form.fullmatch(cell) for cell in known) and len(set(map(_units(form), known))) == 1:
            for group, end in enumerate(ends, 1):
                yield f"{title}{end}", _numbers(form, group, cells)
            return
    yield title, list(cells)


def _units(form: re.Pattern[str]) -> Callable[[str], str]:
    """What a cell has besides its numbers: columns of several units are words."""

    def rest(cell: str) -> str:
        found = form.fullmatch(cell)
        assert found is not None  # all cells are of the form
        return re.sub(_SIZE, "#", cell)

    return rest


def _numbers(form: re.Pattern[str], group: int, cells: Sequence[str]) -> NDArray[Any]:
    """The numbers of a group of each cell, NaN where a cell is missing; if all are whole, masked integers."""
    values = np.full(len(cells), np.nan)
    for place, cell in enumerate(cells):
        if found := form.fullmatch(cell):
            values[place] = float(re.sub(r"[,\s]", "", found[group]).replace("−", "-"))
    there = values[np.isfinite(values)]
    if not ((np.abs(there) < 2**53).all() and (there == there.round()).all()):
        return values
    return np.ma.masked_array(np.nan_to_num(values).astype(np.int64), ~np.isfinite(values))
