"""The files of a log that is read as a single text: where each begins, and the file of a line."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.errors import InputError, single_line
from engine.trace.trace import Note
from engine.words import clip


@dataclass(frozen=True)
class LogPart:
    """A file of a log: its name, and its first byte and line in the text of all files."""

    name: str
    begin: int  # bytes, from 0
    line: int  # from 1


def name_part(error: InputError, path: Path, parts: Sequence[LogPart]) -> None:
    """Let an error about a line of the log at `path` name the file of that line, and its number there."""
    match = re.match(rf"{re.escape(single_line(str(path)))}:(\d{{1,18}})(?=: )", str(error))
    if match is None or len(parts) < 2:
        return
    line = int(match[1])
    part = parts[max(bisect_right([part.line for part in parts], line) - 1, 0)]
    error.args = (single_line(f"{part.name}:{line - part.line + 1}{str(error)[match.end() :]}"),)


def passed_over(names: Sequence[str]) -> Note:
    """A note that counts the files in folders and archives that are no logs, and names the first."""
    first = clip(names[0], 300) if names else ""
    return Note("files_beside", f"files left out: about logs, but no logs, first {first}", len(names))
