"""Some cases of every fuzzer, always the same: `python -m tests.fuzz` tries more."""

import random
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.fuzz import traces
from tests.fuzz.campaign import Tally, run
from tests.fuzz.fuzzer import READ, REFUSED, Fuzzer, nothing
from tests.fuzz.registry import FUZZERS

READERS = [name for name, fuzzer in FUZZERS.items() if fuzzer.prepare in (nothing, traces.prepare)]
"""Those that need at most the kernels of readers: a process tries several in turn."""

APART = ("kills",)
"""What a test of its own tries."""

PROCESSES = 2  # one after the other
CASES = 60
"""Of each reader: what is found by so many is found before it lands; `tests.fuzz` tries more."""


@dataclass(frozen=True)
class Several:
    """The fuzzers of these names in turn, as one."""

    names: tuple[str, ...]

    def __call__(self, chance: random.Random, folder: Path) -> str:
        """Try a case of one of them."""
        name = self.names[int(folder.name) % len(self.names)]
        return f"{name} {FUZZERS[name].try_case(chance, folder)}"


def _no_faults(tally: Tally) -> None:
    assert not tally.faults, "\n".join(f"case {fault.number}:\n{fault.text}" for fault in tally.faults)


@pytest.mark.parametrize("first", range(PROCESSES))
def test_readers_and_spellings_give_a_value_or_the_one_error(first: int, tmp_path: Path) -> None:
    names = tuple(READERS[first::PROCESSES])
    fuzzer = Fuzzer("", Several(names), seconds=30, mebibytes=512, prepare=traces.prepare)
    tally = run("readers", fuzzer, tmp_path / "cases", cases=CASES * len(names), seed=1)
    _no_faults(tally)
    for name in names:
        for word in (READ, REFUSED):
            assert tally.outcomes[f"{name} {word}"] >= 1, tally


def test_printed_queues_give_jobs_or_the_one_error(tmp_path: Path) -> None:
    tally = run("queue", FUZZERS["queue"], tmp_path / "cases", cases=80, seed=2)
    _no_faults(tally)
    assert min(tally.outcomes[word] for word in (READ, REFUSED)) >= 10, tally


@pytest.mark.parametrize("name", [name for name in FUZZERS if name not in (*READERS, *APART)])
def test_what_needs_kernels_goes_well(name: str, tmp_path: Path) -> None:
    _no_faults(run(name, FUZZERS[name], tmp_path / "cases", cases=25, seed=1))
