"""Running commands within a test, and a small log to run them on."""

import json
import math
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from app.cli.main import main
from tests.engine.logs.lines import line, write_log

HEADER = ("; MaxProcs: 8", "; UnixStartTime: 1000000000")


class Outcome(NamedTuple):
    """The outcome of a command: its exit status, standard output and standard error."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """Standard output as the one JSON document that it is; NaN and infinities are none."""

        def refuse(word: str) -> float:
            raise AssertionError(f"{word} is no JSON")

        document: dict[str, Any] = json.loads(self.out, parse_constant=refuse)
        return document

    @property
    def complaint(self) -> str:
        """The one line about what was wrong, and nothing on standard output."""
        assert self.out == ""
        assert self.err.endswith("\n")
        assert self.err.count("\n") == 1, self.err
        assert self.err.startswith("batchscope")
        assert "Traceback" not in self.err
        assert "nan" not in self.err.lower().split()
        return self.err.rstrip("\n")


class Commands:
    """Runs commands in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: object) -> Outcome:
        self._capsys.readouterr()
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as leaving:  # as argparse does
            status = leaving.code if isinstance(leaving.code, int) else 1
        found = self._capsys.readouterr()
        return Outcome(status, found.out, found.err)

    def done(self, *arguments: object) -> Outcome:
        """The same, for what must succeed."""
        outcome = self(*arguments)
        assert outcome.status == 0, outcome.err
        return outcome


def small_log(folder: Path, name: str = "small.swf", waits: bool = True) -> Path:
    """Twelve jobs of users 1 to 3 in queues 1 and 2 on eight processors, one every 50 s from 100 on."""
    jobs = [
        line(
            job=number,
            submit=100 + 50 * number,
            wait=10 * number if waits else -1,
            runtime=60 + 40 * (number % 4),
            walltime=100 + 80 * (number % 4),
            procs=1 + 3 * (number % 3),
            allocated=1 + 3 * (number % 3),
            user=1 + number % 3,
            queue=1 + number % 2,
        )
        for number in range(12)
    ]
    return write_log(folder / name, *HEADER, *jobs)


def plain_numbers(values: dict[str, Any]) -> bool:
    """Whether all values are finite numbers or null."""
    return all(value is None or math.isfinite(value) for value in values.values())
