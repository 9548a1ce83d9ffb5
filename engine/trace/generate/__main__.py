"""Make a synthetic log: `python -m engine.trace.generate example.swf.gz --seed 7`."""

from __future__ import annotations

import argparse
from pathlib import Path

from engine.trace.generate import EXAMPLE_SEED, generate, write_log


def main() -> None:
    """Read the command line and write the log with its machines file."""
    parser = argparse.ArgumentParser(prog="python -m engine.trace.generate", description=__doc__)
    parser.add_argument("path", type=Path, help="the log to write; packed where it ends in .gz")
    parser.add_argument("--seed", type=int, default=EXAMPLE_SEED, help="default %(default)s, the example's")
    options = parser.parse_args()
    write_log(generate(options.seed), options.path)


if __name__ == "__main__":
    main()
