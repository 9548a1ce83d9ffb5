"""The program is killed: at the next start its work is offered back."""

import errno
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QLockFile
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.model.documents.document import SavedRun, Session, Source
from app.model.settings import Settings, load_settings
from app.session import keeper
from app.session.archive import read_session, write_session
from app.session.autosave import RESERVE_BYTES, AutosaveSlot, autosave_folder, leftovers, new_slot
from app.shell.window import MainWindow
from app.shell.windows import Windows
from engine.errors import InputError
from engine.policy.policy import parse_policy
from tests.app.session.sessions import answer
from tests.app.windows import click, settle, show, trace_of
from tests.paths import ROOT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kill -9")

_PROGRAM = """
import argparse, sys
from pathlib import Path
from PySide6.QtCore import QTimer, Qt
from app.model import settings_file as settings_keeper
from app.cli import start
from app.panels.administrators_dialog import AdministratorsDialog
from app.actions.menu_tree import entries
from app.session import keeper
from app.shell.window import MainWindow
from engine.policy.policy import parse_policy
keeper.WAIT_MS = settings_keeper.WAIT_MS = 50
def change():
    (window,) = MainWindow.all()
    if not window.workbench.is_open:
        QTimer.singleShot(50, change)
        return
    window.workbench.remove_run(1)
    window.workbench.add_run(parse_policy("saf-easy"))
    window.selection.select_user(3)
    (without,) = [e.action for e in entries(window.menuBar()) if e.name == "Metrics without administrators"]
    without.trigger()
    dialog = window.findChild(AdministratorsDialog)
    dialog.list.item(0).setCheckState(Qt.CheckState.Checked)
    dialog.accept()
    window.settings.filters = {"wide": "procs > 1"}
QTimer.singleShot(0, change)
options = argparse.Namespace(screenshot=None, size=None, theme=None, view=None, policy=[])
with start.quiet_platform():
    start.on_screen([Path(sys.argv[1])], options)
"""


@pytest.fixture
def windows(look: None, kernels: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Windows]:
    """A program with an empty window."""
    from app.cli.start import _let_go
    from app.work.kernel_compilation import KernelCompilation

    monkeypatch.setattr(KernelCompilation, "needed", False)
    windows = Windows(Settings(theme="light"))
    show(windows.make())
    yield windows
    windows.close_all()
    _let_go()


def until(ready: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not ready():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def saved_runs() -> list[str]:
    files = list(autosave_folder().glob("[!.]*.batchscope"))
    return [run.policy for run in read_session(files[0]).runs] if files else []


def test_a_killed_program_gives_its_work_back(
    qtbot: QtBot, windows: Windows, kernels: None, site: Path
) -> None:
    child = subprocess.Popen([sys.executable, "-c", _PROGRAM, str(site)], cwd=ROOT, env=dict(os.environ))
    try:
        until(lambda: saved_runs() == ["fairshare-fcfs", "easy", "fairshare-easy", "saf-easy"])
        until(lambda: "wide" in load_settings().filters)
        assert not leftovers()  # its owner lives
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()

    kept = load_settings()
    assert kept.recent == [str(site)]
    ((trace, (administrator,)),) = kept.administrators.items()
    assert (trace, kept.without_administrators) == ("site", True)

    (window,) = windows.open  # whose settings know of no administrator
    windows.offer_leftovers(window)
    assert "1 window can be brought back" in window.messages.newest.text.text()
    answer(qtbot, window, "Restore")
    settle(window)
    assert trace_of(window).name == "site"
    assert [run.result.name for run in window.workbench.finished()] == saved_runs()
    assert window.selection.value.users == {3}
    assert f"of 1 administrator: {administrator}" in window.page.filter_bar.left_out.label.text()
    own = trace_of(window).user.codes == trace_of(window).user.names.index(administrator)
    assert not any((run.result.jobs & own).any() for run in window.workbench.finished())
    assert not leftovers()  # now it is this window's own
    window.close()
    assert list(autosave_folder().iterdir()) == []


def leave_behind(site: Path, policy: str, file: str = "") -> None:
    """What a killed program leaves."""
    slot = new_slot()
    assert slot is not None
    session = Session(file, source=Source(path=str(site)), runs=(SavedRun(1, policy),))
    write_session(slot.path, session)
    slot.release()


def test_each_session_gets_a_window_of_its_own(qtbot: QtBot, windows: Windows, site: Path) -> None:
    for policy in ("easy", "fcfs"):
        leave_behind(site, policy)
    windows.offer_leftovers(windows.open[0])
    answer(qtbot, windows.open[0], "Restore")
    settle(windows.open[0])
    qtbot.waitUntil(lambda: len(windows.open) == 2)
    for window in windows.open:
        settle(window)
    names = {window.workbench.finished()[0].result.name for window in windows.open}
    assert names == {"easy", "fcfs"}


def test_work_that_was_not_in_its_file_is_marked_so(
    qtbot: QtBot, windows: Windows, site: Path, tmp_path: Path
) -> None:
    leave_behind(site, "easy", str(tmp_path / "mine.batchscope"))
    (window,) = windows.open
    windows.offer_leftovers(window)
    answer(qtbot, window, "Restore")
    settle(window)
    assert window.windowTitle() == "mine[*] (site) – Batchscope"
    assert window.isWindowModified()


def test_discarded_sessions_are_gone(qtbot: QtBot, windows: Windows, site: Path) -> None:
    leave_behind(site, "easy")
    windows.offer_leftovers(windows.open[0])
    answer(qtbot, windows.open[0], "Discard")
    assert list(autosave_folder().iterdir()) == []


def test_who_does_not_answer_is_asked_again(qtbot: QtBot, windows: Windows, site: Path) -> None:
    leave_behind(site, "easy")
    windows.offer_leftovers(windows.open[0])
    answer(qtbot, windows.open[0], "Close")
    assert len(list(autosave_folder().glob("[!.]*.batchscope"))) == 1


def test_what_cannot_be_restored_is_kept(qtbot: QtBot, windows: Windows, tmp_path: Path) -> None:
    leave_behind(tmp_path / "gone.swf", "easy")
    (window,) = windows.open
    windows.offer_leftovers(window)
    answer(qtbot, window, "Restore")
    with pytest.raises(InputError, match=r"gone\.swf is not there"):
        settle(window)
    assert len(list(autosave_folder().glob("[!.]*.batchscope"))) == 1


def test_a_window_autosaves_what_changes_and_takes_it_away_when_it_closes(
    qtbot: QtBot, window: MainWindow
) -> None:
    window.keeper.autosave()
    settle(window)
    (file,) = autosave_folder().glob("[!.]*.batchscope")
    assert file.stat().st_mode & 0o777 == 0o600, "nobody else reads what somebody works at"
    written = file.stat().st_mtime_ns
    window.keeper.autosave()
    settle(window)
    assert file.stat().st_mtime_ns == written  # nothing has changed
    window.workbench.add_run(parse_policy("saf-easy"))
    window.clock.set_window(5_000, 9_000)
    settle(window)
    window.keeper.autosave()
    settle(window)
    assert read_session(file).runs[-1] == SavedRun(5, "saf-easy")
    assert read_session(file).view.window == (5_000, 9_000)
    window.close()
    assert list(autosave_folder().iterdir()) == []


def test_no_autosave_is_no_reason_to_stop(qtbot: QtBot, window: MainWindow) -> None:
    settle(window)
    folder = autosave_folder()
    shutil.rmtree(folder, ignore_errors=True)  # where the window has saved itself already
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("in the way", "utf-8")
    window.keeper.autosave()
    settle(window)
    assert not window.messages.shown


def fill_disk(monkeypatch: pytest.MonkeyPatch, *, room_for: int) -> None:
    """Let autosaves fail as on a full disk, which has room again for so many whenever a reserve is gone."""
    left = {"room": room_for}

    def write(path: Path, session: Session, *, private: bool) -> None:
        if list(path.parent.glob(".*-reserve")) or not left["room"]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        left["room"] -= 1
        write_session(path, session, private=private)

    monkeypatch.setattr(keeper, "write_session", write)


def text_of(window: MainWindow) -> str:
    return " ".join(label.text() for label in window.messages.findChildren(QLabel) if label.isVisible())


def test_on_a_full_disk_the_work_is_saved_into_room_that_was_held(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.workbench.remove_run(1)
    window.keeper.autosave()
    settle(window)
    (reserve,) = autosave_folder().glob(".*-reserve")
    assert reserve.stat().st_size == RESERVE_BYTES
    with monkeypatch.context() as disk:
        fill_disk(disk, room_for=1)
        window.workbench.remove_run(2)
        window.keeper.autosave()
        settle(window)
        assert "The disk is full. Your work was saved" in text_of(window)
        assert not list(autosave_folder().glob(".*-reserve"))
        (file,) = autosave_folder().glob("[!.]*.batchscope")
        assert [run.id for run in read_session(file).runs] == [3, 4]
        window.workbench.remove_run(3)
        assert not window.keeper.autosave_now(), "there is no room left, and none is claimed"
        assert [run.id for run in read_session(file).runs] == [3, 4], "what was saved stays"
    window.keeper.autosave()
    settle(window)
    assert [run.id for run in read_session(file).runs] == [4], "as soon as there is room"
    assert list(autosave_folder().glob(".*-reserve"))
    window.close()
    assert list(autosave_folder().iterdir()) == []


def test_a_copy_that_was_asked_for_is_not_lost_when_work_is_saved_at_once(window: MainWindow) -> None:
    settle(window)
    window.workbench.remove_run(1)
    window.keeper.autosave()  # waits for a thread
    assert window.keeper.autosave_now()
    (file,) = autosave_folder().glob("[!.]*.batchscope")
    assert [run.id for run in read_session(file).runs] == [2, 3, 4]


def test_work_saved_at_once_is_not_replaced_by_an_older_copy(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle(window)
    began, go_on, order = threading.Event(), threading.Event(), list[list[int]]()

    def write(path: Path, session: Session, *, private: bool) -> None:
        if threading.current_thread() is not threading.main_thread():
            began.set()
            assert go_on.wait(60)
        write_session(path, session, private=private)
        order.append([run.id for run in session.runs])

    monkeypatch.setattr(keeper, "write_session", write)
    window.workbench.remove_run(1)
    window.keeper.autosave()
    deadline = time.monotonic() + 60
    while not began.is_set() and time.monotonic() < deadline:
        QCoreApplication.processEvents()
    window.workbench.remove_run(2)
    threading.Timer(0.2, go_on.set).start()
    assert window.keeper.autosave_now()
    settle(window)
    assert order == [[2, 3, 4], [3, 4]]
    (file,) = autosave_folder().glob("[!.]*.batchscope")
    assert [run.id for run in read_session(file).runs] == [3, 4]


def test_an_older_copy_that_begins_late_is_not_written(tmp_path: Path) -> None:
    slot, written = AutosaveSlot(tmp_path / "a.batchscope", QLockFile(str(tmp_path / "a.lock"))), list[str]()
    older = slot.in_turn(lambda _: written.append("older"))
    newer = slot.in_turn(lambda _: written.append("newer"))
    newer()
    older()
    assert written == ["newer"]


def test_who_has_no_room_at_all_is_reported(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    settle(window)
    fill_disk(monkeypatch, room_for=0)
    window.workbench.remove_run(1)
    window.keeper.autosave()
    settle(window)
    assert "your work could not be saved" in text_of(window)


def test_the_window_that_was_closed_last_can_be_gone_on_with(
    qtbot: QtBot, make_window: Callable[..., MainWindow], window: MainWindow
) -> None:
    assert not window.start_page.last.isVisibleTo(window)
    window.workbench.remove_run(1)
    window.selection.select_user(4)
    window.close()
    again = make_window()
    assert again.start_page.last.isVisible()
    click(qtbot, again.start_page.last)
    settle(again)
    assert [run.result.run_id for run in again.workbench.finished()] == [2, 3, 4]
    assert again.selection.value.users == {4}
    assert again.windowTitle() == "site – Batchscope"
    assert not again.messages.shown


def test_what_was_half_written_is_no_session_and_is_cleared_away(
    qtbot: QtBot, windows: Windows, site: Path
) -> None:
    leave_behind(site, "easy")
    (file,) = autosave_folder().glob("[!.]*.batchscope")
    (autosave_folder() / f".{file.stem}-x1y2.batchscope").write_bytes(b"PK")
    windows.offer_leftovers(windows.open[0])
    assert "1 window can" in windows.open[0].messages.newest.text.text()
    answer(qtbot, windows.open[0], "Discard")
    assert list(autosave_folder().iterdir()) == []
