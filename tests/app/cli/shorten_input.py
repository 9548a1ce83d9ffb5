"""Leaves out steps of random input that a failure does not need.

`python -m tests.app.cli.shorten_input OUTPUT LOG ...`: the steps of `OUTPUT`, what `random_input` printed on
standard output, are made again with fewer and fewer of them, as long as that fails; the rest is printed.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.app.cli.random_steps import Step, read_steps

MOST_TRIES = 200
TRIES_OF_EACH = 2
"""A failure that depends on the clock is not there every time."""


def shortened(
    steps: Sequence[Step], fails: Callable[[Sequence[Step]], bool], most_tries: int = MOST_TRIES
) -> list[Step]:
    """The steps without the halves, quarters and so on, without which they fail too."""
    rest, size, tries = list(steps), max(len(steps) // 2, 1), 0
    while size and tries < most_tries:
        begin = 0
        while begin < len(rest) and tries < most_tries:
            fewer = rest[:begin] + rest[begin + size :]
            tries += 1
            if fails(fewer):
                rest = fewer
            else:
                begin += size
        size //= 2
    return rest


def main(output: str, *logs: str) -> None:
    """Print the shortest list of steps that fails."""

    def fails(steps: Sequence[Step]) -> bool:
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            file.write("\n".join(step.written() for step in steps))
            file.flush()
            call = [sys.executable, "-m", "tests.app.cli.random_input", *logs, "--replay", file.name]
            ends = (subprocess.run(call, capture_output=True, check=False) for _ in range(TRIES_OF_EACH))
            return any(done.returncode for done in ends)

    steps = read_steps(Path(output).read_text(encoding="utf-8"))
    if not fails(steps):
        sys.exit("These steps do not fail.")
    print("\n".join(step.written() for step in shortened(steps, fails)))


if __name__ == "__main__":
    main(*sys.argv[1:])
