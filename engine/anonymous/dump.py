"""A dump of sacct under other names, with those fields alone that are read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from engine.anonymous.names import NewNames
from engine.logs.sacct.prints.grammar import kind_of
from engine.logs.sacct.request import options_in
from engine.logs.sacct.rows import SlurmRows
from engine.logs.text.clock_times import clock_times
from engine.logs.text.lengths import seconds_of
from engine.trace.trace import MISSING

if TYPE_CHECKING:
    import pyarrow as pa

_KINDS = {
    "User": "user",
    "Account": "account",
    "Group": "group",
    "JobName": "job",
    "Cluster": "cluster",
    "Reservation": "reservation",
}
_MARK = ";"
"""Between fields: constraints hold bars, lists of nodes commas."""

_AMOUNT = re.compile(r"[A-Za-z][\w/:.-]*=\d+(?:\.\d+)?[KMGTP]?", re.ASCII)
"""A resource with its amount."""

_OPTIONS = {
    "n": "ntasks",
    "N": "nodes",
    "c": "cpus-per-task",
    "C": "constraint",
    "a": "array",
    "d": "dependency",
    "per_node": "ntasks-per-node",
    **{name: name for name in ("mem", "exclusive", "dependency")},
}
"""What is kept of a command line, since starts depend on it: the names of `options_in`, and the long ones."""


_ID = kind_of("JobID").loose
_LAST_ID = 10**15 - 1
_LAST_PART = 10**6 - 1
_UNREADABLE = "9999-99-99T99:99:99"
_NO_STATE = "OTHER"
"""For a word that is no state: those that Slurm does not have are read by times."""


def see_dump(blocks: Iterable[SlurmRows], names: NewNames) -> None:
    """Note all names of the rows."""
    for rows in blocks:
        for field, kind in _KINDS.items():
            if field in rows.columns:
                names.see(kind, _distinct(rows.columns[field]))
        if "NodeList" in rows.columns:
            for text in _distinct(rows.columns["NodeList"]):
                names.see_hosts(text)


def renamed_dump(blocks: Iterable[SlurmRows], names: NewNames) -> Iterator[str]:
    """The lines of the same rows under new names; a line names the fields of those below it.

    The state is the last field: it never holds a line break, so that no line seems to continue.
    """
    before: Sequence[str] = ()
    ids = _Ids()
    for rows in blocks:
        fields = sorted(rows.columns, key=lambda field: field == "State")
        # Blocks may have other fields: a new head tells them.
        if fields != before:
            before = fields
            yield _MARK.join(fields)
        columns = [_renamed(field, rows.columns[field], names, ids) for field in fields]
        yield from (_MARK.join(cells) for cells in zip(*columns, strict=True))


def _distinct(column: pa.Array) -> list[str]:
    return [_text(value) for value in column.unique().to_pylist()]


def _renamed(field: str, column: pa.Array, names: NewNames, ids: _Ids) -> list[str]:
    """The cells of a column; each text is looked at once."""
    new: dict[bytes | None, str] = {}
    cells = []
    for value in column.to_pylist():
        if value not in new:
            text = _text(value)
            cell = ids.new(text) if field == "JobID" else _cell(field, text, names)
            new[value] = cell.replace(_MARK, " ").replace("\n", " ")
        cells.append(new[value])
    return cells


def _cell(field: str, text: str, names: NewNames) -> str:
    if field in _KINDS:
        return names.new(_KINDS[field], text)
    if field == "NodeList":
        return names.new_hosts(text)
    if field == "State":  # CANCELLED by 1000
        word = "".join(text.split(None, 1)[:1])
        return word if not word or kind_of(field).loose.fullmatch(word) else _NO_STATE
    return _command(text) if field == "SubmitLine" else _of_kind(field, text)


def _of_kind(field: str, text: str) -> str:
    """A text without what no value of this field has: delimiters around it would be looked for elsewhere."""
    kind, text = kind_of(field), text.strip()  # of all that is blank in Unicode, as readers do
    if not text or not kind.distinctive or kind.loose.fullmatch(text):
        return text
    if kind.name == "tres":
        first: dict[str, str] = {}  # of each resource, which alone is read
        for part in text.split(","):
            first.setdefault(part.partition("=")[0].strip().lower(), part)
        return ",".join(part for part in first.values() if _AMOUNT.fullmatch(part))
    if kind.name == "length" and (seconds := seconds_of(text)) is not None:
        return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return _time(text) if kind.name == "time" else ""


def _time(text: str) -> str:
    """A time of a form that columns are not recognized by: as it is read, as none, or as one that cannot be.

    Letters that part words are blanks to its readers, but not all of them, such as a mark of the byte order.
    """
    import pyarrow as pa

    plain = re.sub(r"[^\w:.,/+-]", " ", text)
    moments, _ = clock_times(pa.array([text.encode("utf-8", "surrogateescape"), plain.encode()], pa.binary()))
    if moments[0] == MISSING:
        return "Unknown"
    same = moments[0] == moments[1] and kind_of("Submit").loose.fullmatch(plain)
    return plain if same else _UNREADABLE


class _Ids:
    """Ids of jobs and steps, those that are none in numbers that no job has.

    Lines of one id stay lines of one job, parts (`12+1`) stay parts and steps (`12.0`) steps.
    """

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, int], int] = {}

    def new(self, text: str) -> str:
        """An id that is recognized as one."""
        if _ID.fullmatch(text):
            return text
        number, dot, step = text.partition(".")
        if not _ID.fullmatch(number):
            job, plus, part = number.partition("+")
            job = job if _ID.fullmatch(job) else str(self._number(job, _LAST_ID))
            number = f"{job}+{self._number(part, _LAST_PART)}" if plus else job
        return f"{number}.{self._number(step, _LAST_PART)}" if dot else number

    def _number(self, text: str, last: int) -> int:
        """A number for this text, counted down from the largest."""
        return self._numbers.setdefault((text, last), last - len(self._numbers))


def _command(text: str) -> str:
    """A command line with those options alone on which starts depend, and no names, paths or arguments."""
    words = []
    for name, value in options_in(text):
        # The colon parts the components of a heterogeneous job, each with options of its own.
        if name == ":":
            words.append(name)
        elif name in _OPTIONS and not re.search(r"[/\s]", value):
            words.append(f"--{_OPTIONS[name]}" + (f"={value}" if value else ""))
    command = text.split(None, 1)[0].rpartition("/")[2] if words else ""
    return " ".join([command, *words]) if words else ""


def _text(value: bytes | None) -> str:
    return "" if value is None else value.decode("utf-8", "surrogateescape")
