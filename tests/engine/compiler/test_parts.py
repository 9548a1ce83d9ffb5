"""Parts of kernels on their own, and kept on disk."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT

pytestmark = pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")


def test_another_kernel_takes_a_part_in_from_the_disk(tmp_path: Path) -> None:
    (tmp_path / "part.py").write_text(
        "from engine.compiler.kernels import inner_kernel\n"
        "@inner_kernel\n"
        "def square(number):\n"
        "    if number < 0:\n"
        "        raise ValueError('no root')\n"
        "    return number * number\n"
    )
    environment = os.environ | {"PYTHONPATH": f"{ROOT}:{tmp_path}", "NUMBA_CACHE_DIR": str(tmp_path / "kept")}
    for terms in ("square(number)", "square(number) + square(number + 1)"):
        (tmp_path / "whole.py").write_text(
            "from engine.compiler.kernels import kernel\n"
            "from part import square\n"
            "@kernel\n"
            "def total(number):\n"
            f"    return {terms}\n"
            "three = total(3)\n"
            "(part,) = square.dispatcher.overloads.values()\n"
            "print(three, type(part.library).__name__, sum(square.dispatcher.stats.cache_hits.values()))\n"
            "try:\n"
            "    total(-2)\n"
            "except ValueError as error:\n"
            "    print(error)\n"
        )
        done = subprocess.run(
            [sys.executable, tmp_path / "whole.py"],
            env=environment, capture_output=True, text=True, check=True,
        )  # fmt: skip
        expected = "25 JITCodeLibrary 1" if "+" in terms else "9 Part 0"
        assert done.stdout.splitlines() == [expected, "no root"]
