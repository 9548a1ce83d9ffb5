"""The lines of a `slurm.conf` and of the files that it includes, as keys and values.

The rules are those of Slurm's own parser: keys are case-insensitive; `#` begins a comment unless an odd
number of backslashes precedes it; a line that ends in an odd number of backslashes continues in the next; a
value is a word or is in double quotes; `Include FILE` is replaced by that file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from engine.errors import InputError
from engine.input import exists, read_text
from engine.limits import MAX_CONF_BYTES
from engine.words import clip

MAX_INCLUDES, MAX_DEPTH = 1_000, 16
"""The most files that a `slurm.conf` may include: in all, and nested."""

_WORD = re.compile(r'(?<!\S)([A-Za-z_]\w{0,60})\s*[-*+/]?=\s*("[^"]*"|\S*)', re.ASCII)
_INCLUDE = re.compile(r"\s*include\s+(\S.*?)\s*", re.IGNORECASE | re.DOTALL)
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)#.*")


@dataclass(frozen=True)
class RawLine:
    """A line with its continuation lines: its text without comments, its original text, and its place.

    `number` is that of its first line, from 1, `count` how many lines it takes.
    """

    path: Path
    number: int
    count: int
    text: str

    @property
    def place(self) -> str:
        """`FILE:LINE`, which begins messages about this line."""
        return f"{self.path}:{self.number}"


@dataclass(frozen=True)
class ConfLine:
    """The contents of a line: values by key in lower case, and words that are not `key=value`."""

    raw: RawLine
    keys: Mapping[str, str]
    rest: str

    @property
    def place(self) -> str:
        """`FILE:LINE`, which begins messages about this line."""
        return self.raw.place


@dataclass
class _Files:
    """The files read so far: their bytes and number, which are bounded, and notes."""

    main: Path
    cluster: str = ""
    bytes: int = 0
    count: int = 0
    notes: list[str] = field(default_factory=list)


def conf_lines(path: Path, notes: list[str] | None = None) -> Iterator[ConfLine]:
    """The lines that are not empty, with the lines of included files in place of the Include line.

    `notes` receives a line for each file that was read from another place. Raises InputError, which names the
    line, for files that cannot be read, that include each other in a circle, or that are too many or too
    large.
    """
    files = _Files(path, notes=[] if notes is None else notes)
    yield from _expanded(path, (path.resolve(),), files)


def text_lines(path: Path, text: str) -> Iterator[ConfLine]:
    """The lines of a text that includes no files and that the file at `path` was put into."""
    for raw in raw_lines(path, text):
        keys, rest = keys_of(raw.text)
        if keys or rest:
            yield ConfLine(raw, keys, rest)


def raw_lines(path: Path, text: str) -> Iterator[RawLine]:
    """The lines of a text, without comments, each joined with its continuation lines."""
    parts: list[str] = []
    first = 1
    for number, line in enumerate(text.split("\n"), 1):
        line = _COMMENT.sub(r"\1", line).rstrip()
        bare = line.rstrip("\\")
        # An even number of backslashes at the end is escaped: only an odd number continues the line.
        continued = (len(line) - len(bare)) % 2 == 1
        parts.append(line[:-1] if continued else line)
        if not continued:
            # The line keeps the number of its first part and of its parts, so that it can be replaced in
            # place.
            yield RawLine(path, first, number + 1 - first, "".join(parts))
            parts, first = [], number + 1
    if parts:
        yield RawLine(path, first, len(parts), "".join(parts))


def included_name(line: RawLine) -> str | None:
    """The file that a line includes, as it is written; None for any other line."""
    match = _INCLUDE.fullmatch(line.text)
    return None if match is None else match[1].strip('"')


def keys_of(text: str) -> tuple[dict[str, str], str]:
    """The values of a line by key in lower case, and the rest of it that is not `key=value`."""
    keys = {key.lower(): _value(value) for key, value in _WORD.findall(text)}
    return keys, " ".join(_WORD.sub(" ", text).split())


def _value(text: str) -> str:
    """Without its quotes and the backslashes that escape."""
    bare = text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text.strip('"')
    return re.sub(r"\\(.?)", r"\1", bare)


def _expanded(path: Path, above: tuple[Path, ...], files: _Files) -> Iterator[ConfLine]:
    text = read_text(path, MAX_CONF_BYTES)
    # All included files count together: a file that includes others again and again would never end.
    files.bytes += len(text)
    if files.bytes > MAX_CONF_BYTES:
        raise InputError(f"{files.main}: with all that it includes it is over {MAX_CONF_BYTES:,} bytes")
    for raw in raw_lines(path, text):
        name = included_name(raw)
        if name is not None:
            yield from _included(raw, name, above, files)
            continue
        keys, rest = keys_of(raw.text)
        # ClusterName counts for %c in the names of files that are included below it.
        files.cluster = keys.get("clustername", files.cluster)
        if keys or rest:
            yield ConfLine(raw, keys, rest)


def _included(raw: RawLine, name: str, above: tuple[Path, ...], files: _Files) -> Iterator[ConfLine]:
    """The lines of an included file. Raises InputError, which names the line that includes it."""
    files.count += 1
    if files.count > MAX_INCLUDES:
        raise InputError(f"{raw.place}: over {MAX_INCLUDES:,} files are included")
    if len(above) > MAX_DEPTH:
        raise InputError(f"{raw.place}: over {MAX_DEPTH} files include one another")
    path = find_included(raw, name, files.main, files.cluster, files.notes)
    resolved = path.resolve()
    if resolved in above:
        raise InputError(f"{raw.place}: {clip(name)} includes itself, through {_chain(resolved, above)}")
    try:
        yield from _expanded(path, (*above, resolved), files)
    except InputError as error:
        text = str(error)
        if text.startswith(f"{path}: "):  # an error of the whole file: the including line gives the place
            raise InputError(f"{raw.place}: the included file {text}") from error
        raise


def _chain(again: Path, above: tuple[Path, ...]) -> str:
    names = [path.name for path in above[above.index(again) :]]
    return clip(" and ".join(dict.fromkeys(names)))


def find_included(raw: RawLine, name: str, main: Path, cluster: str, notes: list[str]) -> Path:
    """The path of an included file: relative to the including file, or to `main`.

    `%c` in the name is the cluster's name. For a path on the site's own machine that does not exist here, the
    file of that name in the same folder is used, with a note. Raises InputError if there is none.
    """
    wanted = Path(name.replace("%c", cluster))
    here = raw.path.parent
    for path in dict.fromkeys((here / wanted, main.parent / wanted)):
        if exists(path):
            return path
    if wanted.is_absolute():
        for path in dict.fromkeys((here / wanted.name, main.parent / wanted.name)):
            if exists(path):
                notes.append(
                    f"Include {clip(name)}: not on this machine, {path.name} beside the file is read"
                )
                return path
    raise InputError(
        f"{raw.place}: there is no file {clip(str(wanted))}, which this line includes; put it beside "
        f"{main.name}, or take the line out"
    )
