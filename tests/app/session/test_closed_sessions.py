"""Changed windows ask before they go, and what was closed is kept for a while."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QMenu, QMessageBox
from pytestqt.qtbot import QtBot

from app.model.documents.document import SavedRun, Session, Source
from app.session.archive import read_session
from app.session.closed_sessions import MOST, closed_folder, closed_paths, keep_closed, recently_closed
from app.shell.window import MainWindow
from engine.filter import parse_filter
from engine.policy.policy import parse_policy
from tests.app.session.sessions import CONTROL, save_as
from tests.app.windows import settle, site_log, trace_of
from views.state.filter import Filter

BUTTON = QMessageBox.StandardButton
MakeWindow = Callable[..., MainWindow]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The questions that were asked, all of them answered with Discard."""
    texts: list[str] = []

    def question(parent: object, title: str, text: str, *_: object) -> QMessageBox.StandardButton:
        texts.append(text)
        return BUTTON.Discard

    monkeypatch.setattr(QMessageBox, "question", question)
    return texts


def entries(window: MainWindow) -> list[str]:
    """What File, Recently closed offers."""
    menu = next(
        each_menu for each_menu in window.findChildren(QMenu) if each_menu.title() == "Recently c&losed"
    )
    menu.aboutToShow.emit()
    return [action.text() for action in menu.actions()]


def test_a_trace_that_was_only_looked_at_goes_without_a_question(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, asked: list[str]
) -> None:
    window.filter.set(Filter(parse_filter("procs > 1")))
    window.open_path(site_log(tmp_path, "other.swf", jobs=40))
    settle(window)
    window.close()
    assert not asked
    assert not window.isVisible()


def test_a_run_that_was_added_is_asked_about_and_kept(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, asked: list[str]
) -> None:
    window.workbench.add_run(parse_policy("saf-easy"))
    window.filter.set(Filter(parse_filter("procs > 1"), hides=True))
    settle(window)
    assert window.isWindowModified()
    window.open_path(site_log(tmp_path, "other.swf", jobs=40))
    settle(window)
    assert len(asked) == 1
    assert "changed runs of site" in asked[0]
    assert trace_of(window).name == "other"
    assert not window.isWindowModified()
    (entry,) = entries(window)
    assert entry.startswith("site.swf: ")
    menu = next(
        each_menu for each_menu in window.findChildren(QMenu) if each_menu.title() == "Recently c&losed"
    )
    menu.actions()[0].trigger()
    settle(window)
    assert trace_of(window).name == "site"
    assert window.filter.value == Filter(parse_filter("procs > 1"), hides=True)
    assert [str(run.policy) for run in window.workbench.study.runs][-1] == "saf-easy"  # type: ignore[union-attr]
    assert [entry.partition(":")[0] for entry in entries(window)] == ["other.swf"]  # it is open again


def test_what_is_changed_while_another_trace_is_read_is_kept(
    window: MainWindow, tmp_path: Path, asked: list[str]
) -> None:
    policy = parse_policy("saf-easy")
    window.opener.begun.connect(lambda: window.workbench.add_run(policy))  # the old one is still there
    window.open_path(site_log(tmp_path, "other.swf", jobs=40))
    settle(window)
    assert trace_of(window).name == "other"
    assert not asked
    assert [run.policy for run in read_session(closed_paths()[0]).runs][-1] == "saf-easy"


def test_a_name_without_its_ending_replaces_no_other_session_unasked(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = tmp_path / "taken.batchscope"
    taken.write_bytes(b"another one")
    texts: list[str] = []
    answers = [BUTTON.Cancel, BUTTON.Save]
    monkeypatch.setattr(QMessageBox, "question", lambda *a: texts.append(a[2]) or answers.pop(0))
    save_as(qtbot, window, tmp_path / "taken", monkeypatch)
    assert "taken.batchscope already exists." in texts[0]
    assert taken.read_bytes() == b"another one"
    for _ in range(2):  # a session's own file is asked about once, before it is that
        save_as(qtbot, window, tmp_path / "taken", monkeypatch)
        assert len(read_session(taken).runs) == 4
    assert len(texts) == 2


def test_cancel_keeps_the_window_and_save_asks_where(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = [BUTTON.Cancel, BUTTON.Save, BUTTON.Save]
    monkeypatch.setattr(QMessageBox, "question", lambda *_: answers.pop(0))
    names = ["", str(tmp_path / "kept")]
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (names.pop(0), ""))
    window.workbench.remove_run(1)
    settle(window)
    for _ in range(2):  # cancelled, and no name given
        qtbot.keyClick(window, Qt.Key.Key_W, CONTROL)
        assert window.isVisible()
    qtbot.keyClick(window, Qt.Key.Key_W, CONTROL)
    assert not window.isVisible()
    assert [run.id for run in read_session(tmp_path / "kept.batchscope").runs] == [2, 3, 4]
    assert closed_paths() == []  # a file has it


def test_undoing_all_leaves_nothing_to_ask_about(qtbot: QtBot, window: MainWindow, asked: list[str]) -> None:
    window.workbench.remove_run(1)
    window.workbench.edits.undo()
    settle(window)
    assert not window.isWindowModified()
    window.close()
    assert not asked


def test_a_trace_that_cannot_be_opened_closes_nothing(
    window: MainWindow, tmp_path: Path, asked: list[str]
) -> None:
    (tmp_path / "empty.swf").touch()
    window.open_path(tmp_path / "empty.swf")
    with pytest.raises(Exception, match="empty"):
        settle(window)
    assert closed_paths() == []


def test_a_few_are_kept_the_last_one_first() -> None:
    for number in range(MOST + 3):
        keep_closed(Session(source=Source(path=f"/logs/{number}.swf"), runs=(SavedRun(1, "easy"),)))
    (closed_folder() / "1.batchscope").write_bytes(b"no session")
    (closed_folder() / "strange.batchscope").write_bytes(b"")
    names = [session.name.partition(" (")[0] for session in recently_closed()]
    assert names[0] == f"{MOST + 2}.swf: easy"
    assert len(names) == MOST - 2  # but for what cannot be read
    keep_closed(Session(source=Source(path="/logs/own.swf"), runs=(SavedRun(1, "easy", title="as today"),)))
    assert recently_closed()[0].name.startswith("own.swf: as today")
