"""The command: cells of the matrix, all or some, and the faults that were found.

Status 1 where anything went wrong. What was tried stays in the folder of `--keep`, where the command that is
printed with a fault can be run again.
"""

import argparse
import os
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(sys.prefix) / "numba-cache"))  # as tests have it
os.environ["QT_QPA_PLATFORM"] = "offscreen"

from tests.matrix.bench import RUNS, Bench, lay_beside
from tests.matrix.cells import EXPORTS, MatrixCell, all_cells, try_cells
from tests.matrix.commands import COMMANDS
from tests.matrix.logs import LOGS


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.matrix", description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1, help="of the options of commands (1)")
    parser.add_argument("--part", default="1/1", metavar="K/N", help="the K-th of N parts of the matrix")
    parser.add_argument("--log", action="append", choices=LOGS, default=[], help="only these kinds of log")
    parser.add_argument("--run", action="append", choices=RUNS, default=[], help="only these kinds of run")
    known = [*COMMANDS, EXPORTS]
    parser.add_argument("--command", action="append", choices=known, default=[], help="only these commands")
    parser.add_argument("--file", action="append", type=Path, default=[], help="these logs, and no others")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="how long new cells begin")
    parser.add_argument("--exports", type=int, metavar="N", help="so many exports of each window (all)")
    parser.add_argument("--verbose", action="store_true", help="print all that is tried")
    parser.add_argument("--keep", type=Path, help="a folder for all that is written")
    options = parser.parse_args()
    part, parts = map(int, options.part.split("/"))
    if options.file:
        wanted = [
            MatrixCell(str(log), run, command) for log in options.file for run in RUNS for command in known
        ]
    else:
        wanted = [cell for cell in all_cells() if not options.log or cell.log in options.log]
    # A part is every n-th cell of what is left, so that parts take about as long.
    wanted = [
        cell
        for cell in wanted
        if (not options.run or cell.run in options.run)
        and (not options.command or cell.command in options.command)
    ]
    began, tried, refused, faults = time.monotonic(), 0, 0, 0
    with ExitStack() as stack:
        keep = options.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        # What commands cache goes with the run.
        keep.mkdir(parents=True, exist_ok=True)
        os.environ["XDG_CACHE_HOME"] = str(keep / "cache")
        lay = {"lay": _lay_file} if options.file else {}
        for trial in try_cells(
            wanted[part - 1 :: parts], keep, options.seed, most_exports=options.exports, **lay
        ):
            tried += 1
            refused += trial.came.refused
            if options.verbose:
                print(
                    f"{'refused ' if trial.came.refused else 'done    '}{trial.cell}: {trial.tried}",
                    flush=True,
                )
            if trial.came.fault:
                faults += 1
                print(f"\n{trial.cell}: {trial.tried}\n{trial.came.fault}", flush=True)
            # A cell that has begun is finished.
            if time.monotonic() - began > options.seconds:
                break
    print(
        f"{tried:,} commands and exports in {time.monotonic() - began:.0f} s, {faults:,} faults", flush=True
    )
    return int(faults > 0)


def _lay_file(name: str, folder: Path) -> Bench:
    """What stands beside a log that is read where it lies."""
    own = folder / f"{len(list(folder.iterdir()))}-{Path(name).name}"
    own.mkdir()
    return lay_beside(Bench(name, own, Path(name).resolve()))


if __name__ == "__main__":
    sys.exit(main())
