"""The cells of the matrix: a kind of log, a kind of run, and a command or the exports of a window."""

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from app.report.make import FIGURES
from tests.matrix.bench import RUNS, Bench, lay_bench
from tests.matrix.commands import COMMANDS, Asked
from tests.matrix.exports import judged_exports
from tests.matrix.logs import LOGS
from tests.matrix.outcome import Judged, judged

EXPORTS = "exports"
"""Stands among the commands for all that a window exports."""


class MatrixCell(NamedTuple):
    """What is tried: a command, or EXPORTS, for a kind of run on a kind of log."""

    log: str
    run: str
    command: str

    def __str__(self) -> str:
        return f"{self.log} {self.run} {self.command}"


class Trial(NamedTuple):
    """A cell, what was tried, and what came of it."""

    cell: MatrixCell
    tried: str
    came: Judged


def all_cells() -> list[MatrixCell]:
    """Every command and the exports, for every kind of run on every kind of log."""
    return [MatrixCell(log, run, command) for log in LOGS for run in RUNS for command in (*COMMANDS, EXPORTS)]


def try_cells(
    cells: Sequence[MatrixCell],
    folder: Path,
    seed: int,
    lay: Callable[[str, Path], Bench] = lay_bench,
    most_exports: int | None = None,
) -> Iterator[Trial]:
    """Try cells one after the other, with options that the seed and the cell choose.

    Of the exports of a window `most_exports` are tried; None: all.
    """
    benches: dict[str, Bench] = {}
    for cell in cells:
        if cell.log not in benches:
            benches[cell.log] = lay(cell.log, folder)
            yield _schedule_of(cell, benches[cell.log])
        bench = benches[cell.log]
        # Of its own, so that a cell is the same wherever it stands.
        chance = random.Random(f"{seed} {cell}")
        if cell.command == EXPORTS:
            for name, came in judged_exports(bench, cell.run, chance, most_exports):
                yield Trial(cell, name, came)
        else:
            words = COMMANDS[cell.command](Asked(bench, cell.run, chance))
            with _few_figures(chance):
                came = judged(words)
            yield Trial(cell, " ".join(map(str, words)), came)


@contextmanager
def _few_figures(chance: random.Random) -> Iterator[None]:
    """Let reports have two kinds of figures, of all: the exports draw every kind too."""
    kinds = tuple(chance.sample(FIGURES, 2))
    with patch("app.report.make.FIGURES", kinds):
        yield


def _schedule_of(cell: MatrixCell, bench: Bench) -> Trial:
    """Write the schedule that runs of the kind `recorded-file` read."""
    words = ("simulate", bench.log, "-p", "fcfs", "-o", bench.schedule)
    return Trial(MatrixCell(cell.log, "fcfs", "simulate"), " ".join(map(str, words)), judged(words))
