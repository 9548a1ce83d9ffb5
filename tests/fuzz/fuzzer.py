"""What a fuzzer is: something that makes one random case, tries it, and says what came of it."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

READ, REFUSED = "read", "refused"
"""What comes of a case of a reader: a value, or the one error for unusable input."""

TryCase = Callable[[random.Random, Path], str]
"""Makes a case from random numbers and an empty folder, tries it, and returns a word for what came of it.

Words are counted. Whatever is wrong is raised, as any exception. What a case puts in the folder is kept
when it fails.
"""


def nothing() -> None:
    """Of a fuzzer that needs no preparation."""


@dataclass(frozen=True)
class Fuzzer:
    """A kind of case with its limits of time and memory.

    A case fails if it takes longer than `seconds`, if it needs over `mebibytes` more memory than the program
    has at its beginning, or if it ends the process. `prepare` is called once in each process, without
    limits: it compiles kernels.
    """

    help: str
    try_case: TryCase
    seconds: float = 10.0
    mebibytes: int = 512
    prepare: Callable[[], object] = nothing


def chance_of(seed: int, number: int) -> random.Random:
    """The random numbers of one case: the same whichever cases were tried before."""
    return random.Random(f"{seed}:{number}")
