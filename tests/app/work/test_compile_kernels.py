"""What is compiled ahead is all there is."""

import os
import subprocess
import sys

import pytest

from tests.paths import ROOT


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_no_kernel_is_compiled_later() -> None:
    command = [sys.executable, "-m", "tests.app.cli.every_policy"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == []
