"""The line of a dump of sacct that names its fields: which these are, and what parts them."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from engine.logs.sacct.prints.grammar import ANY, FIELDS, TIME, FieldKind, kind_of
from engine.logs.sacct.prints.job_table import STANDING, is_job_table

LOOKED_AT = 20
"""The lines examined after the line that names the fields."""

MAX_LINE = 1 << 16
"""Characters of a line that names fields."""
_MAX_DELIMITER = 5
_MOST_DIGITS = 40  # in a line that names fields: sacct's have none, but widths like `JobName%30`
_WORD = re.compile(r"[A-Za-z][A-Za-z_]*(?:%-?\d{1,4})?")
_PADDED = re.compile(r"\w +\| +\w")
_DASHES = re.compile(r"-+(?: +-+)+ *")

_FIELDS = frozenset(FIELDS.values())
_INSTEAD: Mapping[str, tuple[str, ...]] = {
    "JobID": ("JobIDRaw",),
    "Elapsed": ("ElapsedRaw",),
    "Timelimit": ("TimelimitRaw",),
    "NNodes": ("AllocNodes",),
    "Reservation": ("ReservationName",),
}
"""Fields that replace a missing field, which has the same format."""

_USUAL = frozenset(
    (
        *("jobid", "jobname", "user", "account", "partition", "qos", "cluster", "group", "reservation"),
        *("submit", "start", "end", "elapsed", "eligible", "state", "priority", "reason", "flags"),
        *("comment", "planned", "reserved", "extra", "container", "layout", "suspended", "licenses"),
        *("uid", "gid"),
    )
)
"""Fields whose names also occur in other tables of jobs."""


@dataclass(frozen=True)
class Head:
    """The fields of lines, in sacct's spelling, and their delimiter.

    Unknown field names are kept; the name after a delimiter at the end of lines is empty. `quoted`: fields
    may be quoted as in CSV. Without a `delimiter` fields have fixed positions: `spans` are their ranges of
    bytes. A `table` is slurmdbd's job table, in which some columns differ from sacct's output.
    """

    fields: tuple[str, ...]
    delimiter: str = "|"
    quoted: bool = False
    spans: tuple[tuple[int, int], ...] = ()
    lines: int = 1  # that name the fields
    table: bool = False
    padded: bool = False

    @property
    def description(self) -> str:
        """A description of the lines, in words."""
        kind = "slurmdbd's job table" if self.table else "what sacct prints"
        if self.spans:
            return f"{kind}: columns of fixed width"
        name = {"|": "bars", ",": "commas", ";": "semicolons", "\t": "tabs", " ": "blanks"}.get(
            self.delimiter
        )
        parted = f"fields parted by {name or repr(self.delimiter)}"
        more = ", with quotes" if self.quoted else ", in columns of a width" if self.padded else ""
        return f"{kind}: {parted}{more}"


def head_of(lines: Sequence[str]) -> Head | None:
    """The head that the first of these lines contains; None if it does not name fields of sacct.

    Fields between bars are those of sacct if an id and another known field are among them. Other delimiters
    occur in other tables, too: they require more names that only sacct has, and times.
    """
    line = lines[0][:MAX_LINE]
    # Names of fields have few digits: a line with many is a job.
    if sum(line.count(digit) for digit in "0123456789") > _MOST_DIGITS:
        return None
    # Dashes below the names give the widths of columns.
    if len(lines) > 1 and _DASHES.fullmatch(lines[1]):
        return _fixed(line, lines[1])
    found = []
    # The delimiter that yields the most known names is taken, and the longer of two that yield equally many.
    for delimiter in _delimiters(line):
        split = _split_names(line, delimiter)
        found.append((len(set(canonical(split)) & _FIELDS), len(delimiter), split, delimiter))
    if not found:
        return None
    known, _, names, delimiter = max(found, key=lambda entry: entry[:2])
    padded = not delimiter.strip(" |") and _PADDED.search(line) is not None
    if padded:
        names, delimiter = _split_names(line, "|"), "|"
    head = replace(head_of_names(names, delimiter), padded=padded)
    if "JobID" not in head.fields or known < 2:
        return None
    behind = lines[1 : 1 + LOOKED_AT]
    # Bars are sacct's own delimiter: all others must be confirmed by the lines behind.
    sure = "|" in delimiter or head.table
    head = _like_lines(head, line, behind)
    return (
        head if sure or is_sacct(head, [split_line(line, head) for line in behind if line.strip()]) else None
    )


def head_of_names(names: Sequence[str], delimiter: str) -> Head:
    """The head of a table with columns of these names."""
    return Head(canonical(names), delimiter, table=is_job_table(_lowered(names)))


def split_line(line: str, head: Head) -> list[str]:
    """The cells of a line, where no field holds a delimiter that is not quoted."""
    if head.spans:
        raw = line.encode("utf-8", "surrogateescape")
        return [raw[begin:end].decode("utf-8", "surrogateescape").strip() for begin, end in head.spans]
    if head.quoted:
        try:
            return next(csv.reader([line], delimiter=head.delimiter), [])
        except csv.Error:
            return []
    return [cell.strip(" ") for cell in line.split("|")] if head.padded else line.split(head.delimiter)


@lru_cache(maxsize=4096)
def _canonical_name(name: str) -> str:
    """A field in sacct's spelling, from any case and with an optional width (`jobname%30`)."""
    word = name.strip().strip("\"'").lstrip("\ufeff").partition("%")[0].strip()
    return FIELDS.get(word.lower(), word)


def _with_stand_ins(names: Sequence[str], instead: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """The names, with those of substitute fields replaced by the fields that they replace."""
    changed = list(names)
    for name, others in instead.items():
        other = next((other for other in others if other in changed), None)
        if name not in changed and other is not None:
            changed[changed.index(other)] = name
    return tuple(changed)


def _delimiters(line: str) -> Iterator[str]:
    """The possible delimiters: each text between two words."""
    words = list(_WORD.finditer(line))
    between = Counter(line[a.end() : b.start()].replace('"', "") for a, b in pairwise(words))
    for text, _ in between.most_common(10):
        for part in {text, text.strip(" "), text[:1]}:
            if 0 < len(part) <= _MAX_DELIMITER:
                yield part


def _split_names(line: str, delimiter: str) -> list[str]:
    return [name.strip().strip('"') for name in line.split(delimiter)]


def canonical(names: Sequence[str]) -> tuple[str, ...]:
    """The names in sacct's spelling, if sacct has them; a substitute field gets the replaced field's name."""
    found = [_canonical_name(name) for name in names]
    found = [name or "?" for name in found[:-1]] + found[-1:]  # only the last name may be empty
    if is_job_table(_lowered(names)):
        found = [FIELDS.get(low, low) for low in _lowered(names)]
        return _with_stand_ins(found, STANDING)
    return _with_stand_ins(found, _INSTEAD)


def _lowered(names: Sequence[str]) -> tuple[str, ...]:
    """The names in small letters, without the table in front of them (`job.id_job`)."""
    return tuple(_canonical_name(name).lower().rpartition(".")[2] for name in names)


def is_sacct(head: Head, rows: Sequence[Sequence[str]]) -> bool:
    """True if names and times are those of sacct, and not of another table of jobs."""
    known = set(head.fields) & _FIELDS
    distinctive = {name for name in known if name.lower() not in _USUAL}
    # Many tables have an id and a state; only some names are sacct's own.
    if "Submit" not in known or not known & {"Start", "End"} or not distinctive or len(known) < 5:
        return False
    # More than half of the names have to be sacct's.
    if 2 * len(known) < len([name for name in head.fields if name]):
        return False
    at = head.fields.index("Submit")
    values = [row[at].strip() for row in rows if len(row) > at]
    return not rows or any(_is_moment(value) for value in values)


def _is_moment(text: str) -> bool:
    """True for a date and time, and not a number of seconds since the beginning of a log."""
    if text.replace(".", "", 1).isdigit():
        return len(text.partition(".")[0]) >= 9
    return bool(text) and TIME.loose.fullmatch(text) is not None and any(c.isdigit() for c in text)


def _like_lines(head: Head, line: str, lines: Sequence[str]) -> Head:
    """The head, with properties that only later lines show: quotes, and a delimiter at the end of each
    line.
    """
    if len(head.delimiter) == 1 and _has_quotes(head, line, lines):
        return replace(head, quoted=True)
    width = len(head.fields)
    # Only lines with about as many cells as the head tell anything: torn lines have fewer.
    whole = [line for line in lines if line.count(head.delimiter) + 2 >= width]
    fewest = min((line.count(head.delimiter) + 1 for line in whole), default=width)
    ended = [line.endswith(head.delimiter) for line in whole]
    if head.fields[-1] and fewest == width + 1 and all(ended):
        return replace(head, fields=(*head.fields, ""))
    if not head.fields[-1] and fewest == width - 1 and not any(ended):
        return replace(head, fields=head.fields[:-1])
    return head


def _has_quotes(head: Head, line: str, lines: Sequence[str]) -> bool:
    """True if quotes are those of CSV: around names, ids or times, or needed to get the right number of
    cells.
    """
    if any(name.strip().startswith('"') for name in line.split(head.delimiter)):
        return True
    if not any('"' in line for line in lines):
        return False
    width = len(head.fields)
    kinds = [kind_of(name) for name in head.fields]
    distinctive = [k for k, kind in enumerate(kinds) if kind.distinctive]
    for text in lines:
        cells = text.split(head.delimiter)
        # Two quotes with nothing in them may be of a command line, whose bars give the line enough cells.
        if len(cells) == width and any(_quoted_value(cells[k], kinds[k]) for k in distinctive):
            return True
    try:
        rows = list(csv.reader([f"{text}\n" for text in lines], delimiter=head.delimiter))
    except csv.Error:
        return False
    if head.delimiter == "|":
        # sacct -P writes quotes as they are. A program that quotes gives each row all its cells, but perhaps
        # the last, where the sample ends.
        if not _doubles_quotes(rows, lines) or any(row and len(row) != width for row in rows[:-1]):
            return False
        rows = _unshifted(rows, head)
    whole = sum(text.count(head.delimiter) + 1 == width for text in lines)
    return sum(len(row) == width for row in rows) > whole


def _doubles_quotes(rows: Sequence[Sequence[str]], lines: Sequence[str]) -> bool:
    """True if each quote within a cell is doubled, as in CSV; sacct writes `--wrap="a | b"` without
    doubling.
    """
    text = "\n".join(lines)
    cells = (cell for row in rows for cell in row if '"' in cell)
    return all('"' + cell.replace('"', '""') + '"' in text for cell in cells)


def _unshifted(rows: Sequence[list[str]], head: Head) -> list[list[str]]:
    """The rows, without those that quotes give the right number of cells, but not the right values.

    In `sbatch |||||"|phys|n1|` a quote of a command line, which sacct writes as it is, would hide the fields
    behind it, and the bars before it would be empty fields in their place.
    """
    kinds = [kind_of(name) for name in head.fields]
    whole = [row for row in rows if len(row) == len(kinds)]
    # Rows without a delimiter in any cell are surely split rightly: fields that are filled in all of them
    # are filled in every right row.
    plain = [row for row in whole if not any(head.delimiter in cell for cell in row)]
    filled = [k for k in range(len(kinds)) if plain and all(row[k] for row in plain)]

    def is_likely(row: Sequence[str]) -> bool:
        may_hold = (
            head.delimiter not in cell or kind is ANY or kind.may_hold(head.delimiter)
            for kind, cell in zip(kinds, row, strict=True)
        )
        return all(row[k] for k in filled) and all(may_hold)

    return [row for row in whole if is_likely(row)]


def _quoted_value(cell: str, kind: FieldKind) -> bool:
    """True if a cell is a value of this kind in quotes."""
    return len(cell) > 2 and cell[0] == cell[-1] == '"' and kind.loose.fullmatch(cell[1:-1]) is not None


def _fixed(line: str, dashes: str) -> Head | None:
    """The head of columns of fixed width, over dashes that are as wide."""
    spans = tuple(match.span() for match in re.finditer(r"-+", dashes))
    words = [line[begin:end].strip() for begin, end in spans]
    names = [_whole_name(word, end - begin) for word, (begin, end) in zip(words, spans, strict=True)]
    fields = canonical(names)
    if "JobID" not in fields or len(set(fields) & _FIELDS) < 2:
        return None
    return Head(fields, "", spans=spans, lines=2)


def _whole_name(word: str, width: int) -> str:
    """The name of a field that was cut at the width of its column."""
    if word.lower() in FIELDS or len(word) < width:
        return word
    longer = [name for low, name in FIELDS.items() if low.startswith(word.lower())]
    return longer[0] if len(longer) == 1 else word
