"""Hidden parts: what a kill leaves is swept a day later, and nothing else is."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from engine import parts
from engine.atomic import write_atomically
from engine.parts import make_part, make_part_folder, sweep
from engine.system import process_start
from tests.paths import ROOT

pytestmark = pytest.mark.skipif(os.name != "posix", reason="processes are those of POSIX")

KILLED = """
import os, signal, sys
from pathlib import Path
from app.report.folder import write_folder
from engine.atomic import write_atomically
def die(part):
    (part / "half" if part.is_dir() else part).write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
folder = Path(sys.argv[1])
if sys.argv[2] == "file":
    write_atomically(folder / "out.csv", die)
else:
    write_folder(folder / "report", die, {}, force=False)
"""


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "folder"
    made.mkdir()
    return made


def killed_in(folder: Path, what: str) -> Path:
    """What a process leaves in the folder that is killed while it writes."""
    before = set(folder.iterdir())
    done = subprocess.run([sys.executable, "-c", KILLED, str(folder), what], cwd=ROOT, check=False)
    assert done.returncode == -9
    (left,) = set(folder.iterdir()) - before
    return left


def make_old(path: Path) -> Path:
    """As if it had been written over a day ago."""
    then = time.time() - parts.SWEPT_AFTER_S - 60
    os.utime(path, (then, then), follow_symlinks=False)
    return path


@pytest.mark.parametrize("what", ["file", "folder"])
def test_what_a_kill_leaves_is_swept_a_day_later(folder: Path, what: str) -> None:
    left = killed_in(folder, what)
    assert left.name.startswith(".")
    write_atomically(folder / "first", lambda part: part.write_text("new"))
    assert left.exists(), "it is not a day old"
    make_old(left)
    parts._swept.clear()  # as in the next process
    write_atomically(folder / "second", lambda part: part.write_text("new"))
    assert names(folder) == ["first", "second"]


def test_the_parts_of_a_living_process_stay(folder: Path) -> None:
    file, made = make_part(folder / "out.csv"), make_part_folder(folder / "report")
    make_old(file)
    make_old(made)
    sweep(folder)
    assert names(folder) == sorted([file.name, made.name])


def renamed(change: Callable[[list[str]], list[str]], left: Path) -> Path:
    """The part with other fields in its name."""
    head, mark, tail = left.name.partition("-batchscope-")
    fields, _, suffix = tail.partition(".")
    other = left.with_name(head + mark + "-".join(change(fields.split("-"))) + "." + suffix)
    left.rename(other)
    return other


def test_a_number_that_a_later_process_has_does_not_protect(folder: Path) -> None:
    own = str(os.getpid())
    left = renamed(lambda fields: [fields[0], own, "1", fields[3]], killed_in(folder, "file"))
    assert process_start(os.getpid()) > 1
    make_old(left)
    sweep(folder)
    assert names(folder) == []


def test_the_parts_of_another_computer_stay(folder: Path) -> None:
    left = renamed(lambda fields: ["0" * 8, *fields[1:]], killed_in(folder, "file"))
    make_old(left)
    sweep(folder)
    assert names(folder) == [left.name]


def test_what_has_not_our_mark_stays(folder: Path, tmp_path: Path) -> None:
    left = killed_in(folder, "file")
    others = [left.name[1:], left.name.replace("batchscope", "other"), ".out-x7.csv", left.name + "~.bak.x"]
    for name in others:
        make_old(folder / name) if (folder / name).exists() else make_old(touched(folder / name))
    victim = tmp_path / "victim"
    victim.write_text("mine")
    link = folder / left.name.replace(".csv", ".swf")
    link.symlink_to(victim)
    make_old(link)
    make_old(left)
    sweep(folder)
    assert names(folder) == sorted([*others, link.name])
    assert victim.read_text() == "mine"


def touched(path: Path) -> Path:
    path.touch()
    return path


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can give files away")
def test_the_parts_of_another_user_stay(folder: Path) -> None:
    left = make_old(killed_in(folder, "file"))
    os.chown(left, 65_534, -1)
    sweep(folder)
    assert names(folder) == [left.name]


@pytest.mark.parametrize("name", ["界" * 84 + ".s", "n" * 250 + ".csv", "x." + "y" * 250, "é" * 120])
def test_any_name_that_a_file_can_have_has_a_part(folder: Path, name: str) -> None:
    write_atomically(folder / name, lambda part: part.write_text("new"))
    assert names(folder) == [name]
