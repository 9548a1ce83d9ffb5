"""A dump of sacct under other names, with those fields alone that are read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from engine.anonymous.names import NewNames
from engine.logs.sacct.prints.grammar import kind_of
from engine.logs.sacct.request import options_in
from engine.logs.sacct.rows import SlurmRows

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
    for rows in blocks:
        fields = sorted(rows.columns, key=lambda field: field == "State")
        if fields != before:
            before = fields
            yield _MARK.join(fields)
        columns = [_renamed(field, rows.columns[field], names) for field in fields]
        yield from (_MARK.join(cells) for cells in zip(*columns, strict=True))


def _distinct(column: pa.Array) -> list[str]:
    return [_text(value) for value in column.unique().to_pylist()]


def _renamed(field: str, column: pa.Array, names: NewNames) -> list[str]:
    """The cells of a column; each text is looked at once."""
    new: dict[bytes | None, str] = {}
    cells = []
    for value in column.to_pylist():
        if value not in new:
            new[value] = _cell(field, _text(value), names).replace(_MARK, " ").replace("\n", " ")
        cells.append(new[value])
    return cells


def _cell(field: str, text: str, names: NewNames) -> str:
    if field in _KINDS:
        return names.new(_KINDS[field], text)
    if field == "NodeList":
        return names.new_hosts(text)
    if field == "State":  # CANCELLED by 1000
        return text.partition(" ")[0]
    return _command(text) if field == "SubmitLine" else _of_kind(field, text)


def _of_kind(field: str, text: str) -> str:
    """A text without what no value of this field has: delimiters around it would be looked for elsewhere."""
    kind = kind_of(field)
    if not text or not kind.distinctive or kind.loose.fullmatch(text):
        return text
    if kind.name == "tres":
        return ",".join(part for part in text.split(",") if _AMOUNT.fullmatch(part))
    if kind.name == "time":  # whose readers know more forms: letters that part words are blanks to them
        return re.sub(r"[^\w:.,/+-]", " ", text)
    return re.sub(r"\W", "", text) if field == "JobID" else ""


def _command(text: str) -> str:
    """A command line with those options alone on which starts depend, and no names, paths or arguments."""
    words = []
    for name, value in options_in(text):
        if name == ":":
            words.append(name)
        elif name in _OPTIONS and not re.search(r"[/\s]", value):
            words.append(f"--{_OPTIONS[name]}" + (f"={value}" if value else ""))
    command = text.split(None, 1)[0].rpartition("/")[2] if words else ""
    return " ".join([command, *words]) if words else ""


def _text(value: bytes | None) -> str:
    return "" if value is None else value.decode("utf-8", "surrogateescape")
