"""Splitting of records whose job name or command line contains delimiters, with the help of all other fields.

A record of m cells has w < m fields: some field spans several cells. The fields with restricted contents
determine which: a split gives each field at least one cell, and every value has to match the kind of its
field. All such splits are the paths of a graph: a node is a field and its first cell, an edge the cells that
it may span. If all paths agree the value is known, otherwise it is not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field

from engine.errors import InputError
from engine.logs.sacct.prints.grammar import FREE, TRES, FieldKind, kind_of
from engine.slurm.values.host_list import expand_hosts

MAX_EXTRA = 400
"""Delimiters within the fields of one record; a record with more cannot be split."""

_STEPS = 8_000_000  # the most values examined, about 5 s; beyond that records are not split
_CHEAP = 2  # ways of a field that holds anything cost as much as a value
STEPS_A_LINE = 200
"""The values that may be examined for each further line."""

_MOST_WAYS = 100  # of a field that are compared
_MOST_DIGITS = 5  # of a number of nodes
_ANY, _CONSISTENT, _USUAL = range(3)  # degrees of strictness for values
_CACHED = 200_000  # values
_TRES_ORDER = ("cpu", "mem", "energy", "node", "billing", "fs/disk", "vmem", "pages")

Edge = tuple[int, int]
"""The first cell of a field, and that of the next one."""


@dataclass(frozen=True)
class Split:
    """The values of a record, a value for each field, and the positions of unknown values, which are
    empty.
    """

    values: tuple[str, ...]
    unsure: frozenset[int] = frozenset()


@dataclass(eq=False)
class Splitter:
    """A splitter for the records of lines with these fields.

    `seen` are values of fields in records without such delimiters: of several possible splits, the split with
    only such values is chosen.
    """

    fields: Sequence[str]
    delimiter: str
    seen: Mapping[str, Set[str]] = field(default_factory=dict)
    steps: int = _STEPS  # left

    def __post_init__(self) -> None:
        self._kinds = [kind_of(name) for name in self.fields]
        self._several = [kind.may_hold(self.delimiter) for kind in self._kinds]
        self._known: dict[tuple[FieldKind, bool, str], bool] = {}
        self._nodes = 0  # stated in the current record, 0 if missing

    def split(self, text: str) -> Split | None:
        """The split of a record; None if there is none."""
        cells = text.split(self.delimiter)
        # All splitting has a budget, since delimiters within fields can make it exponential.
        self.steps -= len(cells)
        extra = len(cells) - len(self.fields)
        if not 0 <= extra <= MAX_EXTRA or self.steps < 0:
            return None
        # First by values that fields surely have, then by values that they may have.
        for strict in (True, False):
            edges = self._edges(cells, strict, _ANY)
            if edges is None:
                continue
            self._nodes = self._node_count(cells, edges)
            # Where several ways are left, more and more is asked of them, as long as any remains.
            for narrow in (_CONSISTENT, _USUAL):
                if any(len(ways) > 1 for ways in edges):
                    edges = self._edges(cells, strict, narrow) or edges
            return self._chosen(cells, edges)
        return None

    def may_begin(self, text: str) -> bool:
        """True if the first cell of a line can be the first field, or a part of it."""
        kind, several = self._kinds[0], self._several[0]
        cell = text.partition(self.delimiter)[0]
        return several or self._is(kind, cell, strict=True) or self._is(kind, cell, strict=False)

    def begins(self, text: str) -> bool:
        """True if a line begins like a record, by the fields before the first unrestricted field.

        Without an id or a time among these the result is False.
        """
        cells = text.split(self.delimiter, len(self.fields))
        anchor, distinctive = False, 0
        # Fields that may hold the delimiter end the look: behind them places are not sure.
        for kind, several, cell in zip(self._kinds, self._several, cells, strict=False):
            if several and kind.name not in ("id", "time"):
                break
            if not self._is(kind, cell, strict=True):
                return False
            # A distinctive value alone may be chance; two of them with an id or a time are not.
            distinctive += kind.distinctive and cell != ""
            anchor |= kind.name in ("id", "time") and cell != ""
            if anchor and distinctive > 1:
                return True
        return False

    def _edges(self, cells: Sequence[str], strict: bool, narrow: int) -> list[list[Edge]] | None:
        """The cells that each field takes in any split; None where there is no split."""
        width, count = len(self.fields), len(cells)
        edges: list[list[Edge]] = []
        # Forwards: which cells each field may begin with, given all fields before it.
        begins = {0}
        for position in range(width):
            last = count - (width - 1 - position)  # the following fields take a cell each
            ways = [
                (begin, end)
                for begin in begins
                for end in self._ends(position, cells, begin, last, strict, narrow)
            ]
            if not ways:
                return None
            edges.append(ways)
            begins = {end for _, end in ways}
        # Backwards: only ways that lead to the last cell of the line are left.
        ends = {count}
        for position in range(width - 1, -1, -1):
            edges[position] = [edge for edge in edges[position] if edge[1] in ends]
            ends = {begin for begin, _ in edges[position]}
            if not ends:
                return None
        return edges

    def _ends(
        self, position: int, cells: Sequence[str], begin: int, last: int, strict: bool, narrow: int
    ) -> Iterator[int]:
        """The positions at which the next field may begin, if this field begins with this cell."""
        kind = self._kinds[position]
        # A free field may end anywhere: the following fields decide.
        if kind.free:
            self.steps -= 1 + (last - begin) // _CHEAP
            if self.steps < 0:
                return
            if kind is FREE or not strict or self._is(kind, cells[begin], strict):
                yield from range(begin + 1, last + 1)
            return
        several = self._several[position]
        value = cells[begin]
        for end in range(begin + 1, (last if several else min(last, begin + 1)) + 1):
            # A field of several cells goes on only through cells that may stand behind the first.
            if end > begin + 1:
                if not kind.goes_on(cells[end - 1]):
                    return
                value = f"{value}{self.delimiter}{cells[end - 1]}"
            self.steps -= 1
            if self.steps < 0:
                return
            if self._is(kind, value, strict) and (not narrow or self._fits(position, value, narrow)):
                yield end

    def _is(self, kind: FieldKind, value: str, strict: bool) -> bool:
        key = (kind, strict, value)
        found = self._known.get(key)
        # The same values come again and again: patterns are only tried on new values.
        if found is None:
            pattern = kind.strict if strict else kind.loose
            found = (pattern.match if kind.free else pattern.fullmatch)(value) is not None
            found = found and (kind is not TRES or len(_names(value)) == len(set(_names(value))))
            if len(self._known) > _CACHED:
                self._known.clear()
            self._known[key] = found
        return found

    def _fits(self, position: int, value: str, narrow: int) -> bool:
        """True if a value is usual: resources in Slurm's order, and the right number of nodes.

        With _USUAL it also was seen before, or has the usual form of such values.
        """
        kind = self._kinds[position]
        # Slurm writes resources in one of three orders.
        if kind is TRES:
            names = _names(value)
            return names in (sorted(names), sorted(names, key=_listed), sorted(names, key=_numbered))
        if self.fields[position] == "NodeList" and self._nodes:
            return _count_nodes(value, self._nodes) == self._nodes
        if narrow < _USUAL:
            return True
        seen = self.seen.get(self.fields[position])
        return value in seen if seen else kind.usual.fullmatch(value) is not None

    def _node_count(self, cells: Sequence[str], edges: Sequence[Sequence[Edge]]) -> int:
        """The number of nodes, if a field has it."""
        if "NNodes" not in self.fields:
            return 0
        ways = edges[list(self.fields).index("NNodes")]
        text = cells[ways[0][0]]
        return int(text) if len(ways) == 1 and text.isdecimal() and len(text) < _MOST_DIGITS else 0

    def _chosen(self, cells: Sequence[str], edges: Sequence[Sequence[Edge]]) -> Split:
        values, unsure = [], set()
        # Ways that differ in where a field lies but not in its text leave nothing unsure.
        for position, ways in enumerate(edges):
            texts = {self.delimiter.join(cells[slice(*way)]) for way in ways[:_MOST_WAYS]}
            if len(texts) == 1 and len(ways) <= _MOST_WAYS:
                values.append(texts.pop())
            else:
                values.append("")
                unsure.add(position)
        return Split(tuple(values), frozenset(unsure))


def _count_nodes(text: str, most: int) -> int:
    """The nodes of a list; 0 where it cannot be read or has more than `most`."""
    try:
        return len(expand_hosts(text, most))
    except InputError:
        return 0


def _names(tres: str) -> list[str]:
    """The names of resources in `cpu=8,mem=24000M`."""
    return [part.partition("=")[0] for part in tres.split(",")] if tres else []


def _listed(name: str) -> tuple[int, str]:
    return (_TRES_ORDER.index(name), "") if name in _TRES_ORDER else (len(_TRES_ORDER), name)


def _numbered(name: str) -> int:
    return int(name) if name.isdecimal() else -1
