"""The installer of the folder's archive: what it lays down, cut off at each of its steps, and taken away."""

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.paths import ROOT

pytestmark = pytest.mark.skipif(shutil.which("sh") is None, reason="no shell here")

STEPS = ["cat", "cp", "find", "grep", "ln", "ls", "mkdir", "mv", "readlink", "rm", "rmdir", "sed", "sort"]
"""The programs that the installer calls: it can be cut off before each call."""

CUTS = 2
"""How many cuts of a kind are tried; BATCHSCOPE_CUTS=all tries every cut."""

CUT_OFF = """\
#!/bin/sh
case "$CUT_BY {name}" in kill*|*mkdir|*cp|*ln) ;; *) exec {program} "$@" ;; esac  # these need room
echo x >> "$STEPS_MADE"
if [ "$(/usr/bin/wc -l < "$STEPS_MADE")" = "$CUT_AT" ]; then
    [ "$CUT_BY" = kill ] && kill -9 0
    echo "No space left on device" >&2; exit 1
fi
exec {program} "$@"
"""
"""What stands in place of a program: the step before which the installer is killed, or which fails."""


def archive(folder: Path, version: str, *extra: str) -> Path:
    """An unpacked archive of a version, with further files of its share."""
    program = folder / "batchscope" / "batchscope"
    for path in (
        program,
        *(folder / "share" / name for name in ("man/man1/batchscope.1", "icons/a b/x.svg", *extra)),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\necho {version}\n")
    program.chmod(0o755)
    for name in ("LICENSE", "THIRD-PARTY.txt", "batchscope.cdx.json"):
        (folder / name).write_text(version)
    shutil.copy(ROOT / "packaging" / "install.sh", folder)
    return folder


def run(script: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run an installer in a session of its own, without a HOME but for what is given."""
    environment = {"PATH": "/usr/bin:/bin"} | more
    return subprocess.run(
        ["sh", str(script), *words],
        env=environment, capture_output=True, text=True, check=False, timeout=60, start_new_session=True,
    )  # fmt: skip


def installed(prefix: Path) -> str:
    """What the installed command prints."""
    return subprocess.run(
        [str(prefix / "bin" / "batchscope")], capture_output=True, text=True, check=True, timeout=60
    ).stdout.strip()


def left(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


def test_it_takes_away_what_it_made(tmp_path: Path) -> None:
    """Also the folders, but none that were there or that hold something of the user's."""
    first, home = archive(tmp_path / "unpacked", "1"), tmp_path / "a home"
    (home / ".local" / "bin").mkdir(parents=True)
    for _ in range(2):  # the second is an update
        done = run(first / "install.sh", HOME=str(home))
        assert done.returncode == 0, done.stderr
    assert installed(home / ".local") == "1"
    assert (home / ".local/share/icons/a b/x.svg").exists()
    (home / ".local/share/man/mine").write_text("y")
    own = home / ".local/lib/batchscope/install.sh"
    assert run(own, "--uninstall", HOME=str(home)).returncode == 0
    assert left(home) == {".local", ".local/bin", ".local/share", ".local/share/man", ".local/share/man/mine"}
    done = run(first / "install.sh", "--uninstall", HOME=str(home))
    assert (done.returncode, "not installed" in done.stderr) == (1, True)


def test_an_update_takes_away_the_files_that_the_new_version_lacks(tmp_path: Path) -> None:
    prefix = tmp_path / "prefix"
    run(archive(tmp_path / "one", "1", "doc/old") / "install.sh", "--prefix", str(prefix))
    assert (prefix / "share/doc/old").exists()
    done = run(archive(tmp_path / "two", "2") / "install.sh", "--prefix", str(prefix))
    assert (done.returncode, done.stderr, installed(prefix)) == (0, "", "2")
    assert not (prefix / "share/doc/old").exists()
    assert run(tmp_path / "two" / "install.sh", "--prefix", str(prefix), "--uninstall").returncode == 0
    assert left(prefix) == set(), "the folder of the first version's file too"


def test_it_refuses_what_would_destroy_something(tmp_path: Path) -> None:
    """Its own installed place, a folder within the archive, and files that it has not made."""
    first, prefix = archive(tmp_path / "one", "1"), tmp_path / "prefix"
    assert run(first / "install.sh", "--prefix", str(prefix)).returncode == 0
    own = prefix / "lib/batchscope/install.sh"
    for words in (["--prefix", str(prefix)], ["--prefix", str(tmp_path / "other")]):
        done = run(own, *words)
        assert (done.returncode, "unpack the archive" in done.stderr) == (2, True)
    assert installed(prefix) == "1"
    done = run(first / "install.sh", "--prefix", str(first / "here"))
    assert (done.returncode, "choose another folder" in done.stderr) == (2, True)
    done = run(first / "install.sh")
    assert (done.returncode, "--prefix FOLDER" in done.stderr) == (2, True), "there is no HOME"
    for name in ("bin/batchscope", "lib/batchscope/mine", "share/man/man1/batchscope.1"):
        foreign = tmp_path / name.replace("/", "-")
        (foreign / name).parent.mkdir(parents=True)
        (foreign / name).write_text("mine")
        done = run(first / "install.sh", "--prefix", str(foreign))
        assert (done.returncode, "not from this installer" in done.stderr) == (1, True), name
        assert (foreign / name).read_text() == "mine"


def test_a_version_that_does_not_start_changes_nothing(tmp_path: Path) -> None:
    prefix = tmp_path / "prefix"
    first, second = archive(tmp_path / "one", "1"), archive(tmp_path / "two", "2", "doc/new")
    (second / "batchscope" / "batchscope").write_text("#!/bin/sh\nexit 255\n")
    done = run(second / "install.sh", "--prefix", str(prefix))
    assert (done.returncode, "does not start" in done.stderr, left(prefix)) == (1, True, set())
    run(first / "install.sh", "--prefix", str(prefix))
    before = left(prefix)
    done = run(second / "install.sh", "--prefix", str(prefix))
    assert (done.returncode, "is as it was" in done.stderr) == (1, True)
    assert (installed(prefix), left(prefix)) == ("1", before)


def test_a_system_that_is_too_old_is_refused_before_anything_is_laid_down(tmp_path: Path) -> None:
    first, prefix = archive(tmp_path / "one", "1"), tmp_path / "prefix"
    (first / "needs-glibc").write_text("9.1\n")
    done = run(first / "install.sh", "--prefix", str(prefix))
    assert (done.returncode, "needs 9.1 or newer" in done.stderr, prefix.exists()) == (1, True, False)
    (first / "needs-glibc").write_text("2.9\n")
    assert run(first / "install.sh", "--prefix", str(prefix)).returncode == 0, "2.36 is newer than 2.9"


def test_the_caches_of_the_desktop_are_left_as_they_were(tmp_path: Path) -> None:
    """No entry and no file of theirs stays that was not there before."""
    programs, prefix = tmp_path / "programs", tmp_path / "prefix"
    programs.mkdir()
    update = 'cd "$2"; echo "[MIME Cache]" > mimeinfo.cache; cat *.desktop >> mimeinfo.cache 2>/dev/null || :'
    for name, text in (
        ("update-desktop-database", update),
        ("update-mime-database", 'echo > "$1/mime.cache"; echo > "$1/globs2"'),
    ):
        (programs / name).write_text(f"#!/bin/sh\n{text}\n")
        (programs / name).chmod(0o755)
    first = archive(tmp_path / "one", "1", "applications/x.desktop", "mime/packages/x.xml")
    (first / "share/applications/x.desktop").write_text("a/b=x.desktop\n")
    path = f"{programs}:/usr/bin:/bin"
    run(first / "install.sh", "--prefix", str(prefix), PATH=path)
    assert "a/b=" in (prefix / "share/applications/mimeinfo.cache").read_text()
    done = run(first / "install.sh", "--prefix", str(prefix), "--uninstall", PATH=path)
    assert (done.returncode, done.stderr, left(prefix)) == (0, "", set())


def cut(
    tmp_path: Path, place: str, step: int, how: str, update: bool
) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """An installation of version 2, over 1 or not, cut off before a step; its prefix and its end."""
    programs = tmp_path / "cutting"
    if not programs.exists():
        programs.mkdir()
        for name in STEPS:
            (programs / name).write_text(
                CUT_OFF.format(name=name, program=shutil.which(name, path="/usr/bin:/bin"))
            )
            (programs / name).chmod(0o755)
        archive(tmp_path / "one", "1", "doc/old")
        archive(tmp_path / "two", "2", "doc/new")
    prefix = tmp_path / place
    if update:
        assert run(tmp_path / "one" / "install.sh", "--prefix", str(prefix)).returncode == 0
    more = {"CUT_AT": str(step), "CUT_BY": how, "STEPS_MADE": str(tmp_path / f"{place}.steps")}
    path = f"{programs}:/usr/bin:/bin"
    return prefix, run(tmp_path / "two" / "install.sh", "--prefix", str(prefix), PATH=path, **more)


@pytest.mark.parametrize("update", [False, True], ids=["first", "update"])
@pytest.mark.parametrize("how", ["kill", "full disk"])
def test_an_installation_that_is_cut_off_can_be_repeated_and_taken_away(
    tmp_path: Path, how: str, update: bool
) -> None:
    """Whatever the step: an old version goes on, the next installation is whole, and nothing stays."""
    cut(tmp_path, "whole", 0, how, update)
    steps = len((tmp_path / "whole.steps").read_text().splitlines())
    assert steps > (25 if how == "kill" else 5)
    wanted = list(range(1, steps + 1))
    if os.environ.get("BATCHSCOPE_CUTS") != "all":
        wanted = random.Random(7).sample(wanted, CUTS)
    for step in wanted:
        prefix, done = cut(tmp_path, f"{how}-{step}", step, how, update)
        if update:
            between = not (prefix / "lib/batchscope").exists()  # killed between the two renames
            assert between or installed(prefix) in ("1", "2"), step
            assert how == "kill" or not between, step
        copy = shutil.copytree(prefix, tmp_path / "copy", symlinks=True) if prefix.exists() else prefix
        again = run(tmp_path / "two" / "install.sh", "--prefix", str(prefix))
        assert (again.returncode, installed(prefix)) == (0, "2"), (step, again.stderr)
        for folder in {prefix, copy}:
            gone = run(tmp_path / "two" / "install.sh", "--prefix", str(folder), "--uninstall")
            nothing = folder == copy and not update and "not installed" in gone.stderr
            assert gone.returncode == 0 or nothing, (step, gone.stderr)
            # Two empty folders are made before anything can be noted in them.
            assert left(folder) <= {"lib", "lib/.batchscope.new"}, (step, folder, gone.stderr, done.stderr)
        shutil.rmtree(copy, ignore_errors=True)
