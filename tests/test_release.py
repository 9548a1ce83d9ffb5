"""The recipe of a release, walked."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.packaging_modules import load
from tests.paths import ROOT

release = load("release")
TEXT = (ROOT / "packaging" / "release.md").read_text("utf-8")
STEPS = re.findall(r"^- \[ \] (.*(?:\n  .*)*)", TEXT, re.MULTILINE)
COMMANDS = [command for step in STEPS for command in re.findall(r"`([^`]*)`", step)]


def test_the_list_has_steps() -> None:
    assert len(STEPS) > 10
    built = [command.split()[2:] for command in COMMANDS if command.startswith("python3 packaging/build.py ")]
    assert {word for words in built for word in words} >= set(load("build")._KINDS)


@pytest.mark.parametrize("command", [line for line in COMMANDS if line.startswith("python3 packaging/")])
def test_each_command_of_ours_is_one(command: str) -> None:
    _, script, *words = command.split()
    if script == "packaging/build.py":
        call = [sys.executable, str(ROOT / script), *words, "--help"]
        done = subprocess.run(
            call, capture_output=True, text=True, check=False, env=os.environ | {"PYTHONSAFEPATH": ""}
        )
        assert done.returncode == 0, done.stderr
        assert words[0] in done.stdout
    else:
        assert script == "packaging/release.py"
        assert words[0] in str(release.__doc__)


@pytest.mark.parametrize(
    "name", sorted({part for command in COMMANDS for part in re.findall(r"[\w.-]+(?:/[\w.-]+)+", command)})
)
def test_each_file_is_there(name: str) -> None:
    if name.startswith((".venv/", "dist/")):
        return  # made by the set-up, and by the steps before
    assert (ROOT / name).exists(), name


def test_files_named_in_the_notes_are_there() -> None:
    for name in re.findall(r"`((?:app|engine|packaging|resources)/[\w./]+)`", TEXT):
        assert (ROOT / name).exists(), name


def test_the_version_is_the_same_everywhere() -> None:
    """The date is set by the release; until then only that may be missing."""
    faults = release.check(ROOT)
    assert not [
        fault
        for fault in faults
        if "not yet" not in fault and "no date" not in fault and "changes/" not in fault
    ]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of another version with two changes."""
    for name in ("pyproject.toml", "uv.lock", "CITATION.cff", str(release.METAINFO)):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, tmp_path / name)
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "9.1"\n')
    (tmp_path / "CHANGELOG.md").write_text("# Changes\n\n## 9.0 (2020-01-01)\n\n- Old.\n")
    (tmp_path / "changes").mkdir()
    (tmp_path / "changes" / "README.md").write_text("About.\n")
    (tmp_path / "changes" / "b.md").write_text("- Second.\n")
    (tmp_path / "changes" / "a.md").write_text("\n- First,\n  in two lines.\n\n")
    return tmp_path


def test_what_is_missing_is_named(project: Path) -> None:
    faults = "\n".join(release.check(project))
    assert "CHANGELOG.md: the first section is not of 9.1" in faults
    assert "changes/a.md: not in CHANGELOG.md yet" in faults
    assert "metainfo.xml: the first release is not 9.1" in faults
    assert "uv.lock: of another version" in faults
    assert "CITATION.cff: of another version than 9.1" in faults


@pytest.mark.parametrize("begun", [False, True])
def test_changes_are_collected(project: Path, begun: bool) -> None:
    path = project / "CHANGELOG.md"
    if begun:
        path.write_text(
            path.read_text().replace("\n## 9.0", "\n## 9.1 (not yet released)\n\n- Begun.\n\n## 9.0", 1)
        )
        assert any("has no date" in fault for fault in release.check(project))
    assert release.collect(project) == ["a.md", "b.md"]
    head, _, rest = path.read_text().partition("- First,\n  in two lines.\n- Second.\n")
    assert re.fullmatch(r"# Changes\n\n## 9\.1 \(\d{4}-\d\d-\d\d\)\n\n", head)
    assert rest == ("- Begun.\n" if begun else "") + "\n## 9.0 (2020-01-01)\n\n- Old.\n"
    assert [file.name for file in (project / "changes").iterdir()] == ["README.md"]
    assert not any("CHANGELOG" in fault for fault in release.check(project))
