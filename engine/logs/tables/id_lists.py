"""Counts that are lists of ids: whether a single number among such lists is an id or a count."""

from __future__ import annotations

from typing import Any, Literal

from numpy.typing import NDArray

from engine.logs.tables.cells import NumberColumn
from engine.logs.tables.words import count_in, ids_in, lists_ids

Reading = Literal["ids", "count", ""]
"""What the single numbers of a column are; empty: they may be either."""


_LONGEST = 10  # digits of an id, and a further digit


def length_of_list(text: str) -> int | None:
    """How many ids a list names, also `4,5`; 0 for a single number, None for what is neither."""
    return 0 if single_in(text) is not None else ids_in(text)


def single_in(text: str) -> int | None:
    """A single number, be it a count or an id; None for what is none."""
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < _LONGEST else None


def ascends(text: str) -> bool:
    """True if a text like `4,5` may be two ids: the second one is greater, and neither has a leading zero."""
    first, second = text.split(",")
    return int(first) < int(second) and text == f"{int(first)},{int(second)}"


def read_singles(listed: NumberColumn, numbers: NumberColumn, other: NDArray[Any], ran: Any) -> Reading:
    """What the single numbers of a column are, all shape (n,).

    `listed` has the lengths of lists, 0 for single numbers, `numbers` the single numbers, `other` the count
    of the job in another column (<= 0: unknown), `ran` whether the job ran. 1 is one processor either way.
    """
    single = (listed.values == 0) & ~listed.odd & (numbers.values != 1)
    if not single.any():
        return "ids"
    known = single & (other > 0)
    as_ids, as_counts = known & (other == 1), known & (other == numbers.values)
    if 2 * max(ids := int(as_ids.sum()), counts := int(as_counts.sum())) > known.sum():
        return "ids" if ids > counts else "count"
    if known.any():
        return ""
    # No job runs on 0 processors, but many on the processor called 0.
    if (single & (numbers.values == 0) & ran).any():
        return "ids"
    # A column of lists has a list with a single id as a number.
    return "ids" if (listed.values > 0).sum() >= single.sum() else ""


def number_or_list(text: str, decimal: str) -> float | None:
    """A count, or that of the ids in a list."""
    return float(ids_in(text) or 0) if lists_ids(text) else count_in(text, decimal)
