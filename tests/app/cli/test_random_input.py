"""Whatever is clicked, typed, dragged and chosen, the window goes on and ends well."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.app.windows import site_log
from tests.paths import ROOT

EVENTS = 4000
LIMIT_S = 60
"""When the program ends where a busy machine takes longer for these events."""


def test_random_input_does_no_harm(kernels: None, site: Path, tmp_path: Path) -> None:
    """Two windows open three logs in turn. At its limit the program itself prints where all threads are."""
    logs = [site, site_log(tmp_path, "small.swf", jobs=5), site_log(tmp_path, "waits.swf", longest_wait=9000)]
    program = [sys.executable, "-m", "tests.app.cli.random_input", *map(str, logs)]
    done = subprocess.run(
        [*program, "--seed", "1", "--seconds", str(LIMIT_S), "--events", str(EVENTS)],
        cwd=ROOT,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_S + 240,
    )
    steps = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (0, ""), "\n".join([*steps[-30:], done.stderr])
    assert len(steps) > 10  # on a busy machine the first window takes most of the time
