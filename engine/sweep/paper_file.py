"""A paper file (`paper.toml`): the logs of a paper, and the commands that make its figures and tables.

TOML with a `title`, the list `cites` (names of entries that `batchscope cite` prints), the `directory` in
which commands run and from which files are seen (by default the paper's folder), and tables:

- `logs`: a `name`, by which commands call the log; its `file`; the
  `sha256` of it, in hexadecimal, of a compressed log that of its text; `fetch`, its name in the Parallel
  Workloads Archive, if it has one.
- `figures` and `tables`: a `name` as in the text (figure 5), a `caption`, and in `run` the words of a
  command of this program without its output files. A word that is the name of a log stands for its file, and
  a word that is the name of an earlier study (`table-2`) for its results.
- `numbers` of a figure or table: what the number is (`text`), its `column`, in `where` the cells of its row,
  in `against` another column, or cells of another row, of whose number it is the share in %, and the claim:
  the `paper`'s number, bounds `least` and `most`, or a `direction`. The findings of a study are numbers
  without being named. A `note` says in words what a reader should know of the item, and why a number
  differs.

- `readings`: like these, of a figure or table (`of`) whose numbers were not found: what else the paper may
  mean, told in the `caption`, with the numbers that come out then. They do not count among the paper's.

Commands may write nothing but what the program asks of them, and connect to nothing: options that name
an output file or an address are refused.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.errors import InputError
from engine.spelling import nearest
from engine.sweep.paper_claim import Agreement, PaperClaim, decimals
from engine.sweep.toml_values import (
    is_number,
    read_toml,
    refuse_unknown,
    shown_line,
    table,
    tables,
    text,
    texts,
)

PAPER_FILE = "paper.toml"
"""The name of the file in a paper's folder."""

COMMANDS = (
    *("figure", "compare", "eet", "sweep", "waits", "info", "difference", "explain", "report"),
    "rank",
)
"""The commands that a paper may consist of; each gives the same output for the same input."""

_MOST_ITEMS = 1000
READINGS = "readings"
"""The kind of an item that reads a figure or table of the paper otherwise."""

_KINDS = ("figures", "tables", READINGS)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_REFUSED = (
    *("--output", "--data", "--figures", "--force", "--format", "--json", "--quiet"),
    *("--scheduler", "--again"),
)
"""Options that say where results go, or that reach other computers."""
_CLAIMS = ("paper", "least", "most", "direction")


Cells = tuple[tuple[str, str], ...]
"""Columns of a table, each with a cell: what tells a row."""


@dataclass(frozen=True)
class PaperLog:
    """A log by its name in commands; `file` may be missing on this computer."""

    name: str
    file: str
    sha256: str = ""
    archive: str = ""  # its name for `batchscope fetch`


@dataclass(frozen=True)
class ExpectedNumber:
    """A number of the paper: its place in the data of its item, and what is claimed of it."""

    text: str
    column: str
    claim: PaperClaim
    where: Cells = ()
    against: Cells | str = ()  # cells of another row, or another column of the same row


@dataclass(frozen=True)
class PaperItem:
    """A figure or table: its name in the text, and the words of the command that makes it."""

    kind: str  # figures, tables or readings
    name: str
    words: tuple[str, ...]
    caption: str = ""
    note: str = ""
    numbers: tuple[ExpectedNumber, ...] = ()
    of: str = ""  # of another reading: the name of the figure or table that is read otherwise

    @property
    def command(self) -> str:
        """The command's own word."""
        return self.words[0]

    @property
    def slug(self) -> str:
        """The name as files have it: figure-5."""
        return slug_of(self.name)

    def logs(self, known: Sequence[PaperLog]) -> list[PaperLog]:
        """The logs that the command names."""
        return [log for log in known if log.name in self.words]


@dataclass(frozen=True)
class PaperFile:
    """The checked contents of a paper file."""

    path: Path
    title: str
    logs: tuple[PaperLog, ...]
    items: tuple[PaperItem, ...]
    cites: tuple[str, ...] = field(default=())
    directory: str = "."

    @property
    def folder(self) -> Path:
        """The folder of the paper."""
        return self.path.parent

    @property
    def base(self) -> Path:
        """The folder in which commands run, and from which all files are seen."""
        return self.folder / self.directory


def paper_text(paper: PaperFile) -> str:
    """The file of a paper of logs and commands alone, as `read_paper_file` reads it."""
    lines = [f"title = {_quoted(paper.title)}", f"directory = {_quoted(paper.directory)}"]
    for log in paper.logs:
        lines += ["", "[[logs]]", f"name = {_quoted(log.name)}", f"file = {_quoted(log.file)}"]
        lines += [f"sha256 = {_quoted(log.sha256)}"]
    for item in paper.items:
        lines += ["", f"[[{item.kind}]]", f"name = {_quoted(item.name)}"]
        lines += [f"run = {_quoted(shlex.join(item.words))}"]
    return "\n".join(lines) + "\n"


def _quoted(value: str) -> str:
    """A text in TOML's quotes, which escape what JSON's do, and the letter DEL."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def slug_of(name: str) -> str:
    """A name as a word that files can have."""
    return re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-.").lower()


def read_paper_file(folder: Path) -> PaperFile:
    """Read the paper file of a folder. Raises InputError that names the file and what is wrong in it."""
    path = folder / PAPER_FILE
    entries = read_toml(path)
    try:
        return _paper(path, entries)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _paper(path: Path, entries: Mapping[str, Any]) -> PaperFile:
    refuse_unknown(entries, ("title", "cites", "directory", "logs", *_KINDS), "a paper")
    logs = tuple(_log(entry) for entry in tables(entries, "logs"))
    items = tuple(_item(kind, entry) for kind in _KINDS for entry in tables(entries, kind))
    if not items:
        raise InputError("a paper needs figures or tables: [[figures]] with a name and a run")
    if len(items) > _MOST_ITEMS:
        raise InputError(f"{len(items):,} figures and tables are more than {_MOST_ITEMS:,}")
    names = [*(log.name for log in logs), *(item.slug for item in items)]
    if twice := [name for name in dict.fromkeys(names) if names.count(name) > 1]:
        raise InputError(f"two logs, figures or tables are called {twice[0]}")
    # A reading is of a figure or table, never of another reading.
    for item in items:
        if item.of and item.of not in {other.name for other in items if not other.of}:
            raise InputError(
                f"{item.name} is a reading of {item.of!r}, which is no figure or table of the paper"
            )
    cites = tuple(texts(entries, "cites")) if "cites" in entries else ()
    title, directory = shown_line(entries, "title"), text(entries, "directory") or "."
    return PaperFile(path, title, logs, _studies_first(items), cites, directory)


def _studies_first(items: Sequence[PaperItem]) -> tuple[PaperItem, ...]:
    """The items with those after the others that name another item: it has to be there by then."""
    slugs = {item.slug for item in items if item.command == "sweep"}

    def needs(item: PaperItem) -> bool:
        return any(word in slugs for word in item.words)

    return tuple(sorted(items, key=needs))


def _log(entry: Mapping[str, Any]) -> PaperLog:
    refuse_unknown(entry, ("name", "file", "sha256", "fetch"), "a log")
    name, file, digest = text(entry, "name"), text(entry, "file"), text(entry, "sha256").lower()
    if _NAME.fullmatch(name) is None:
        raise InputError(f"the name of a log is a word of letters and digits, not {name!r}")
    if not file:
        raise InputError(f"the log {name} needs a file")
    if digest and _DIGEST.fullmatch(digest) is None:
        raise InputError(f"the sha256 of the log {name} should be 64 hexadecimal digits")
    return PaperLog(name, file, digest, text(entry, "fetch"))


def _item(kind: str, entry: Mapping[str, Any]) -> PaperItem:
    of_what = ("of",) if kind == READINGS else ()
    refuse_unknown(entry, ("name", *of_what, "run", "caption", "note", "numbers"), f"an entry of {kind}")
    if of_what and not text(entry, "of"):
        raise InputError("each of readings needs the name of its figure or table (of)")
    name = shown_line(entry, "name")
    if not slug_of(name):
        raise InputError(f"each of {kind} needs a name, like figure 5")
    try:
        words = tuple(shlex.split(text(entry, "run")))
    except ValueError as error:
        raise InputError(f"{name}: run: {error}") from None
    try:
        _check_words(words)
        numbers = tuple(_number(each) for each in tables(entry, "numbers"))
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    caption, note = shown_line(entry, "caption"), shown_line(entry, "note")
    return PaperItem(kind, name, words, caption, note, numbers, text(entry, "of"))


def _check_words(words: Sequence[str]) -> None:
    """Raise InputError for other commands, and for options that write files or reach other computers."""
    if not words:
        raise InputError("run should be a command, like 'figure gantt kth -p easy'")
    if words[0] not in COMMANDS:
        raise InputError(f"a paper cannot run {words[0]!r}{nearest(words[0], COMMANDS)}")
    for word in words[1:]:
        for option in _refused(word):
            raise InputError(f"run should not have {option}: where the results go is the program's to say")


def _refused(word: str) -> Iterator[str]:
    """The refused option that a word is or abbreviates."""
    if word.startswith("-o"):
        yield "-o"
    name = word.partition("=")[0]
    if len(name) > 2 and name.startswith("--"):
        yield from (option for option in _REFUSED if option.startswith(name))


def _number(entry: Mapping[str, Any]) -> ExpectedNumber:
    refuse_unknown(entry, ("text", "column", "where", "against", *_CLAIMS, "within"), "a number")
    column = text(entry, "column")
    if not column:
        raise InputError("a number needs the column of the data that it stands in")
    column_or_row = entry.get("against")
    against = column_or_row if isinstance(column_or_row, str) else _cells(entry, "against")
    claim = _claim(entry, bool(against))
    return ExpectedNumber(shown_line(entry, "text") or column, column, claim, _cells(entry, "where"), against)


def _cells(entry: Mapping[str, Any], name: str) -> Cells:
    cells = table(entry, name, '{ policy = "easy" }')
    return tuple((column, f"{value}") for column, value in cells.items())


def _claim(entry: Mapping[str, Any], relative: bool) -> PaperClaim:
    """What is claimed of a number; `within` is how far from the paper's number it still agrees."""
    for name in ("paper", "least", "most", "within"):
        if name in entry and not is_number(entry[name]):
            raise InputError(f"{name} of a number should be a number")
    named = [name for name in _CLAIMS if name in entry]
    if not named or (len(named) > 1 and named != ["least", "most"]):
        raise InputError("a number needs the paper's number (paper), a bound (least, most), or a direction")
    direction = text(entry, "direction")
    if direction and (direction not in ("less", "more") or not relative):
        raise InputError("a direction is less or more, of a number against another row (against)")
    written = [entry[name] for name in ("paper", "least", "most") if name in entry]
    size, least, most = (float(entry[name]) if name in entry else None for name in ("paper", "least", "most"))
    # A number of the paper agrees within what is said of it, or within the usual distance.
    agreement = Agreement()
    if "within" in entry:
        agreement = Agreement(points=float(entry["within"]), part=0.0)
    return PaperClaim(
        size=size,
        least=least,
        most=most,
        direction=direction,
        neutral=100.0 if relative else None,
        digits=decimals(*written) if written else 1,
        agreement=agreement,
    )
