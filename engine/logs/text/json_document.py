"""JSON documents with jobs, in sequence in a text, decoded job by job."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Container, Iterator
from pathlib import Path
from typing import Any, cast

from engine.errors import InputError
from engine.logs.files.content import Progress
from engine.trace.sentinels import NO_VALUES
from engine.trace.trace import MISSING
from engine.words import without_halves

_BLANKS = re.compile(r"\s*")
_LIST_OF_JOBS = re.compile(r'"(?:jobs|hits)"\s*:\s*\[')
_LISTS, _FOUND = ("jobs", "hits"), "hits"
_LARGEST = float(1 << 62)
_PROGRESS_EVERY = 1000  # jobs

Check = Callable[[int, dict[str, Any]], None]


class JsonText:
    """A text of JSON documents, which is never decoded as a whole.

    A document is an object with a list of `jobs`, what a search in Elasticsearch returns (a list of `hits` in
    an object of that name), a list of jobs, or a single job. `check` is called with
    the line and the value of the first job of each, and raises where these cannot be read.

    With names of values that are `kept`, all other values of a job in a list are forgotten as soon as the job
    is decoded, and what is no object there is given as it is, to be counted. Errors name the line alone where
    there is no `path`.
    """

    def __init__(
        self,
        path: Path | None,
        text: str,
        progress: Progress | None = None,
        check: Check | None = None,
        kept: Container[str] | None = None,
    ) -> None:
        self.path = Path() if path is None else path
        self.check = check
        self._place = "line " if path is None else f"{path}:"
        self._kept = kept
        self._text = text
        self._progress = progress
        self._decoder = json.JSONDecoder()
        self._may_have_halves = may_have_halves(text)
        self._jobs_key = -1  # where the next `"jobs"` is; -1: not looked for so far
        self._line, self._line_at = 1, 0  # the last line that was counted up to, and where in the text
        self._count = 0

    def jobs(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """The line on which each job of all documents begins, and the job. Raises InputError."""
        for document in self.documents():
            yield from document.jobs()

    def documents(self) -> Iterator[JsonDocument]:
        """The documents; read all jobs of a document before the next document. Raises InputError."""
        at = self.skip(0)
        while at < len(self._text):
            document = JsonDocument(self, at)
            yield document
            for _ in document.jobs():
                pass  # read jobs to reach the end, without use of them
            at = self.skip(document.end)

    def skip(self, at: int) -> int:
        """The position of the next character that is not blank."""
        match = _BLANKS.match(self._text, at)
        return match.end() if match else at

    def holds(self, what: str, at: int) -> bool:
        """True if the text continues with this."""
        return self._text.startswith(what, at)

    def expect(self, what: str, at: int) -> int:
        """The position after this character. Raises InputError if there is another character."""
        if not self.holds(what, at):
            raise self.broken(at, f"Expecting {what!r}")
        return at + len(what)

    def next_part(self, at: int, close: str) -> int:
        """The position of the next part of a list or object, or of its end, behind a part that ends there.

        Raises InputError where neither follows.
        """
        at = self.skip(at)
        if self.holds(",", at):
            return self.skip(at + 1)
        if not self.holds(close, at):
            raise self.broken(at, f"Expecting ',' or {close!r}")
        return at

    def decode(self, at: int) -> tuple[Any, int]:
        """The value that begins there, and where it ends. Raises InputError."""
        try:
            value, end = self._decoder.raw_decode(self._text, at)
        except RecursionError as error:
            raise self.error(at, "this JSON is nested too deeply") from error
        except json.JSONDecodeError as error:
            raise self.broken(error.pos, error.msg) from error
        except ValueError as error:  # a number of thousands of digits
            raise self.error(at, "this JSON has a number that is too long") from error
        return (mended_texts(value) if self._may_have_halves else value), end

    def has_list(self, at: int) -> bool:
        """True if a list of jobs may follow, so that an object should not be decoded as a whole."""
        if self._jobs_key < at:
            match = _LIST_OF_JOBS.search(self._text, at)
            self._jobs_key = match.start() if match else len(self._text)
        return self._jobs_key < len(self._text)

    def job(self, at: int) -> tuple[int, Any, int]:
        """The line and the value of the job that begins there, and where it ends. Raises InputError."""
        line = self.line(at)
        job, end = self.decode(at)
        if isinstance(job, dict):
            # Most of a hundred values are of no use: of thousands of jobs they take more room than the text.
            job = job if self._kept is None else {key: job[key] for key in job if key in self._kept}
        elif self._kept is None:
            raise self.error(at, f"this is not a job: {str(job)[:60]!r}")
        self._count += 1
        if self._progress is not None and self._count % _PROGRESS_EVERY == 0:
            self._progress(end / len(self._text))
        return line, job, end

    def line(self, at: int) -> int:
        """The number of the line there, from 1. Cheap where `at` ascends from call to call."""
        if at < self._line_at:
            return self._text.count("\n", 0, at) + 1
        self._line += self._text.count("\n", self._line_at, at)
        self._line_at = at
        return self._line

    def broken(self, at: int, problem: str) -> InputError:
        """The error of a text that is no JSON there."""
        return self.error(at, f"this JSON is broken: {problem}")

    def error(self, at: int, problem: str) -> InputError:
        """An error that names the line."""
        return InputError(f"{self._place}{self.line(at)}: {problem}")


class JsonDocument:
    """A document of a text. Its further `values` are known after all its jobs were read."""

    def __init__(self, text: JsonText, begin: int) -> None:
        self._text = text
        self._jobs = self._checked(begin)
        self.begin = begin
        self.end = begin
        self.values: dict[str, Any] = {}

    def jobs(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """The line on which each job begins, and the job, once. Raises InputError."""
        return self._jobs

    def _checked(self, begin: int) -> Iterator[tuple[int, dict[str, Any]]]:
        for number, (line, job) in enumerate(self._read(begin)):
            if number == 0 and self._text.check is not None:
                self._text.check(line, job)
            yield line, job

    def _read(self, begin: int) -> Iterator[tuple[int, dict[str, Any]]]:
        text = self._text
        if text.holds("[", begin):
            yield from self._list(begin)
        elif not text.holds("{", begin):
            raise text.broken(begin, "Expecting an object or a list")
        elif text.has_list(begin):
            yield from self._object(begin)
        else:  # much faster: an object a job, say
            line, job, self.end = text.job(begin)
            yield line, job

    def _list(self, at: int) -> Iterator[tuple[int, dict[str, Any]]]:
        """The jobs of the list that begins there."""
        text = self._text
        at = text.skip(text.expect("[", at))
        while not text.holds("]", at):
            line, job, at = text.job(at)
            yield line, job
            at = text.next_part(at, "]")
        self.end = at + 1

    def _object(self, begin: int) -> Iterator[tuple[int, dict[str, Any]]]:
        """The jobs of the object that begins there, or the object itself where it has no list of them."""
        found = False
        for at in self._lists(begin):
            found = True
            yield from self._list(at)
        if not found:
            yield self._text.line(begin), self.values

    def _lists(self, begin: int, inner: bool = False) -> Iterator[int]:
        """Where each list of jobs begins in the object at `begin`; `end` is set behind the object at last.

        Whoever reads a list sets `end` behind it before the next is asked for. The object may hold its lists
        in the object `_FOUND`, which is then read with `inner`: its other values are left out.
        """
        text = self._text
        at = text.skip(text.expect("{", begin))
        while not text.holds("}", at):
            key, at = text.decode(at)
            if not isinstance(key, str):
                raise text.broken(at, "Expecting the name of a value")
            at = text.skip(text.expect(":", text.skip(at)))
            if key in _LISTS and text.holds("[", at):
                yield at
                at = self.end
            elif key == _FOUND and text.holds("{", at) and not inner:
                yield from self._lists(at, inner=True)
                at = self.end
            else:
                value, at = text.decode(at)
                self.values |= {} if inner else {key: value}
            at = text.next_part(at, "}")
        self.end = at + 1

    def whole(self) -> dict[str, Any]:
        """All values of the document, its list of jobs among them. Raises InputError."""
        if not self._text.has_list(self.begin):
            value, self.end = self._text.decode(self.begin)
            return cast("dict[str, Any]", value)
        jobs = [job for _, job in self._jobs]
        # Of an object without such a list, which a value of it may have, the only job is the object itself.
        return self.values if any(job is self.values for job in jobs) else {**self.values, "jobs": jobs}


def below(value: Any, *names: str) -> Any:
    """The value at a path of nested objects, or None."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def number_of(value: Any) -> float:
    """A finite number, also if written as text; MISSING for anything else, and for those of NO_VALUES."""
    if isinstance(value, str) and len(value) < 40:
        try:
            value = float(value)
        except ValueError:
            return MISSING
    if isinstance(value, bool) or not isinstance(value, int | float) or value in NO_VALUES:
        return MISSING
    if isinstance(value, float) and not math.isfinite(value):
        return MISSING
    return max(-_LARGEST, min(value, _LARGEST))


def may_have_halves(text: str) -> bool:
    """Whether a text of JSON spells halves of surrogate pairs, alone or in pairs."""
    return "\\ud" in text or "\\uD" in text


def mended_texts(value: Any) -> Any:
    """A value of JSON whose texts have escapes for halves of surrogate pairs that stand alone."""
    if isinstance(value, str):
        return without_halves(value)
    if isinstance(value, list):
        return [mended_texts(part) for part in value]
    if isinstance(value, dict):
        return {without_halves(name): mended_texts(part) for name, part in value.items()}
    return value


def text_of(value: Any) -> str:
    """A text, or a whole number as text; empty for anything else, and for numbers of NO_VALUES."""
    if isinstance(value, str):
        return value
    if not isinstance(value, int) or isinstance(value, bool) or value in NO_VALUES:
        return ""
    return str(value) if abs(value) < 1 << 63 else ""


def set_value(value: Any) -> Any:
    """A number, also as Slurm wraps it: `{"set": true, "infinite": false, "number": 60}`; None: not set."""
    if not isinstance(value, dict):
        return value
    known = value.get("set") is not False and value.get("infinite") is not True
    return value.get("number") if known else None
