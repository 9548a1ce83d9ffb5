"""Whatever is clicked, typed, dragged and chosen, the window goes on and ends well."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.paths import ROOT

SECONDS = 8


def test_random_input_does_no_harm(kernels: None, site: Path) -> None:
    program = [sys.executable, "-X", "faulthandler", "-m", "tests.app.cli.random_input"]
    done = subprocess.run(
        [*program, str(site), "--seed", "1", "--seconds", str(SECONDS)],
        cwd=ROOT,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS + 240,
    )
    steps = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (0, ""), "\n".join(steps[-30:])
    assert len(steps) > 40
