"""Fetching a log in the window, from a server on this computer."""

import gzip
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

import engine.fetch.logs
from app.model.fetching import LogFolder, look_into
from app.panels.opening.fetch_dialog import FetchDialog
from app.shell.window import MainWindow
from engine.fetch.logs import ArchiveLog
from tests.app.windows import open_dialog, settle
from tests.engine.fetch.server import Archive, serving
from views.work.executor import Executor

TEXT = b"; Acknowledge: Ann Example\n; MaxProcs: 8\n" + b"".join(
    b"%d %d 1 5 1 -1 -1 1 5 -1 1 1 1 1 1 1 -1 -1\n" % (number, 7919 * number % 10_007)
    for number in range(4000)
)
PACKED = gzip.compress(TEXT)
SOME, OTHER = (
    ArchiveLog("Some", "l_some", "Some-2020-1", "a machine"),
    ArchiveLog("Other", "l_other", "Other-2021-1", "another one"),
)


@pytest.fixture
def archive() -> Iterator[Archive]:
    with serving(Archive({"/l_some/Some-2020-1.swf.gz": PACKED})) as archive:
        yield archive


@pytest.fixture
def opened() -> list[Path]:
    return []


@pytest.fixture
def dialog(
    qtbot: QtBot,
    look: None,
    tmp_path: Path,
    archive: Archive,
    opened: list[Path],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[FetchDialog]:
    monkeypatch.setattr(engine.fetch.logs, "LOGS", (SOME, OTHER))
    executor = Executor()
    dialog = FetchDialog(tmp_path, opened.append, executor, base=archive.base)
    qtbot.addWidget(dialog)
    dialog.show()
    wait_for_folder(qtbot, dialog)
    yield dialog
    dialog.reject()
    executor.shutdown()


def wait_for_folder(qtbot: QtBot, dialog: FetchDialog) -> None:
    """Until the folder is looked at, which a thread does."""
    qtbot.waitUntil(dialog.act.isEnabled, timeout=60_000)


def act(qtbot: QtBot, dialog: FetchDialog) -> None:
    wait_for_folder(qtbot, dialog)
    qtbot.mouseClick(dialog.act, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not dialog.fetching.busy, timeout=60_000)
    wait_for_folder(qtbot, dialog)


def state(dialog: FetchDialog, place: int = 0) -> str:
    return dialog.list.topLevelItem(place).text(2)


def test_a_log_is_fetched_thanked_for_and_opened(
    qtbot: QtBot, dialog: FetchDialog, tmp_path: Path, opened: list[Path]
) -> None:
    assert [dialog.list.topLevelItem(place).text(0) for place in range(2)] == ["Some", "Other"]
    assert (dialog.act.text(), state(dialog)) == ("&Fetch", "")
    act(qtbot, dialog)
    assert (tmp_path / SOME.file).read_bytes() == PACKED
    assert "Acknowledge: Ann Example; the Parallel Workloads Archive." in dialog.message.text()
    assert (dialog.act.text(), state(dialog)) == ("&Open", "here")
    qtbot.mouseClick(dialog.act, Qt.MouseButton.LeftButton)
    assert opened == [tmp_path / SOME.file]
    assert not dialog.isVisible()


def test_what_broke_off_is_gone_on_with(qtbot: QtBot, dialog: FetchDialog, archive: Archive) -> None:
    archive.breaks_after = 1000
    act(qtbot, dialog)
    assert "the next time goes on from there" in dialog.message.text()
    assert (dialog.act.text(), state(dialog)) == ("&Continue", "partly")
    archive.breaks_after = None
    act(qtbot, dialog)
    assert archive.asked == ["", "bytes=1000-"]
    assert state(dialog) == "here"


def test_too_large_or_unknown_files_and_folders_are_reported(
    qtbot: QtBot, dialog: FetchDialog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.panels.opening.fetch_dialog._MIB", 1)
    dialog.limit.setValue(100)
    act(qtbot, dialog)
    assert "over the limit of 100" in dialog.message.text()
    qtbot.keyClick(dialog.list, Qt.Key.Key_Down)
    assert dialog.log is OTHER
    act(qtbot, dialog)
    assert "the server answers 404" in dialog.message.text()
    dialog.folder.setText(str(tmp_path / "nowhere"))
    act(qtbot, dialog)
    assert "There is no folder" in dialog.message.text()


def test_fetching_is_stopped_and_leaves_what_came(
    qtbot: QtBot, dialog: FetchDialog, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = dialog.fetching
    monkeypatch.setattr(waiting, "_fetch", _wait_for_cancel)
    qtbot.mouseClick(dialog.act, Qt.MouseButton.LeftButton)
    assert waiting.busy
    assert not dialog.list.isEnabled()
    qtbot.mouseClick(dialog.stop, Qt.MouseButton.LeftButton)
    assert not waiting.busy
    assert "Stopped" in dialog.message.text()
    wait_for_folder(qtbot, dialog)
    assert dialog.act.isEnabled()


def test_the_gui_thread_does_not_look_at_the_folder(
    qtbot: QtBot, dialog: FetchDialog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[int] = []

    def look(folder: Path) -> LogFolder:
        threads.append(threading.get_ident())
        return look_into(folder)

    monkeypatch.setattr("app.model.fetching.look_into", look)
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / OTHER.file).write_bytes(PACKED)
    dialog.folder.setText(str(tmp_path / "logs"))
    assert not dialog.act.isEnabled()  # nothing is known of it yet
    wait_for_folder(qtbot, dialog)
    assert threads
    assert threading.get_ident() not in threads
    assert [state(dialog, place) for place in range(2)] == ["", "here"]


def _wait_for_cancel(*arguments: object) -> None:
    control = arguments[-1]
    while not control.cancelled:  # type: ignore[attr-defined]
        pass


def test_the_file_menu_offers_it(qtbot: QtBot, window: MainWindow) -> None:
    menu = next(
        each_menu for each_menu in window.menuBar().findChildren(QMenu) if each_menu.title() == "&File"
    )
    action = next(each_action for each_action in menu.actions() if each_action.text() == "&Fetch a log…")
    action.trigger()
    dialog = open_dialog(window)
    assert isinstance(dialog, FetchDialog)
    assert dialog.list.topLevelItemCount() == len(engine.fetch.logs.LOGS) > 30
    dialog.reject()
    settle(window)
