"""Many cases of one fuzzer, tried in a process of their own, which may hang, crash or run out of memory."""

import contextlib
import faulthandler
import math
import multiprocessing
import os
import shutil
import signal
import time
import traceback
import warnings
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import NamedTuple

from tests.fuzz.fuzzer import Fuzzer, chance_of
from tests.fuzz.memory import at_most

MOST_FAULTS = 20
"""After so many a campaign ends: what they have in common is to be mended first."""

_FIRST_SECONDS = 300.0  # of a process for its first case: imports, and kernels that are compiled
_LEAST_WAIT = 0.2  # s
_MOST_WAITS = 100  # for one case
_STACK_SECONDS = 0.5  # for a process to say where it is
_STACKS = "stacks.txt"


class Fault(NamedTuple):
    """A case that went wrong: which, how (the last line tells the most), and the folder of its files."""

    number: int
    text: str
    folder: Path


@dataclass
class Tally:
    """What came of the cases of one fuzzer."""

    name: str
    seed: int
    outcomes: Counter[str] = field(default_factory=Counter)
    faults: list[Fault] = field(default_factory=list)
    slowest: float = 0.0  # s
    seconds: float = 0.0

    def __str__(self) -> str:
        cases = self.outcomes.total() + len(self.faults)
        words = [f"{count:,} {word}" for word, count in sorted(self.outcomes.items())]
        return (
            f"{self.name}: {cases:,} cases of seed {self.seed} in {self.seconds:,.0f} s, the slowest "
            f"{self.slowest:.2f} s: {', '.join([*words, f'{len(self.faults)} faults'])}"
        )


class _Result(NamedTuple):
    """What the process says of a case; `fault` is a traceback, or empty."""

    outcome: str
    seconds: float
    fault: str


def run(
    name: str,
    fuzzer: Fuzzer,
    folder: Path,
    *,
    cases: int,
    seed: int,
    first: int = 0,
    seconds: float = math.inf,
) -> Tally:
    """Try the cases `first` to `first + cases - 1`, as many as begin within so many seconds.

    Folders of cases that go wrong stay in `folder`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tally = Tally(name, seed)
    begin = time.monotonic()
    until = begin + seconds
    number, end = first, first + cases
    while number < end and _goes_on(tally, until):
        number = _run_some(tally, fuzzer, folder, number, end, until)
    tally.seconds = time.monotonic() - begin
    with contextlib.suppress(OSError):
        folder.rmdir()  # where nothing is left in it
    return tally


def _goes_on(tally: Tally, until: float) -> bool:
    return len(tally.faults) < MOST_FAULTS and time.monotonic() < until


def _run_some(tally: Tally, fuzzer: Fuzzer, folder: Path, number: int, end: int, until: float) -> int:
    """Run cases in one process until all are done, it is lost, or the time is up; returns the next number."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(fuzzer, folder, tally.seed, range(number, end), theirs))
    process.start()
    theirs.close()
    patience = _FIRST_SECONDS
    try:
        while number < end and _goes_on(tally, until):
            case_folder = folder / str(number)
            if not _answers(ours, process, patience):
                tally.faults.append(Fault(number, _hung(process, folder, patience), case_folder))
                return number + 1
            try:
                result: _Result = ours.recv()
            except EOFError:
                tally.faults.append(Fault(number, _ended(process, folder), case_folder))
                return number + 1
            tally.slowest = max(tally.slowest, result.seconds if patience == fuzzer.seconds else 0.0)
            if result.fault:
                tally.faults.append(Fault(number, result.fault, case_folder))
            else:
                tally.outcomes[result.outcome] += 1
            number += 1
            patience = fuzzer.seconds
        process.kill()  # at a case that nobody waits for, where the time is up
        process.join()
        shutil.rmtree(folder / str(number), ignore_errors=True)
        return number
    finally:
        process.kill()
        process.join()
        ours.close()
        (folder / _STACKS).unlink(missing_ok=True)


def _answers(connection: Connection, process: BaseProcess, seconds: float) -> bool:
    """Whether a process answers before it has computed for so long.

    On a busy machine it may wait for a processor meanwhile, which says nothing about the case; one that
    sleeps does not answer.
    """
    began, _ = _computed(process)
    left = seconds
    for _ in range(_MOST_WAITS):
        before = left
        if connection.poll(max(left, _LEAST_WAIT)):
            return True
        computed, runnable = _computed(process)
        left = seconds - (computed - began)
        if left <= 0 or (left == before and not runnable):
            return False
    return False


def _computed(process: BaseProcess) -> tuple[float, bool]:
    """Seconds of processor time that a process has used, and whether it wants more."""
    assert process.pid is not None
    try:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0, False
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), fields[0] in "RD"


def _hung(process: BaseProcess, folder: Path, seconds: float) -> str:
    """Where a process is that does not end."""
    assert process.pid is not None
    os.kill(process.pid, signal.SIGUSR1)
    time.sleep(_STACK_SECONDS)
    return f"{_stacks(folder)}no end after {seconds:g} s"


def _stacks(folder: Path) -> str:
    """Where the process was, as far as it got: one that never began has written nothing."""
    stacks = folder / _STACKS
    return stacks.read_text() if stacks.exists() else ""


def _ended(process: BaseProcess, folder: Path) -> str:
    process.join()
    return f"{_stacks(folder)}the process ended with status {process.exitcode}"


def _work(fuzzer: Fuzzer, folder: Path, seed: int, numbers: range, connection: Connection) -> None:
    """The whole of a process: its cases, one after the other."""
    with (folder / _STACKS).open("w") as stacks:
        faulthandler.enable(stacks)
        warnings.simplefilter("error")  # of an overflow, say
        faulthandler.register(signal.SIGUSR1, stacks)
        fuzzer.prepare()
        for number in numbers:
            case_folder = folder / str(number)
            shutil.rmtree(case_folder, ignore_errors=True)
            case_folder.mkdir()
            begin = time.monotonic()
            outcome, fault = "", ""
            try:
                with at_most(fuzzer.mebibytes << 20):
                    outcome = fuzzer.try_case(chance_of(seed, number), case_folder)
            except Exception:
                fault = traceback.format_exc()
            else:
                shutil.rmtree(case_folder)
            connection.send(_Result(outcome, time.monotonic() - begin, fault))
