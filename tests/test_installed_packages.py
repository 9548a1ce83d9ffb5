"""What installed packages add: found by entry points, and imported when their names are asked for."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from configparser import ConfigParser
from pathlib import Path

import pytest

import batchscope
from app.cli.main import main
from engine import packages
from engine.errors import InputError
from engine.logs.read import read_trace
from engine.own.allowed_code import UnnamedCodeError
from engine.policy.policy import parse_policy
from resources import example_path, template_package_path

LINE = "job={} user=u{} submit={} start={} end={} cores=4\n"
LINES = "".join(LINE.format(k, k % 3, 9 * k, 60 * k, 60 * k + 50) for k in range(40))


@pytest.fixture(autouse=True)
def forgets() -> Iterator[None]:
    """No test knows the packages of another."""
    packages.installed.cache_clear()
    yield
    packages.installed.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] == "batchscope_mine"]:
        del sys.modules[name]


def install(folder: Path) -> Path:
    """Install the template as pip does: the package, and its entry points beside it."""
    project = folder / "project"
    assert main(["new", "package", str(project)]) == 0
    shutil.copytree(project / "batchscope_mine", folder / "site" / "batchscope_mine")
    return with_entries(folder, project / "pyproject.toml")


def with_entries(folder: Path, pyproject: Path) -> Path:
    text = pyproject.read_text()
    groups = re.findall(r'\[project\.entry-points\."(.*?)"\]\n((?:.+\n)+)', text)
    parser = ConfigParser(delimiters=("=",))
    parser.read_dict({name: dict(re.findall(r'(\S+) = "(.*)"', lines)) for name, lines in groups})
    about = folder / "site" / "batchscope_mine-0.1.dist-info"
    about.mkdir(parents=True)
    with (about / "entry_points.txt").open("w") as file:
        parser.write(file)
    return folder / "site"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    place = install(tmp_path)
    capsys.readouterr()
    monkeypatch.syspath_prepend(place)
    packages.installed.cache_clear()
    return place


def test_the_template_is_found_and_nothing_of_it_is_imported(site: Path) -> None:
    assert packages.installed(packages.POLICIES) == {"mine-wfp": "batchscope_mine.policies:wfp"}
    assert packages.installed(packages.READERS) == {"mine": "batchscope_mine.reader"}
    file = packages.module_file("batchscope_mine.policies")
    assert file == site / "batchscope_mine" / "policies.py"
    assert packages.installed_path("mine-late:hours=2", packages.METRICS) == (file, "late,hours=2")
    assert packages.installed_path("mine-late", packages.POLICIES) is None
    assert "batchscope_mine" not in sys.modules


def test_policies_and_metrics_are_named_by_their_entry_points(
    site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UnnamedCodeError):  # to be installed does not let it run: its user names it
        parse_policy("mine-wfp")
    log = [str(example_path()), "--jobs", "0:200", "--cluster", "64c", "--json", "--quiet"]
    named = ["-p", "wfp3", "-p", "mine-wfp", "-p", "mine-wfp:alpha=0", "--metric", "mine-late:hours=0.1"]
    assert main(["compare", *log, *named]) == 0
    runs = json.loads(capsys.readouterr().out)["runs"]
    waits = [run["metrics"]["wait_mean"] for run in runs]
    assert waits[0] == waits[1] != waits[2]
    assert all(0 < run["metrics"]["mine-late:hours=0.1"] <= 100 for run in runs)
    assert "batchscope_mine" not in sys.modules  # it ran in processes of its own


def test_a_reader_is_imported_when_a_log_asks_for_it(site: Path, tmp_path: Path) -> None:
    read_trace(example_path())
    assert "batchscope_mine" not in sys.modules
    log = tmp_path / "jobs.log"
    log.write_text(LINES)
    trace = read_trace(log)
    assert "batchscope_mine.reader" in sys.modules
    assert "batchscope_mine.policies" not in sys.modules
    assert trace.submit.tolist() == [9 * k for k in range(40)]
    assert trace.procs.tolist() == [4] * 40
    assert trace.read_as == "mine, by the reader of an installed package: certain"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("raise ValueError('odd')", "the reader mine of an installed package fails: ValueError: odd"),
        ("return 7", "the reader mine gives int, not a pandas DataFrame"),
        ("import pandas; return pandas.DataFrame({'x': [1]})", "by mine: "),
    ],
)
def test_what_a_reader_does_wrong_is_a_sentence(site: Path, tmp_path: Path, body: str, said: str) -> None:
    text = f"def recognises(head): return True\ndef read(text): {body}\n"
    (site / "batchscope_mine" / "reader.py").write_text(text)
    log = tmp_path / "jobs.log"
    log.write_text(LINES)
    with pytest.raises(InputError) as caught:
        read_trace(log)
    assert said in str(caught.value)


def test_its_own_tests_pass(site: Path) -> None:
    folder = site.parent / "project"
    environment = {"PYTHONPATH": f"{site}:{Path(batchscope.__file__).parent}", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder / "tests")],
        env={**os.environ, **environment},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "2 passed" in done.stdout, done.stdout + done.stderr


def test_a_view_is_a_tab_that_is_imported_when_it_is_shown(site: Path) -> None:
    code = (
        "import sys\n"
        "from views.catalog import NAMES, view_spec\n"
        "assert 'widths' in NAMES\n"
        "spec = view_spec('widths')\n"
        "assert (spec.title, spec.area) == ('Widths', 'tab')\n"
        "assert 'batchscope_mine' not in sys.modules\n"
        "import batchscope\n"
        "runs = batchscope.compare(batchscope.read(batchscope.EXAMPLE, jobs='0:200'), ['easy', 'fcfs'])\n"
        "figure = runs.figure('widths')\n"
        "assert 'batchscope_mine.views' in sys.modules\n"
        "assert len(figure.data) > 0\n"
    )
    root = Path(batchscope.__file__).parent
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": f"{site}:{root}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.returncode, done.stderr


def test_a_name_of_the_program_stays_its_own(site: Path) -> None:
    about = next(site.glob("*.dist-info")) / "entry_points.txt"
    about.write_text("[batchscope.policies]\neasy = batchscope_mine.policies:wfp\n")
    packages.installed.cache_clear()
    assert parse_policy("easy").own is None


def test_a_file_that_is_none_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in (("a", "batchscope.views\n[[["), ("b", "[batchscope.views]\nx = m:f [extra]\n")):
        (tmp_path / f"{name}-1.dist-info").mkdir()
        (tmp_path / f"{name}-1.dist-info" / "entry_points.txt").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    packages.installed.cache_clear()
    assert packages.installed(packages.VIEWS) == {"x": "m:f"}


def test_a_folder_that_is_there_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    assert main(["new", "package", str(folder)]) == 2
    assert "is there already" in capsys.readouterr().err
    assert not list(folder.iterdir())
    assert template_package_path().is_dir()
