"""A JSON document with a list of jobs, decoded a job at a time."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.errors import InputError
from engine.trace.files import Progress
from engine.trace.trace import MISSING

_JOBS = re.compile(r'"jobs"\s*:\s*\[')
_BETWEEN = re.compile(r"[\s,]*")
_LARGEST = float(1 << 62)
_PROGRESS_EVERY = 1000  # jobs


class JsonDocument:
    """The text of a document, which is never decoded as a whole."""

    def __init__(self, path: Path, text: str, progress: Progress | None = None) -> None:
        self.path = path
        self._text = text
        self._progress = progress
        self._decoder = json.JSONDecoder()

    def jobs(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """The line on which each job begins, and the job. Raises InputError where one is none."""
        match = _JOBS.search(self._text)
        if match is None:
            raise InputError(f"{self.path}: there is no list of jobs in this file")
        at, line, count = match.end(), self._text.count("\n", 0, match.end()) + 1, 0
        while True:
            begin = self._skip(at)
            line += self._text.count("\n", at, begin)
            if self._text.startswith("]", begin):
                return
            job, at = self._decode(begin, line)
            if not isinstance(job, dict):
                raise InputError(f"{self.path}:{line}: this is no job: {str(job)[:60]!r}")
            yield line, job
            line += self._text.count("\n", begin, at)
            count += 1
            if self._progress is not None and count % _PROGRESS_EVERY == 0:
                self._progress(at / len(self._text))

    def value(self, name: str) -> Any:
        """The value of the first key of this name, or None. Raises InputError where it is broken."""
        match = re.search(rf'"{re.escape(name)}"\s*:\s*', self._text)
        if match is None:
            return None
        return self._decode(match.end(), self._text.count("\n", 0, match.end()) + 1)[0]

    def _skip(self, at: int) -> int:
        match = _BETWEEN.match(self._text, at)
        return match.end() if match else at

    def _decode(self, at: int, line: int) -> tuple[Any, int]:
        try:
            return self._decoder.raw_decode(self._text, at)
        except RecursionError as error:
            raise InputError(f"{self.path}:{line}: this JSON is nested too deeply") from error
        except json.JSONDecodeError as error:
            where = line + self._text.count("\n", at, error.pos)
            raise InputError(f"{self.path}:{where}: this JSON is broken: {error.msg}") from error
        except ValueError as error:  # a number of thousands of digits
            raise InputError(f"{self.path}:{line}: this JSON has a number that is too long") from error


def below(value: Any, *names: str) -> Any:
    """What lies there in nested objects, or None."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def number_of(value: Any) -> float:
    """A finite number, also one that is written as text; MISSING for anything else."""
    if isinstance(value, str) and len(value) < 40:
        try:
            value = float(value)
        except ValueError:
            return MISSING
    if isinstance(value, bool) or not isinstance(value, int | float):
        return MISSING
    if isinstance(value, float) and not math.isfinite(value):
        return MISSING
    return max(-_LARGEST, min(value, _LARGEST))


def text_of(value: Any) -> str:
    """A text, or a whole number as one; empty for anything else."""
    if isinstance(value, str):
        return value
    return (
        str(value) if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63 else ""
    )
