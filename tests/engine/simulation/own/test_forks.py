"""The processes that own code runs in: forked from one server, each as if it were the first."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.own.allowed_code import allow_named
from engine.policy.policy import parse_policy
from engine.run_source import schedule_of
from engine.simulation.own import forks
from engine.system import process_exists
from tests.engine.simulation.own.test_orders import ORDER, crowd

TRACE = crowd(40)


def run(path: Path, text: str) -> list[str]:
    """What `NOTE` was given by the code, a run's lines."""
    path.write_text(ORDER.format("note(jobs)") + text)
    allow_named(f"{path}:f")
    schedule_of(TRACE, Cluster.pool(16), parse_policy(f"{path}:f"))
    notes = path.with_name("notes")
    lines = notes.read_text().splitlines()
    notes.unlink()
    return lines


NOTE = """
import os, sys
def note(jobs):
    with open({path!r}, "a") as file:
        print({what}, file=file)
    return jobs.procs
"""


def noting(folder: Path, what: str) -> str:
    return NOTE.format(path=str(folder / "notes"), what=what)


def gone(process: int) -> bool:
    until = time.monotonic() + 60
    while process_exists(process) and time.monotonic() < until:
        time.sleep(0.01)
    return not process_exists(process)


def test_runs_are_forked_from_one_process_and_leave_nothing_to_the_next(tmp_path: Path) -> None:
    text = noting(
        tmp_path, "os.getppid(), os.getpid() == os.getpgid(0), vars(sys).setdefault('mark', jobs.id[0])"
    )
    first = run(tmp_path / "mine.py", text)
    second = run(tmp_path / "mine.py", text)
    assert first == second
    server, leads, _ = first[0].split()
    assert int(server) == forks._current[0]._process.pid
    assert leads == "True"


def test_another_environment_and_another_folder_are_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = noting(tmp_path, "os.getppid(), os.environ.get('OWN_CODE'), os.getcwd()")
    before, value, folder = run(tmp_path / "mine.py", text)[0].split()
    assert value == "None"
    assert folder == str(Path.cwd())
    monkeypatch.setenv("OWN_CODE", "7")
    monkeypatch.chdir(tmp_path)
    after, value, folder = run(tmp_path / "mine.py", text)[0].split()
    assert value == "7"
    assert folder == str(tmp_path)
    assert after != before
    assert gone(int(before))


def test_a_server_that_was_killed_is_started_again(tmp_path: Path) -> None:
    text = noting(tmp_path, "os.getppid()")
    server = int(run(tmp_path / "mine.py", text)[0])
    os.kill(server, signal.SIGKILL)
    assert forks._current[0]._process.wait(60) == -signal.SIGKILL
    assert int(run(tmp_path / "mine.py", text)[0]) != server


def test_a_server_that_is_killed_by_the_code_ends_the_run(tmp_path: Path) -> None:
    text = "\nimport os\ndef note(jobs): os.kill(os.getppid(), 9); os._exit(0)\n"
    with pytest.raises(InputError, match="its process ended before the simulation did"):
        run(tmp_path / "mine.py", text)


PROGRAM = """
from pathlib import Path
from tests.engine.simulation.own.test_forks import run
run(Path({path!r}), {text!r})
"""


def test_a_program_that_is_killed_takes_its_processes_with_it(tmp_path: Path) -> None:
    endless = "subprocess.Popen(['sleep', '99']).pid, os.getpid(), os.getppid(), flush=True"
    text = "\nimport subprocess\n" + noting(tmp_path, endless).replace(
        "return", "while True: pass\n    return"
    )
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(path=str(tmp_path / "mine.py"), text=text)],
        cwd=Path(__file__).parents[4],
    )
    notes, until = tmp_path / "notes", time.monotonic() + 120
    while not (notes.exists() and notes.read_text().endswith("\n")) and time.monotonic() < until:
        time.sleep(0.05)
    program.kill()
    program.wait()
    assert all(gone(int(process)) for process in notes.read_text().split())
