"""Heaps of damaged logs: many damaged parts of a sample in one file, which is read at once.

`python -m tests.fuzz.heaps pbs --pieces 100000 --seed 2` tries some thousand pieces in a second of
processor time, where a file for each takes several times as long. Of a heap that is refused, the piece at the
line that the message names is read alone, and the others once more; where it names none, and where reading
fails, the heap is halved until a single piece is left. Of each reader of logs that leaves out what it cannot
read. The pieces of JSON are jobs with other values, fields or words, which stand among sound jobs; those of a
table are damaged rows below its header.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.errors import InputError
from engine.logs.read import read_trace
from engine.trace import Trace
from tests.fuzz import tables, traces
from tests.fuzz.campaign import chance_of
from tests.fuzz.mutate import NUMBERS, WORDS, mutate, mutate_text
from tests.fuzz.registry import FUZZERS

HEAP = 100
"""Pieces in a file."""

_WHOLE, _LONG = 0.01, 4096
"""How many pieces stay as long as they are, and to how many bytes the others are cut."""


@dataclass(frozen=True)
class Lines:
    """A sound sample, and below it damaged parts of it, or of `body` where a header stands above."""

    sample: bytes
    words: Sequence[str]
    body: bytes = b""

    @property
    def before(self) -> bytes:
        """What stands above the first piece."""
        return self.sample.rstrip(b"\n") + b"\n"

    def piece(self, chance: random.Random) -> bytes:
        """A few damaged lines of the sample, seldom a long text: repeated lines take most of the time."""
        lines = (self.body or self.sample).splitlines(keepends=True)
        first = chance.randrange(len(lines))
        part = b"".join(lines[first : first + chance.randint(1, max(3, len(lines) // 4))])
        data = mutate(chance, (part,), self.words)
        return data if chance.random() < _WHOLE else data[:_LONG]

    def file(self, pieces: Sequence[bytes]) -> bytes:
        """The file of these pieces."""
        return self.before + b"\n".join(pieces)


class Document:
    """JSON in which damaged jobs stand among sound ones: a document with a list of jobs, or a job a line."""

    def __init__(self, sample: bytes, words: Sequence[str]) -> None:
        """Raise ValueError if the sample is no JSON."""
        self._words = words
        lines = sample.splitlines()
        try:
            document = json.loads(sample)
        except ValueError:
            self._jobs = [json.dumps(json.loads(line)) for line in lines]
            self.before, self._between, self._after = sample.rstrip(b"\n") + b"\n", b"\n", b"\n"
            return
        jobs = document["jobs"] if isinstance(document, dict) else document
        self._jobs = [json.dumps(job) for job in jobs]
        jobs.append("pieces")
        before, self._after = (part.encode() for part in json.dumps(document).split('"pieces"'))
        # A line for each piece, so that a message names it.
        self.before, self._between = before + b"\n", b",\n"

    def piece(self, chance: random.Random) -> bytes:
        """A job of the sample with a few other values or names of fields."""
        holder: list[Any] = [json.loads(chance.choice(self._jobs))]
        for _ in range(chance.choice((1, 1, 1, 2, 3, 5))):
            places = list(_places(holder))
            # What is no object at all is refused at once, and of a job with few fields would be every third.
            within = places[1:] if chance.random() > _WHOLE else []
            self._damage(chance, *chance.choice(within or places))
        return json.dumps(holder[0]).encode()

    def file(self, pieces: Sequence[bytes]) -> bytes:
        """The file of these pieces."""
        return self.before + self._between.join(pieces) + self._after

    def _damage(self, chance: random.Random, holder: Any, key: Any) -> None:
        """Another value, or none, in a place of a job; seldom under another name."""
        kind, value = chance.random(), holder[key]
        if isinstance(holder, dict) and kind < 0.15:
            del holder[key]
            if kind < 0.05:
                holder[mutate_text(chance, (key,), self._words)] = value
        elif isinstance(value, str) and kind < 0.6:
            holder[key] = mutate_text(chance, (value,), self._words)
        elif kind < 0.8:
            holder[key] = _number(chance.choice(NUMBERS))
        else:
            holder[key] = chance.choice(
                (None, True, False, [], {}, [value], {"set": True}, chance.choice(WORDS))
            )


Heap = Lines | Document


def _places(holder: Any) -> Iterator[tuple[Any, Any]]:
    """Where values stand in a JSON value: their holders, and the keys there."""
    for key, value in list(holder.items() if isinstance(holder, dict) else enumerate(holder)):
        yield holder, key
        if isinstance(value, (dict, list)):
            yield from _places(value)


def _number(text: str) -> Any:
    """A number as JSON has it, or else as a text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def heaps_of(name: str) -> list[Heap]:
    """The kinds of heaps of a fuzzer, one for each of its samples."""
    if name == "table":
        return [Lines(text, tables.WORDS, text.split(b"\n", 2)[2]) for text in tables.TEXTS[:2]]
    case = FUZZERS[name].try_case
    assert isinstance(case, traces.DamagedLog)
    return [_heap(text, case.words) for text in case.texts]


def _heap(text: bytes, words: Sequence[str]) -> Heap:
    try:
        return Document(text, words)
    except ValueError:
        return Lines(text, words)


@dataclass
class Heaps:
    """What became of the pieces of heaps behind a sound sample; `faults` are pieces with their tracebacks."""

    path: Path
    kind: Heap
    read: Callable[[Path], Trace] = read_trace
    accepted: int = 0
    refused: int = 0
    faults: list[tuple[bytes, str]] = field(default_factory=list)

    def judge(self, pieces: Sequence[bytes]) -> None:
        """Read a heap; without single pieces, or in halves, where it is refused or fails."""
        while pieces:
            error = self._error_of(pieces)
            if error is None:
                self.accepted += len(pieces)
                return
            if len(pieces) == 1:
                self._count(pieces[0], error)
                return
            # Many pieces are read at once, since most are fine. A message mostly names the line of the piece
            # that is not; what is left is read again without it.
            named = self._named(error, pieces)
            alone = None if named is None else self._error_of([pieces[named]])
            if named is None or alone is None:
                half = len(pieces) // 2
                self.judge(pieces[:half])
                pieces = pieces[half:]
            else:
                self._count(pieces[named], alone)
                pieces = [*pieces[:named], *pieces[named + 1 :]]

    def _error_of(self, pieces: Sequence[bytes]) -> Exception | None:
        """What reading the file of these pieces raises."""
        self.path.write_bytes(self.kind.file(pieces))
        try:
            traces.look_at(self.read(self.path), shown=False)
        except Exception as error:
            return error
        return None

    def _named(self, error: Exception, pieces: Sequence[bytes]) -> int | None:
        """The piece at the line that a refusal names, or that makes a file a binary one."""
        line = re.match(rf"{re.escape(str(self.path))}:(\d+): ", str(error))
        if not isinstance(error, InputError):
            return None
        if line is None:
            return next((number for number, piece in enumerate(pieces) if b"\0" in piece), None)
        last = self.kind.before.count(b"\n")
        for number, piece in enumerate(pieces):
            last += 1 + piece.count(b"\n")
            if int(line[1]) <= last:
                return number
        return None

    def _count(self, piece: bytes, error: Exception) -> None:
        """Count a piece that is refused or fails."""
        if isinstance(error, InputError):
            self.refused += 1
        else:
            self.faults.append((piece, "".join(traceback.format_exception(error))))


def main() -> int:
    """Print what became of the pieces, and the faults; 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__)
    names = [name for name, fuzzer in FUZZERS.items() if isinstance(fuzzer.try_case, traces.DamagedLog)]
    parser.add_argument("name", choices=[*names, "table"])
    parser.add_argument("--pieces", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    kinds = heaps_of(options.name)
    traces.prepare()
    # Warnings of numpy are faults too: they tell of values that went astray.
    warnings.simplefilter("error")
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, kind in enumerate(kinds):
            heaps = Heaps(Path(folder) / "log.swf", kind)
            for first in range(0, options.pieces // len(kinds), HEAP):
                chance = chance_of(options.seed, number * options.pieces + first)
                heaps.judge([kind.piece(chance) for _ in range(HEAP)])
            print(
                f"{options.name} {number}: {heaps.accepted:,} read, {heaps.refused:,} refused, "
                f"{len(heaps.faults)} faults"
            )
            for piece, fault in heaps.faults:
                print(f"{piece!r}\n{fault}")
            faults += len(heaps.faults)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
