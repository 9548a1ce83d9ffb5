"""The command as a program of its own: what only shows from outside."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "app", *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )


def test_done(small: Path, tmp_path: Path) -> None:
    done = run("compare", small, "-p", "fcfs", "-p", "easy", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert [entry["policy"] for entry in json.loads(done.stdout)["runs"]] == ["fcfs", "easy"]


def test_wrong_usage(tmp_path: Path) -> None:
    done = run("info", tmp_path / "absent.swf")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"batchscope: {tmp_path / 'absent.swf'}: no such file\n"
    done = run("simulate")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1


def test_failed_work(small: Path, tmp_path: Path) -> None:
    done = run("simulate", small, "-o", tmp_path / "no" / "out.csv")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"batchscope: {tmp_path / 'no' / 'out.csv'}: No such file or directory\n"


def test_no_progress_is_drawn_where_nobody_looks(small: Path) -> None:
    done = run("eet", small)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\r" not in done.stdout


def test_a_reader_that_has_enough_is_no_error(small: Path) -> None:
    command = [sys.executable, "-m", "app", "policies"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        said = process.stderr.read()
        assert process.wait(timeout=60) == 0
    assert said == b""
