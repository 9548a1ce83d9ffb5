"""A grid of policies: two numeric keys of a policy, each with some values."""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.errors import InputError
from engine.policy.keys import KEY, KEYS
from engine.policy.policy import Policy
from engine.spelling import nearest

NUMERIC_KEYS = tuple(key.name for key in KEYS if key.range is not None)
"""Keys that a grid can vary."""

MOST_CELLS = 400
"""A larger grid is most likely a slip of the hand."""


@dataclass(frozen=True)
class Axis:
    """A key and its values, formatted as in policies."""

    key: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Grid:
    """`policies` has a policy for each value of `rows`, and for each of those a policy for each of
    `columns`.
    """

    rows: Axis
    columns: Axis
    policies: tuple[Policy, ...]

    def index(self, row: int, column: int) -> int:
        """The index of the policy of a cell among the policies."""
        return row * len(self.columns.values) + column


def make_grid(base: Policy, rows: tuple[str, str], columns: tuple[str, str]) -> Grid:
    """All combinations of two keys of a policy, each given as (key, `0, 0.25, 1`).

    Raises InputError for a key that has no numbers, for values that cannot be read, and for
    combinations that contradict each other.
    """
    if rows[0] == columns[0]:
        raise InputError(f"a grid varies two different keys, not {rows[0]} twice")
    down, across = _axis(*rows), _axis(*columns)
    if len(down.values) * len(across.values) > MOST_CELLS:
        raise InputError(f"a grid has at most {MOST_CELLS} cells")
    policies = tuple(
        base.with_keys(**{down.key: row, across.key: column})
        for row in down.values
        for column in across.values
    )
    return Grid(down, across, policies)


def _axis(key: str, text: str) -> Axis:
    if key not in NUMERIC_KEYS:
        raise InputError(f"a grid cannot vary {key!r}{nearest(key, NUMERIC_KEYS)}")
    parts = [part for part in re.split(r"[,;\s]+", text) if part]
    if not parts:
        raise InputError(f"{key} needs at least one value, such as 0, 0.5, 1")
    values = [KEY[key].format(KEY[key].parse(f"0{part}" if part.startswith(".") else part)) for part in parts]
    return Axis(key, tuple(dict.fromkeys(values)))
