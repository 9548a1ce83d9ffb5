"""The file of users' shares: found again from anywhere, and never the end of all metrics."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QInputDialog
from pytestqt.qtbot import QtBot

from app.actions.menu_tree import entries
from app.model.documents.document import SavedRun, Session, Source
from app.model.settings import Settings
from app.session.archive import read_session, write_session
from app.shell.window import MainWindow
from engine.errors import InputError
from engine.policy.policy import parse_policy
from tests.app.session.sessions import answer, save_as
from tests.app.windows import EASY, compared, panel, settle, site_log, trace_of

MakeWindow = Callable[..., MainWindow]


def choose_share(window: MainWindow, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QInputDialog, "getText", lambda *_, **__: (text, True))
    (entry,) = (e for e in entries(window.menuBar()) if e.name == "Expected share of a user")
    entry.action.trigger()


def messages_of(window: MainWindow) -> list[str]:
    return [message.text.text() for message in window.messages.shown]


def test_a_file_of_shares_is_found_from_another_folder_and_moves_with_its_session(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    (here / "users.csv").write_text("user,share\n2,2c1g\n", "utf-8")
    monkeypatch.chdir(here)
    choose_share(window, "users.csv:batches=10m", monkeypatch)
    settle(window)
    expected = f"{here / 'users.csv'}:batches=10m"
    assert window.settings.share == window.workbench.share == expected
    save_as(qtbot, window, here / "a", monkeypatch)
    assert read_session(here / "a.batchscope").share == expected
    here.rename(there)
    monkeypatch.chdir(tmp_path)
    window.messages.clear()
    window.open_path(there / "a.batchscope")
    settle(window)
    assert window.workbench.share == f"{there / 'users.csv'}:batches=10m"
    assert len(compared(window)) == 4
    assert not messages_of(window)


@pytest.mark.parametrize("kind", ["gone", "a folder", "a pipe", "no share"])
def test_a_session_whose_share_cannot_be_read_is_judged_by_a_fair_one(
    window: MainWindow, site: Path, tmp_path: Path, kind: str
) -> None:
    shares = tmp_path / "users.csv"
    if kind == "a folder":
        shares.mkdir()
    elif kind == "a pipe":
        if sys.platform == "win32":
            pytest.skip("has none")
        os.mkfifo(shares)
    share = "rubbish" if kind == "no share" else str(shares)
    session = Session(source=Source(path=str(site)), share=share, runs=(SavedRun(3, "easy"),))
    write_session(tmp_path / "a.batchscope", session)
    window.open_path(tmp_path / "a.batchscope")
    settle(window)
    assert compared(window) == ["easy"]
    (text,) = messages_of(window)
    assert text.endswith("users may expect a fair share.")
    assert window.workbench.share == "fair"
    assert window.isWindowModified()
    window.asks = False


def test_the_next_trace_is_judged_as_the_settings_say(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.workbench.set_share("1/10")
    window.workbench.set_fair_starts(True)
    settle(window)
    save_as(qtbot, window, tmp_path / "tenth", monkeypatch)
    window.open_path(tmp_path / "tenth.batchscope")
    settle(window)
    assert (window.workbench.share, window.workbench.fair_starts) == ("1/10", True)
    window.open_path(site_log(tmp_path, "other.swf", jobs=40))
    settle(window)
    assert trace_of(window).name == "other"
    assert (window.workbench.share, window.workbench.fair_starts) == ("fair", False)


def test_a_share_in_the_settings_that_has_gone_spoils_no_start(make_window: MakeWindow, site: Path) -> None:
    window = make_window(Settings(theme="light", share="/nowhere/users.csv"))
    window.open_path(site)
    settle(window)
    assert len(compared(window)) == 4
    assert messages_of(window)[0].startswith("/nowhere/users.csv: no such file")
    assert window.settings.share == "/nowhere/users.csv"  # it may come back


def test_where_judging_fails_all_say_why_and_a_fair_share_mends_it(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "users.csv").write_text("user,share\nnobody,2c\n", "utf-8")
    choose_share(window, str(tmp_path / "users.csv"), monkeypatch)
    with pytest.raises(InputError, match="none of its users is in trace site"):
        settle(window)
    window._failure = ""
    settle(window)
    why = "Not judged: users.csv: none of its users is in trace site"
    assert panel(window, EASY).heatmap.message == why
    assert window.page.notes[0].text() == why
    assert compared_nothing(window)
    window.workbench.start_run(EASY)
    with pytest.raises(InputError, match="none of its users"):
        settle(window)
    window._failure = ""
    assert panel(window, EASY).heatmap.message == why
    answer(qtbot, window, "Use fair")
    settle(window)
    assert panel(window, EASY).heatmap.message == ""
    assert not window.page.notes[0].isVisible()
    assert len(compared(window)) == 4
    assert len(window.workbench.comparison.metrics) == 4
    assert window.settings.share == "fair"


def compared_nothing(window: MainWindow) -> bool:
    plot = window.page.views["boxplots"].charts[0].plot
    return plot is None or not plot.samples.runs


def test_a_run_finds_its_file_of_shares_from_another_folder(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ratio.csv").write_text("user,share\n2,5\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    window.workbench.add_run(parse_policy("fairshare-easy:shares=ratio.csv"))
    settle(window)
    save_as(qtbot, window, tmp_path / "a", monkeypatch)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    window.messages.clear()
    window.open_path(tmp_path / "a.batchscope")
    settle(window)
    assert compared(window)[-1] == f"fairshare-easy:shares={tmp_path / 'ratio.csv'}"
    assert not messages_of(window)
