"""Files that name a user's own code do not run it, whatever they are and however they are opened."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from pytestqt.qtbot import QtBot

from app.model.documents.document import SavedRun, Session, Source
from app.model.reading import opening_policies
from app.report.folder import write_folder
from app.session.archive import write_session
from app.shell.window import MainWindow
from engine.errors import InputError
from engine.logs.queue.clusters import present, read_queues
from engine.own import allowed_code
from engine.policy.policy import parse_policy
from engine.sweep.study_file import read_study_file
from tests.app.cli.commands import HEADER
from tests.app.windows import settle
from tests.engine.logs.lines import line, write_log

CODE = "import batchscope\n@batchscope.order\ndef f(jobs, now, machine): ...\n"
REFUSED = "is a program of somebody's own"


@pytest.fixture
def mine(tmp_path: Path) -> Iterator[Path]:
    """A file of code that nobody has named. Had it run, a file would be there."""
    path, ran = tmp_path / "mine.py", tmp_path / "ran"
    path.write_text(f"open({str(ran)!r}, 'w').close()  # {path}\n{CODE}")
    yield path
    assert not ran.exists()


@pytest.fixture
def window(reopened_window: MainWindow) -> MainWindow:
    return reopened_window


def study_of(mine: Path) -> Path:
    path = mine.with_name("study.toml")
    path.write_text(f'policies = ["easy", "{mine}:f"]\nmetrics = ["wait_mean"]\nagainst = "easy"\n')
    return path


def session_of(mine: Path) -> Path:
    path = mine.with_name("a.batchscope")
    log = write_log(mine.with_name("log.swf"), *HEADER, line(1), line(2))
    runs = (SavedRun(1, "easy"), SavedRun(2, f"{mine}:f"))
    write_session(path, Session(source=Source(path=str(log)), runs=runs))
    return path


def drop(window: MainWindow, path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    place = QPointF(window.rect().center())
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    window.dropEvent(QDropEvent(place, Qt.DropAction.CopyAction, data, left, none))


def test_a_session_that_is_dropped_opens_without_it(qtbot: QtBot, window: MainWindow, mine: Path) -> None:
    before = window.workbench.study
    drop(window, session_of(mine))
    qtbot.waitUntil(lambda: window.workbench.study is not before, timeout=60_000)
    settle(window)
    assert [run.policy.spelling for run in window.workbench.study.runs] == ["easy"]
    assert f"a run was left out: {mine} {REFUSED}" in window.messages.newest.whole


def test_a_study_that_is_dropped_says_why_it_does_not_run(
    qtbot: QtBot, window: MainWindow, mine: Path
) -> None:
    drop(window, study_of(mine))
    message = window.page.views["study"].message
    qtbot.waitUntil(lambda: REFUSED in message.text(), timeout=60_000)
    settle(window)
    assert not window.studying.running


def test_code_that_is_dropped_runs_only_when_its_user_says_so(
    qtbot: QtBot, window: MainWindow, mine: Path
) -> None:
    before, asked = window.workbench.study, []
    window.models.code.asked.connect(asked.append)
    drop(window, mine)
    qtbot.waitUntil(lambda: bool(asked), timeout=60_000)
    settle(window)
    assert [question.file.text for question in asked] == [mine.read_text()]
    assert window.workbench.study is before


def test_a_study_does_not_run_it(mine: Path) -> None:
    with pytest.raises(InputError, match=REFUSED):
        read_study_file(study_of(mine))


def test_a_study_does_not_run_metrics_of_it(mine: Path) -> None:
    path = study_of(mine)
    path.write_text(path.read_text().replace('"wait_mean"', f'"{mine}:f"').replace(f', "{mine}:f"', ""))
    with pytest.raises(InputError, match=REFUSED):
        read_study_file(path)


def test_settings_do_not_run_it(mine: Path) -> None:
    assert opening_policies((f"{mine}:f", "easy")) == (parse_policy("easy"),)


def test_a_report_is_written_over_a_manifest_that_names_it(mine: Path) -> None:
    folder = mine.with_name("report")
    folder.mkdir()
    about = {"runs": [f"{mine}:f"], "own": [{"file": str(mine), "text": mine.read_text()}], "files": {}}
    (folder / "manifest.json").write_text(json.dumps(about))
    write_folder(folder, lambda part: (part / "index.html").write_text("made"), {"runs": ["easy"]}, True)
    assert json.loads((folder / "manifest.json").read_text())["runs"] == ["easy"]


def test_a_queue_print_that_names_it_is_read(mine: Path) -> None:
    head = "JOBID PARTITION USER ST TIME TIME_LIMIT CPUS NODES NODELIST(REASON)\n"
    row = f"1 {mine}:f {mine} PD 0:00 1:00 1 1 (Priority)\n"
    (state,) = read_queues(head + row, present())
    assert [job.partition for job in state.jobs] == [f"{mine}:f"]


@pytest.mark.parametrize(
    "words", ["recorded:{}", "site:{}", "{}:f with walltime_cap=4h", "/..{}:f", "~/{}:f"]
)
def test_no_spelling_runs_it(mine: Path, monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    monkeypatch.setenv("HOME", "/")
    with pytest.raises(InputError):
        parse_policy(words.format(mine))


def test_a_relative_path_is_allowed_as_the_text_that_is_there(
    mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = mine.with_name("other")
    other.mkdir()
    (other / "mine.py").write_text(CODE + f"# {other}\n")
    monkeypatch.chdir(other)
    allowed_code.allow_named("mine.py:f")
    assert parse_policy("mine.py:f").own is not None
    monkeypatch.chdir(mine.parent)
    with pytest.raises(InputError, match=REFUSED):  # another file, though its spelling is the same
        parse_policy("mine.py:f")


def test_a_file_that_is_changed_once_it_was_allowed_is_refused(mine: Path) -> None:
    allowed_code.allow_named(f"{mine}:f")
    mine.write_text(mine.read_text() + "\n")
    with pytest.raises(InputError, match=REFUSED):
        parse_policy(f"{mine}:f")
