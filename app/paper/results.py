"""Numbers of result files: each by its place, so that two results can be compared number by number."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from app.report.folder import MANIFEST
from engine.errors import InputError
from engine.input import read_text
from engine.shown_values import signed_percent

_LONGEST = 1 << 30  # bytes of a file

Place = tuple[str, str]
"""A file, as seen from the folder of results, and the place in it: a row and a column, or names of JSON."""


@dataclass(frozen=True)
class MovedNumber:
    """A number that differs between two results; None where a result does not have it."""

    place: Place
    before: float | None
    now: float | None

    @property
    def part(self) -> float:
        """The size of the change as a part of the number before; infinite where there was none, or zero."""
        if self.before is None or self.now is None or self.before == 0:
            return math.inf
        return abs(self.now / self.before - 1)

    def __str__(self) -> str:
        file, place = self.place
        if self.before is None:
            return f"{file}: {place}: {_show(self.now)} is new"
        if self.now is None:
            return f"{file}: {place}: {_show(self.before)} is no longer there"
        change = f" ({signed_percent(100 * (self.now / self.before - 1))})" if self.before else ""
        return f"{file}: {place}: {_show(self.before)} before, {_show(self.now)} now{change}"


def _show(value: float | None) -> str:
    return "nothing" if value is None else f"{value:.15g}"


def moved(before: Mapping[Place, float], now: Mapping[Place, float]) -> list[MovedNumber]:
    """The numbers that differ, the largest changes of each file first.

    Two numbers are the same where they have the same digits in a file: schedules are integers, and metrics
    are computed in the same order, so that nothing has to be allowed for rounding. A run whose seed alone
    has changed is compared with itself under the other seed.
    """
    earlier = _earlier_places(before, now)
    known = set(earlier.values())
    pairs = [(place, place) for place in before if place not in known]
    pairs += [(earlier.get(place, place), place) for place in now if place not in before]
    found = [
        MovedNumber(place, before.get(old), now.get(place))
        for old, place in pairs
        if before.get(old) != now.get(place)
    ]
    return sorted(found, key=lambda change: (change.place[0], -change.part, change.place[1]))


def _earlier_places(before: Mapping[Place, float], now: Mapping[Place, float]) -> dict[Place, Place]:
    """Where the numbers of places that are new stood under other seeds: of several, each in its order."""
    gone: dict[Place, list[Place]] = {}
    for place in before:
        if place not in now:
            gone.setdefault(_seedless(place), []).append(place)
    found = {}
    for place in now:
        if place not in before and (own := gone.get(_seedless(place))):
            found[place] = own.pop(0)
    return found


_SEED = re.compile(r"([:,])seed=\d+(,?)")
"""The seed of a policy's spelling, with the marks around it."""


def _seedless(place: Place) -> Place:
    """A place as it is whatever the seeds of its runs are."""
    return place[0], _SEED.sub(lambda found: found[1] if found[2] else "", place[1])


def numbers_of(folder: Path, but: str = "") -> dict[Place, float]:
    """All numbers of the CSV and JSON files in a folder, but for the file of that name.

    Raises InputError for a file that cannot be read.
    """
    numbers: dict[Place, float] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.name == MANIFEST or name == but or not path.is_file():
            continue
        if path.suffix == ".csv":
            numbers.update(((name, place), value) for place, value in _of_csv(path))
        elif path.suffix == ".json" and not path.with_suffix(".csv").is_file():  # of the same numbers
            numbers.update(((name, place), value) for place, value in _of_json(path))
    return numbers


def rows_of(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV with a heading, by the names of its columns. Raises InputError."""
    return list(csv.DictReader(io.StringIO(read_text(path, _LONGEST), newline="")))


def _of_csv(path: Path) -> Iterator[tuple[str, float]]:
    """The numbers of a table by the words of their row, and the column.

    Rows with the same words are told apart by their order among these.
    """
    seen: Counter[str] = Counter()
    for row in rows_of(path):
        cells = {column: number(cell) for column, cell in row.items() if column}
        words = ", ".join(row[column] for column, value in cells.items() if value is None and row[column])
        seen[words] += 1
        label = f"{words} #{seen[words]}" if seen[words] > 1 else words
        for column, value in cells.items():
            if value is not None:
                yield f"{label or 'row'}: {column}", value


def _of_json(path: Path) -> Iterator[tuple[str, float]]:
    try:
        document = json.loads(read_text(path, _LONGEST))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: no JSON: {error}") from None
    yield from _of_value(document, "")


def _of_value(value: object, at: str) -> Iterator[tuple[str, float]]:
    if isinstance(value, dict):
        for name, part in value.items():
            yield from _of_value(part, f"{at}.{name}" if at else str(name))
    elif isinstance(value, list):
        for place, part in enumerate(value):
            yield from _of_value(part, f"{at}[{place}]")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield at, float(value)


def number(cell: str | None) -> float | None:
    """The number of a cell; None for words and for what is no finite number."""
    try:
        value = float(cell or "")
    except ValueError:
        return None
    return value if math.isfinite(value) else None
