"""Some cases of every fuzzer, always the same: `python -m tests.fuzz` tries more."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.fuzz.campaign import Tally, run
from tests.fuzz.fuzzer import READ, REFUSED, Fuzzer, nothing
from tests.fuzz.registry import FUZZERS

READERS = [name for name, fuzzer in FUZZERS.items() if fuzzer.prepare is nothing]
"""Those that need no compiled kernels: one process tries them in turn."""


def _try_any(chance: random.Random, folder: Path) -> str:
    name = READERS[int(folder.name) % len(READERS)]
    return f"{name} {FUZZERS[name].try_case(chance, folder)}"


def _no_faults(tally: Tally) -> None:
    assert not tally.faults, "\n".join(f"case {fault.number}:\n{fault.text}" for fault in tally.faults)


def test_readers_and_spellings_give_a_value_or_the_one_error(tmp_path: Path) -> None:
    fuzzer = Fuzzer("", _try_any, seconds=30, mebibytes=512)
    tally = run("readers", fuzzer, tmp_path / "cases", cases=25 * len(READERS), seed=1)
    _no_faults(tally)
    for name in READERS:
        for word in (READ, REFUSED):
            assert tally.outcomes[f"{name} {word}"] >= 1, tally


@pytest.mark.parametrize("name", [name for name in FUZZERS if name not in READERS])
def test_what_needs_kernels_goes_well(name: str, tmp_path: Path) -> None:
    _no_faults(run(name, FUZZERS[name], tmp_path / "cases", cases=25, seed=1))
