"""Heaps of damaged logs: many damaged samples of a format in one file, which is read at once.

`python -m tests.fuzz.heaps pbs --pieces 100000 --seed 2` tries some hundreds of pieces in a second of
processor time, where a file for each takes several times as long. A heap that is refused, or fails, is halved
until a single piece is left. Of each reader of logs that leaves out what it cannot read.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from engine.errors import InputError
from engine.logs.read import read_trace
from engine.trace import Trace
from tests.fuzz import traces
from tests.fuzz.campaign import chance_of
from tests.fuzz.mutate import mutate
from tests.fuzz.registry import FUZZERS

HEAP = 100
"""Pieces in a file."""


@dataclass
class Heaps:
    """What became of the pieces of heaps behind a sound sample; `faults` are pieces with their tracebacks."""

    path: Path
    sample: bytes
    read: Callable[[Path], Trace] = read_trace
    accepted: int = 0
    refused: int = 0
    faults: list[tuple[bytes, str]] = field(default_factory=list)

    def judge(self, pieces: Sequence[bytes]) -> None:
        """Read a heap; in halves where it is refused or fails."""
        self.path.write_bytes(b"\n".join((self.sample.rstrip(b"\n"), *pieces)))
        try:
            traces.look_at(self.read(self.path), shown=False)
        except Exception as error:
            # Many pieces are read at once, since most are fine; a heap that is not is halved until one piece
            # is left.
            if len(pieces) > 1:
                half = len(pieces) // 2
                self.judge(pieces[:half])
                self.judge(pieces[half:])
            elif isinstance(error, InputError):
                self.refused += 1
            else:
                self.faults.append((pieces[0], traceback.format_exc()))
        else:
            self.accepted += len(pieces)


def main() -> int:
    """Print what became of the pieces, and the faults; 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__)
    names = [name for name, fuzzer in FUZZERS.items() if isinstance(fuzzer.try_case, traces.DamagedLog)]
    parser.add_argument("name", choices=names)
    parser.add_argument("--pieces", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    case = FUZZERS[options.name].try_case
    assert isinstance(case, traces.DamagedLog)
    traces.prepare()
    # Warnings of numpy are faults too: they tell of values that went astray.
    warnings.simplefilter("error")
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, text in enumerate(case.texts):
            heaps = Heaps(Path(folder) / "log.swf", text)
            for first in range(0, options.pieces // len(case.texts), HEAP):
                chance = chance_of(options.seed, number * options.pieces + first)
                heaps.judge([mutate(chance, (text,), case.words) for _ in range(HEAP)])
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
