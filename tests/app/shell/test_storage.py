"""Storage that does not answer: the GUI thread opens, stats and lists no file or folder of the user's."""

import builtins
import io
import os
import threading
import traceback
from argparse import Namespace
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFileDialog, QInputDialog, QLineEdit, QMessageBox, QProgressDialog, QPushButton
from pytestqt.qtbot import QtBot

import app.session.opener
from app.cli.start import show_window
from app.model.documents.document import Session, Source
from app.model.file_kinds import KnownFile
from app.panels.policies.policy_dialog import PolicyDialog
from app.panels.settings_page import SettingsPage
from app.session.archive import write_session
from app.shell.window import MainWindow
from engine.search.typed_question import TypedQuestion
from engine.simulation.control import Cancelled
from tests.app.shell.test_now import CONF, HEAD, QUEUE
from tests.app.shell.test_start import drop
from tests.app.shell.test_study import STUDY
from tests.app.windows import open_dialog, settle, site_log, trace_of
from views.widgets.awaited_work import waited

_CALLS: tuple[tuple[Any, str], ...] = (
    (builtins, "open"),
    (io, "open"),
    (os, "open"),
    (os, "stat"),
    (os, "lstat"),
    (os, "scandir"),
    (os, "listdir"),
    (os, "access"),
    (os, "readlink"),
    (os.path, "exists"),
    (os.path, "lexists"),
    (os.path, "isfile"),
    (os.path, "isdir"),
    (os.path, "realpath"),
)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with a file of each kind that a window opens."""
    folder = tmp_path / "mount"
    (folder / "site").mkdir(parents=True)
    log = site_log(folder, jobs=40)
    (folder / "site" / "slurm.conf").write_text(CONF)
    (folder / "site" / "queue.txt").write_text(HEAD + QUEUE)
    (folder / "shares.csv").write_text("user,share\nalice,2\n")
    (folder / "expected.csv").write_text("user,share\n2,1/10\n")
    (folder / "own.toml").write_text(STUDY, "utf-8")
    (folder / "report").mkdir()
    (folder / "report" / "index.html").write_text("<!DOCTYPE html><title>Report</title>")
    session = Session(source=Source(path=str(log), relative=log.name))
    write_session(folder / "own.batchscope", session)
    return folder


@pytest.fixture
def touched(files: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Where the GUI thread touched a file of that folder; each such call fails too."""
    places: list[str] = []
    gui = threading.get_ident()

    def guard(call: Callable[..., Any]) -> Callable[..., Any]:
        def guarded(path: Any = ".", *arguments: Any, **named: Any) -> Any:
            is_name = isinstance(path, str | os.PathLike)
            # Names within the folder fail in the thread of the window, and only there.
            if is_name and threading.get_ident() == gui and os.fspath(path).startswith(str(files)):
                # The stack tells who asked, since the error itself may be caught.
                places.append("".join(traceback.format_stack(limit=6)))
                raise OSError(5, "the storage does not answer", os.fspath(path))
            return call(path, *arguments, **named)

        return guarded

    with monkeypatch.context() as patch:
        # Every function by which Python touches a file by its name.
        for module, name in _CALLS:
            patch.setattr(module, name, guard(getattr(module, name)))
        yield places


def by_menu(window: MainWindow, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Open a file as the dialog of File > Open gives it."""
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
    window.opener.ask()


def by_drop(window: MainWindow, path: Path, _: pytest.MonkeyPatch) -> None:
    """Drop a file on the window."""
    drop(window, path)


def by_recent(window: MainWindow, path: Path, _: pytest.MonkeyPatch) -> None:
    """Click a recent file."""
    window.start_page.recent_clicked.emit(str(path))


def by_command(window: MainWindow, path: Path, _: pytest.MonkeyPatch) -> None:
    """Open a file as the command line has it opened."""
    show_window(window, path, Namespace(view=None, policy=[]))


WAYS = (by_menu, by_drop, by_recent, by_command)


def is_shown(window: MainWindow, name: str) -> bool:
    """Whether what this file stands for is there."""
    if name == "site/queue.txt":
        return window.view.options.view == "now" and window.now.runner.look is not None
    if name == "report":
        return any("report" in message.text.text() for message in window.messages.shown)
    if name == "site":
        return any(run.policy.site is not None for run in window.workbench.study.runs)
    if name == "own.toml":
        return window.studying.results is not None
    return trace_of(window).name == "site" and window.workbench.is_open


@pytest.mark.parametrize("way", WAYS)
def test_the_gui_thread_touches_no_file_of_the_user_when_it_is_opened(
    make_window: Callable[..., MainWindow],
    files: Path,
    touched: list[str],
    monkeypatch: pytest.MonkeyPatch,
    way: Callable[[MainWindow, Path, pytest.MonkeyPatch], None],
) -> None:
    window = make_window()
    no_question = QMessageBox.StandardButton.Discard
    monkeypatch.setattr(QMessageBox, "question", lambda *_, **__: no_question)
    kinds = ["site.swf", "site", "own.batchscope", "site/queue.txt"]
    for name in kinds if way is not by_drop else [*kinds[:2], "own.toml", *kinds[2:]]:
        way(window, files / name, monkeypatch)
        settle(window)
        assert not touched, f"{name}: {touched[0]}"
        assert is_shown(window, name), name
    way(window, files / "report", monkeypatch)
    with pytest.raises(Exception, match="report"):
        settle(window)
    assert not touched, touched[0]
    assert is_shown(window, "report")


def test_sessions_are_saved_without_the_gui_thread(
    make_window: Callable[..., MainWindow],
    files: Path,
    touched: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    window = make_window()
    window.open_path(files / "site.swf")
    settle(window)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(files / "mine"), ""))
    window.menus.offered.actions["save"].trigger()
    settle(window)
    window.workbench.remove_run(window.workbench.study.runs[-1].id)
    window.menus.offered.actions["save"].trigger()
    settle(window)
    window.workbench.remove_run(window.workbench.study.runs[-1].id)
    monkeypatch.setattr(QMessageBox, "question", lambda *_, **__: QMessageBox.StandardButton.Save)
    assert window.close()
    assert not touched, touched[0]


def typed(line: QLineEdit, text: str) -> None:
    """Paste a text into an empty line, as a user does."""
    line.clear()
    line.insert(text)
    line.textEdited.emit(text)


def test_fields_that_spell_a_path_are_read_without_the_gui_thread(
    make_window: Callable[..., MainWindow],
    files: Path,
    touched: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    window = make_window()
    window.open_path(files / "site.swf")
    settle(window)
    expected, shares, site = files / "expected.csv", files / "shares.csv", f"site:{files / 'site'}"

    def check(field: str) -> None:
        settle(window)
        assert not touched, f"{field}: {touched[0]}"

    monkeypatch.setattr(QInputDialog, "getText", lambda *_, **__: (str(expected), True))
    window.menus.offered.actions["share"].trigger()
    check("expected share")
    assert window.workbench.share == str(expected)

    window.editor.add()
    dialog = open_dialog(window)
    assert isinstance(dialog, PolicyDialog)
    typed(dialog.spelling, site)
    check("spelling of a site")
    assert dialog.policy.site is not None
    typed(dialog.spelling, f"fairshare-fcfs:shares={shares}")
    check("spelling of shares")
    assert dialog.policy.shares.path == str(shares)
    typed(dialog.spelling, "fairshare-fcfs")
    field = dialog.fields["shares"]
    assert field.free is not None
    field.show_text(str(shares))
    field.edited.emit()
    check("field of shares")
    assert dialog.policy.shares.path == str(shares)
    typed(dialog.machine.line, str(files / "own.machines"))  # which takes no files
    check("machine")
    assert dialog.machine.cluster is None
    dialog.reject()

    page = SettingsPage(window.models, window, window)
    page.policies.setPlainText(f"easy\n{site}")
    page._take_policies()
    page._take_share(str(expected))
    check("settings")
    assert window.settings.policies == ["easy", site]
    page.deleteLater()

    search = window.page.views["search"].form
    search.policy.setCurrentText(site)
    search.picked_keys.add("bf_interval")
    search.picked_keys.update_words()
    search.picked_keys._fill()
    check("search")
    asked = TypedQuestion(minimize=("wait_mean",), policy=site, trials=1, doubtful=True)
    window.searches._searching.start(asked)
    window.searches._searching.cancel()
    check("start of a search")

    sweep = window.page.views["sweep"]
    sweep.base.setText(f"metric:shares={shares}")
    sweep._go()
    window.sweeping.cancel()
    check("sweep")


def test_looking_at_a_file_can_be_cancelled_and_what_was_open_stays(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = threading.Event()

    def never(_: object) -> tuple[KnownFile, ...]:
        answers.wait(60)
        return ()

    before = trace_of(window)
    with monkeypatch.context() as patch:
        patch.setattr(app.session.opener, "known_files", never)
        window.open_path(tmp_path / "stale.swf")
        qtbot.waitUntil(window.status.cancel.isVisible, timeout=60_000)
        window.status.cancel.click()
    settle(window)
    assert trace_of(window) is before
    window.open_path(site_log(tmp_path, "other.swf", jobs=20))  # the thread that waits keeps nobody
    settle(window)
    assert trace_of(window).name == "other"
    answers.set()


def test_what_is_waited_for_gives_its_value_its_error_or_an_end(window: MainWindow) -> None:
    answers, files = threading.Event(), window.workbench.files

    def fail() -> None:
        raise OSError("gone")

    def cancel() -> None:
        for dialog in window.findChildren(QProgressDialog):
            timer.stop()
            for button in dialog.findChildren(QPushButton):
                button.click()

    assert waited(files, lambda: 42, "Looking…", window) == 42
    with pytest.raises(OSError, match="gone"):
        waited(files, fail, "Looking…", window)
    timer = QTimer(interval=50)
    timer.timeout.connect(cancel)
    timer.start()
    with pytest.raises(Cancelled):
        waited(files, lambda: answers.wait(60), "Looking…", window)
    answers.set()
