"""Lines of sacct as rows of columns: regular blocks are parsed at once, only odd lines individually."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.arrays import Ints, Mask
from engine.logs.sacct.derivations import cpu_time_field
from engine.logs.sacct.job_fields import TEXTS, TIMES
from engine.logs.sacct.prints.cells import STEPS_A_LINE, Split, Splitter
from engine.logs.sacct.prints.grammar import TRES, kind_of
from engine.logs.sacct.prints.heads import Head
from engine.logs.sacct.prints.job_table import OWN
from engine.logs.sacct.prints.line_kinds import Mended, mend
from engine.logs.sacct.prints.shifts import Watch
from engine.logs.sacct.rows import column_of
from engine.logs.sacct.usage import USAGE
from engine.logs.text.delimited import parse_cells

if TYPE_CHECKING:
    import pyarrow as pa

HIDDEN = "\x1e"
"""The character that replaces a comma within a field of comma-separated lines."""

_HIDDEN = HIDDEN.encode()
_RESOURCE = rb"[a-z][\w/:.-]*=[\w:.-]*"
_RUN = re.compile(rb"(?<![^,\n])%b(?:,%b)+(?![^,\n])" % (_RESOURCE, _RESOURCE))
_LIST = re.compile(rb"\[[\d,:%%-]{1,4000}\]")


def hides_commas(fields: Sequence[str], delimiter: str) -> bool:
    """True if lines with these fields have commas within fields that can be recognised."""
    return delimiter == "," and any(kind_of(name) is TRES or name == "NodeList" for name in fields)


def hide_commas(data: bytes, fields: Sequence[str]) -> bytes:
    """Lines with HIDDEN in place of commas between resources of a field, and within brackets.

    Two adjacent fields of resources are separated where the order of names restarts; if that is ambiguous the
    commas stay, as in lists of nodes without brackets.
    """
    kinds = [kind_of(name) is TRES for name in fields]
    several = any(a and b for a, b in pairwise(kinds))
    data = _RUN.sub(lambda match: _fields(match[0]) if several else match[0].replace(b",", _HIDDEN), data)
    return _LIST.sub(lambda match: match[0].replace(b",", _HIDDEN), data)


def _fields(run: bytes) -> bytes:
    """Resources of one field, or of two adjacent fields."""
    parts = run.split(b",")
    names = [part.partition(b"=")[0] for part in parts]
    # Names of resources stand once in a field: a name that comes again belongs to the next field.
    if len(set(names)) == len(names):
        return run.replace(b",", _HIDDEN)
    # They ascend within a field, so that a fall is where the second begins; several falls leave it open.
    falls = [k for k, (a, b) in enumerate(pairwise(names), 1) if a >= b]
    if len(falls) != 1:
        return run
    first, second = parts[: falls[0]], parts[falls[0] :]
    return _HIDDEN.join(first) + b"," + _HIDDEN.join(second)


Columns = dict[str, Any]
"""Columns of bytes, by the names of their fields."""

_BLANKS = re.compile(rb"^ +|(?<=\|) +|(?<! ) +(?=\||$)", re.MULTILINE)  # around text between bars
_SEPARATOR = "\x1f"  # what parts fields where sacct parted them by several letters, and in mended lines
_NAMES = ("User", "Account", "Partition", "QOS", "Cluster", "Group")
_NEEDED = ("id", "time", "length", "count", "state", "memory")  # kinds that determine a job
_SPARED = frozenset(("Suspended", "Priority", *USAGE))  # of such kinds; a job is read without them
_MOST_NAMES = 10_000  # of a field that are remembered


@dataclass
class Marks:
    """Numbers of lines that were odd, by what was done about them."""

    bad: list[int] = field(default_factory=list)  # left out
    joined: list[int] = field(default_factory=list)  # a part of a field of the line before
    unsure: list[int] = field(default_factory=list)  # read without uncertain names and lists
    torn: list[int] = field(default_factory=list)  # left out, because more than these are uncertain
    in_bytes: list[int] = field(default_factory=list)  # with RAM in bytes
    unnamed: list[int] = field(default_factory=list)  # lines with resources of unknown names
    cut: list[int] = field(default_factory=list)  # with values that are cut at the width of their column


@dataclass(frozen=True, eq=False)
class TextRows:
    """n rows of a text: columns of bytes by the names of their fields, line numbers from 1; shape (n,)."""

    columns: Mapping[str, pa.Array]
    line: Ints


class TextBlocks:
    """A reader of blocks of lines with the fields of a head; `marks` receives the odd lines."""

    def __init__(self, head: Head, marks: Marks) -> None:
        self.head, self.marks = head, marks
        wanted = wanted_fields(head)
        self._index = {name: k for k, name in enumerate(head.fields) if name in wanted}
        plain = {*TIMES, *USAGE, "JobID"}
        self._plain = [k for name, k in self._index.items() if name in plain]
        self._coded = [k for name, k in self._index.items() if name not in plain]
        self._delimiter = head.delimiter if len(head.delimiter.encode()) == 1 else _SEPARATOR
        self._names: dict[str, set[str]] = {}
        self._splitter = Splitter(head.fields, self._delimiter, self._names)
        self._watch = Watch()
        self._hides = hides_commas(head.fields, head.delimiter)
        self._goes_on = kind_of(head.fields[-1]).free  # True if a line may continue in the next line

    @property
    def gave_up(self) -> bool:
        """True if there were too many odd lines to process all of them."""
        return self._splitter.steps < 0

    def read_regular(self, data: bytes, number: int, final: bool) -> tuple[TextRows, int] | None:
        """The rows of some whole lines, of which the first has this number; and the number of lines read.

        Lines at the end that may continue are left, unless these lines are the `final` lines. None if any
        line is odd, for example a line that names fields.
        """
        data = self._cleaned(data)
        count = data.count(b"\n")
        columns = self._parsed(data)
        # Fewer rows than lines: a line was joined, or lacks fields.
        if columns is None or len(columns["JobID"]) < count or self._watch.odd(columns).any():
            return None
        self._remember(columns)
        # The last line may go on in the next block, where the last field may hold line ends.
        count -= self._goes_on and not final and count > 1
        columns = {name: column[:count] for name, column in columns.items()}
        rows = TextRows(columns, np.arange(number, number + count))
        return (rows, count) if self._watch.is_on("JobID") else None

    def read_odd(self, data: bytes, number: int, final: bool) -> tuple[TextRows, int]:
        """The rows of lines, and the number of lines read, if some lines are odd."""
        lines = self._cleaned(data).decode("utf-8", "surrogateescape").split("\n")[:-1]
        return self._mended(lines, number, final)

    def _cleaned(self, data: bytes) -> bytes:
        """The lines with a single delimiter character, and without other line-ending characters."""
        # A return alone, within a name, would count as the end of a line.
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b" ")
        if self.head.padded:
            data = _BLANKS.sub(b"", data)
        if self._hides:
            return hide_commas(data.replace(HIDDEN.encode(), b" "), self.head.fields)
        if self._delimiter == self.head.delimiter:
            return data
        return data.replace(_SEPARATOR.encode(), b" ").replace(self.head.delimiter.encode(), b"\x1f")

    def _parsed(self, data: bytes) -> Columns | None:
        """The columns of lines that all have the right number of cells; None if any has not."""
        return self._columns(data, quoted=False)

    def _columns(self, data: bytes, quoted: bool) -> Columns | None:
        found = parse_cells(data, len(self.head.fields), self._plain, self._coded, self._delimiter, quoted)
        if found is None:
            return None
        if self._hides:
            found = {position: _with_commas(column) for position, column in found.items()}
        return {name: found[k] for name, k in self._index.items()}

    def _remember(self, columns: Columns) -> None:
        """Keep which names of users and the like there are."""
        for name in _NAMES:
            known = self._names.setdefault(name, set())
            if name in columns and len(known) < _MOST_NAMES:
                values = columns[name].dictionary.to_pylist()
                known.update(value.decode("utf-8", "surrogateescape") for value in values)

    def _mended(self, lines: list[str], number: int, final: bool) -> tuple[TextRows, int]:
        width = len(self.head.fields)
        self._splitter.steps += STEPS_A_LINE * len(lines)
        counts = np.array([line.count(self._delimiter) for line in lines], np.int64)
        # Lines with the right number of cells, whose values may still be shifted.
        fitting = np.array([bool(line) for line in lines], np.bool_) & (counts == width - 1)
        columns = self._fitting([lines[k] for k in np.flatnonzero(fitting).tolist()])
        if self._hides:
            lines = [line.replace(HIDDEN, ",") for line in lines]
        odd = self._watch.odd(columns)
        valid = np.zeros(len(lines), np.bool_)
        valid[np.flatnonzero(fitting)[~odd]] = True
        if len(odd) and not odd.all():
            self._remember(_chosen(columns, ~odd))
        found = mend(lines, fitting, valid, self._splitter, final)
        self._mark(found, number)
        regular = _chosen(columns, found.regular[fitting])
        return self._rows(
            regular, np.flatnonzero(found.regular), self._sure(found.records, number), number
        ), found.used

    def _fitting(self, lines: Sequence[str]) -> Columns:
        """The columns of lines that have as many cells as they should."""
        columns = self._parsed("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape"))
        if columns is not None and len(columns["JobID"]) == len(lines):
            return columns
        cells = [line.split(self._delimiter) for line in lines]
        found = self._arrays({name: [row[k] for row in cells] for name, k in self._index.items()})
        return {name: _with_commas(column) for name, column in found.items()} if self._hides else found

    def _arrays(self, values: Mapping[str, Sequence[str]]) -> Columns:
        """Columns of texts, of the types that all columns have."""
        import pyarrow as pa

        found: Columns = {}
        for name, texts in values.items():
            cells = [text.encode("utf-8", "surrogateescape") for text in texts]
            found[name] = column_of(name, pa.array(cells, pa.binary()))
        return found

    def _mark(self, found: Mended, number: int) -> None:
        self.marks.bad += [number + k for k in found.bad]
        self.marks.joined += [number + k for k in found.joined]

    def _sure(self, records: Mapping[int, Split], number: int) -> dict[int, Split]:
        """The records in which at most names and lists are uncertain."""
        sure = {}
        for k, split in records.items():
            unsure = [name for name, position in self._index.items() if position in split.unsure]
            # A record without its id or times is of no use.
            if any(kind_of(name).name in _NEEDED for name in unsure if name not in _SPARED):
                self.marks.torn.append(number + k)
                continue
            if unsure:
                self.marks.unsure.append(number + k)
            sure[k] = split
        return sure

    def _rows(self, regular: Columns, at: Ints, records: Mapping[int, Split], number: int) -> TextRows:
        """The rows of regular lines at some positions and of repaired lines, in the order of their lines."""
        import pyarrow as pa

        if not records:
            return TextRows(regular, at + number)
        splits = list(records.values())
        # The delimiter may occur in a value, too: restore the original text.
        own = self._arrays(
            {
                name: [split.values[k].replace(self._delimiter, self.head.delimiter) for split in splits]
                for name, k in self._index.items()
            }
        )
        line = np.concatenate((at, np.fromiter(records, np.int64, len(records))))
        # Regular lines and mended lines go back into the order of the text.
        order = np.argsort(line)
        columns: Columns = {}
        for name in self._index:
            both = pa.chunked_array([regular[name], own[name]])
            if self._index[name] in self._coded:
                both = both.unify_dictionaries()
            columns[name] = both.combine_chunks().take(pa.array(order))
        return TextRows(columns, line[order] + number)


def _with_commas(column: pa.Array) -> pa.Array:
    """A column with the commas that were hidden."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        return pa.DictionaryArray.from_arrays(column.indices, _with_commas(column.dictionary))
    return pc.replace_substring(column, HIDDEN.encode(), b",")


def _chosen(columns: Columns, chosen: Mask) -> Columns:
    """The chosen rows, shape (n,)."""
    import pyarrow as pa

    return (
        columns
        if chosen.all()
        else {name: column.filter(pa.array(chosen)) for name, column in columns.items()}
    )


def wanted_fields(head: Head) -> frozenset[str]:
    """The fields of a head that are read."""
    cpu = cpu_time_field(head.fields)
    return frozenset((*TEXTS, *TIMES, "JobID", *(OWN if head.table else ()), *((cpu,) if cpu else ())))
