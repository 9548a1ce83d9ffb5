"""Tables of words for people as columns of bare numbers, for programs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.quantities.job_table import Table

_SIZE = r"[+−-]?\d(?:[\d,\s]*\d)?(?:\.\d+)?(?:e[+-]\d+)?"
"""A number as it is written for people, with commas or thin spaces between thousands."""

_UNITS = r"%|h|s|d|min|MiB|GiB|CPU h"

_FIRST, _SECOND, _UNIT = f"(?P<first>{_SIZE})", f"(?P<second>{_SIZE})", rf"(?:\s*(?P<unit>{_UNITS}))?"

_KINDS: tuple[tuple[re.Pattern[str], dict[str, str]], ...] = (
    (re.compile(f"{_FIRST}{_UNIT}"), {"first": ""}),
    (re.compile(rf"{_FIRST} \({_SECOND}\s*%\)"), {"first": "", "second": ", %"}),
    (
        re.compile(rf"{_FIRST}(?:\s*(?:{_UNITS}))? to {_SECOND}{_UNIT}"),
        {"first": ", low", "second": ", high"},
    ),
    (re.compile(rf"(?P<first>\d+)\. \({_SECOND}\)"), {"first": ", rank", "second": ""}),
)
"""The forms of cells that are numbers, and what follows the title of the column of each number."""

_SECONDS = {"d": 86_400, "h": 3_600, "min": 60, "s": 1}

_LENGTH = re.compile(
    r"(?P<sign>[+−-]?)(?=\d)" + "".join(f"(?:(\\d[\\d\\s]*) {unit}(?: |$))?" for unit in _SECONDS)
)
"""A length of time in its two largest units, as in `3 d 4 h`."""

_MISSING = frozenset(("", "–", "none"))

_CODE = re.compile(r"0\d")
"""How codes begin, such as the user `007`, which are no numbers."""


def bare_table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    """The columns of a table: numbers where all cells of a column are of one form, or else its words.

    A count with its share, a range and a rank have a column for each of their numbers. The unit of cells
    stands in the title; lengths of time are in s. Numbers have the digits that people are shown.
    """
    return [
        column
        for place, title in enumerate(titles)
        for column in _columns(title, [row[place] for row in rows])
    ]


def _columns(title: str, cells: Sequence[str]) -> Iterator[tuple[str, Any]]:
    known = [cell for cell in cells if cell not in _MISSING]
    if not known or any(_CODE.match(cell) for cell in known):
        yield title, list(cells)
        return
    for form, ends in _KINDS:
        found = form.fullmatch(known[0])
        # Columns of several units are words: besides their numbers all cells are alike.
        if found and all(map(form.fullmatch, known)) and len({re.sub(_SIZE, "#", c) for c in known}) == 1:
            unit = found.groupdict().get("unit")
            of = f"{title}, {unit}" if unit and not title.endswith(f", {unit}") else title
            for group, end in ends.items():
                matches = [None if cell in _MISSING else form.fullmatch(cell) for cell in cells]
                yield f"{of}{end}", _numbers([match and _number(match[group]) for match in matches])
            return
    if all(map(_LENGTH.fullmatch, known)):
        yield f"{title}, s", _numbers([None if cell in _MISSING else _seconds(cell) for cell in cells])
    else:
        yield title, list(cells)


def _number(written: str) -> float:
    return float(re.sub(r"[,\s]", "", written).replace("−", "-"))


def _seconds(cell: str) -> float:
    """A length of time in s."""
    found = _LENGTH.fullmatch(cell)
    assert found is not None  # all cells are of the form
    parts = zip(found.groups()[1:], _SECONDS.values(), strict=True)
    whole = sum(_number(count) * size for count, size in parts if count)
    return -whole if found["sign"] in ("−", "-") else whole


def _numbers(values: Sequence[float | None]) -> NDArray[Any]:
    """A column of numbers, NaN where a cell is missing; if all are whole, masked integers."""
    numbers = np.array([np.nan if value is None else value for value in values], np.float64)
    there = numbers[np.isfinite(numbers)]
    if not ((np.abs(there) < 2**53).all() and (there == there.round()).all()):
        return numbers
    return np.ma.masked_array(np.nan_to_num(numbers).astype(np.int64), ~np.isfinite(numbers))
