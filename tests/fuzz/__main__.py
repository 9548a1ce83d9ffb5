"""The command: cases of one fuzzer or of several, with what came of them.

Status 1 where any went wrong; what those were about stays in a folder, and each can be tried again
by itself with the same `--seed`, its number as `--first`, and `--cases 1`.
"""

import argparse
import math
import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(sys.prefix) / "numba-cache"))  # as tests have it

from tests.fuzz.campaign import run
from tests.fuzz.registry import FUZZERS

ALL = "all"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz",
        description="Tries hostile input.",
        epilog="\n".join(f"{name:<14}{fuzzer.help}" for name, fuzzer in FUZZERS.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("readers", nargs="+", choices=[*FUZZERS, ALL], metavar="READER", help=f"or `{ALL}`")
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument(
        "--seconds", type=float, default=math.inf, help="how long new cases of a reader begin at most"
    )
    parser.add_argument("--keep", type=Path, help="where folders of cases that go wrong are left")
    options = parser.parse_args()
    keep = options.keep or Path(tempfile.mkdtemp(prefix="batchscope-fuzz-"))
    wrong = False
    for name in FUZZERS if ALL in options.readers else options.readers:
        tally = run(
            name,
            FUZZERS[name],
            keep / name,
            cases=options.cases,
            seed=options.seed,
            first=options.first,
            seconds=options.seconds,
        )
        print(tally, flush=True)
        for fault in tally.faults:
            print(f"\n{name}, case {fault.number} of seed {tally.seed}, in {fault.folder}:\n{fault.text}")
        wrong |= bool(tally.faults)
    # An empty folder that was made here is not left behind; one that the caller named is.
    if not wrong and options.keep is None:
        keep.rmdir()
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
