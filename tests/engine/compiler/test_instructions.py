"""The instructions of compiled kernels on fixed cases: those that are kept, or near them."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from engine.compiler.shipped import PROCESSOR, PROCESSOR_SETTING
from tests.benchmarks.instructions import COUNTS, WRITES

AT_MOST = 0.05
"""The share by which a count may differ from the one that is kept."""

COUNT = f"{PROCESSOR_SETTING}={PROCESSOR} python -m tests.benchmarks.instructions"


@pytest.mark.skipif(
    os.environ.get(PROCESSOR_SETTING) != PROCESSOR,
    reason=f"kernels are compiled for this processor alone here: {COUNT}",
)
@pytest.mark.skipif(
    not (shutil.which("valgrind") and shutil.which("cc")),
    reason="valgrind and a C compiler count instructions, and are not installed",
)
def test_kernels_take_the_instructions_that_are_kept() -> None:
    """In a process of its own, which loads no kernel before it keeps their code."""
    call = [sys.executable, "-m", "tests.benchmarks.instructions"]
    counted = json.loads(subprocess.run(call, capture_output=True, text=True, check=True).stdout)
    kept = json.loads(COUNTS.read_text("utf-8"))
    assert counted.keys() == kept.keys()
    other = {case: f"{kept[case]} -> {counted[case]}" for case in kept if differs(counted[case], kept[case])}
    assert not other, f"say why in the commit, and keep the counts with {COUNT} {WRITES}"


def differs(counted: int, kept: int) -> bool:
    """Whether a count is another than the one that is kept."""
    return abs(counted - kept) > AT_MOST * kept


def test_a_twentieth_is_the_most_that_may_change() -> None:
    assert not differs(105, 100)
    assert not differs(95, 100)
    assert differs(106, 100)
    assert differs(94, 100)
