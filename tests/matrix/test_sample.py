"""A sample of the matrix: no command and no export ends in a traceback, or in more than a line."""

import os
import random
from pathlib import Path

from tests.matrix.bench import RUNS
from tests.matrix.cells import EXPORTS, MatrixCell, all_cells, try_cells
from tests.matrix.commands import COMMANDS
from tests.matrix.logs import LOGS

SEED = 1 if os.environ.get("CI") else random.randrange(1 << 32)
"""Repeatable in CI, others each time elsewhere; a failure names it."""


def _each_once(chance: random.Random) -> list[MatrixCell]:
    """So few cells that each command, each kind of run and each kind of log is in one of them at least."""
    logs, runs = chance.sample(list(LOGS), len(LOGS)), chance.sample(list(RUNS), len(RUNS))
    commands = chance.sample([*COMMANDS, EXPORTS], len(COMMANDS) + 1)
    many = max(map(len, (logs, runs, commands)))
    return [
        MatrixCell(logs[k % len(logs)], runs[k % len(runs)], commands[k % len(commands)]) for k in range(many)
    ]


def test_every_cell_is_there() -> None:
    assert len(set(all_cells())) == len(LOGS) * len(RUNS) * (len(COMMANDS) + 1)


def test_no_traceback(tmp_path: Path) -> None:
    cells = _each_once(random.Random(SEED))
    trials = list(try_cells(cells, tmp_path, SEED, most_exports=4))
    faults = [f"{trial.cell}: {trial.tried}\n{trial.came.fault}" for trial in trials if trial.came.fault]
    assert not faults, f"of seed {SEED}:\n" + "\n\n".join(faults)
    assert sum(trial.came.refused for trial in trials) < len(trials) / 2
