"""Reports of faults, and the log of stalls, in processes of their own."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest
from platformdirs import user_state_path
from pytestqt.qtbot import QtBot

from app.panels.message_bar import MessageBar
from app.shell.fault_notices import offer_reports
from app.shell.fault_words import fault_text
from app.work import faults
from app.work.faults import fault_folder, note_action, unseen_reports
from app.work.watchdog import log_path
from tests.paths import ROOT

WINDOW = """
import argparse, sys
from PySide6.QtCore import QTimer
import app.cli.start as start
from PySide6.QtWidgets import QApplication
def act():
{act}
    QTimer.singleShot(900, QApplication.quit)
QTimer_shot = QTimer.singleShot
import app.shell.windows as windows
make = windows.Windows.make
def made(self):
    QTimer_shot(1800, act)
    return make(self)
windows.Windows.make = made
options = argparse.Namespace(size=None, theme="light", view=None, screenshot=None)
sys.exit(start.on_screen([None], options))
"""


def run_window(act: str) -> subprocess.CompletedProcess[str]:
    """A window that does something when it has been shown, and then closes."""
    code = WINDOW.format(act="\n".join(f"    {line}" for line in act.splitlines()))
    call = [sys.executable, "-c", code]
    return subprocess.run(call, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)


def test_an_exception_is_reported_without_what_it_quotes() -> None:
    done = run_window(
        "from app.work.faults import note_action\nnote_action(act)\nQTimer.singleShot(0, lambda: {}['alice'])"
    )
    assert done.returncode == 0, done.stderr
    assert "KeyError: 'alice'" in done.stderr, "and said as before"
    (report,) = unseen_reports()
    assert not report.crashed
    assert "builtins.KeyError" in report.text
    assert "alice" not in report.text.split("Stack")[1].replace("{}['alice']", "")
    assert "numba 0." in report.text
    assert ":act" in report.text.split("Last actions")[1]
    assert not list(fault_folder().glob("*.crash")), "of a process that ended as it should"


def test_a_crash_leaves_the_stacks() -> None:
    done = run_window("import faulthandler\nfaulthandler._sigsegv()")
    assert done.returncode != 0
    (report,) = unseen_reports()
    assert report.crashed
    assert "Segmentation fault" in report.text
    assert ", line " in report.text
    assert "numba 0." in report.text, "what ran was written beforehand"


def test_a_killed_process_leaves_no_report() -> None:
    done = run_window("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")
    assert done.returncode != 0
    assert len(list(fault_folder().glob("*.crash"))) == 1
    assert unseen_reports() == []
    assert not list(fault_folder().iterdir())


def test_a_stall_is_noted_with_its_stack() -> None:
    done = run_window("import time\ndef slow_work(): time.sleep(1.7)\nslow_work()")
    assert done.returncode == 0, done.stderr
    text = log_path().read_text("utf-8")
    assert "the window answered nothing for" in text
    assert "slow_work\n" in text
    assert log_path().parent == user_state_path("batchscope")


def test_the_next_start_offers_a_report_once(qtbot: QtBot) -> None:
    bar = MessageBar()
    qtbot.addWidget(bar)
    offer_reports(bar)
    assert not bar.shown
    assert faults.write_report("where it was\n") is not None
    offer_reports(bar)
    (message,) = bar.shown
    assert "was not sent" in message.whole
    assert "where it was" in message.details.toPlainText()
    bar.drop(message)
    offer_reports(bar)
    assert not bar.shown
    assert len(list(fault_folder().glob("*.seen"))) == 1, "it is kept"


def test_actions_are_remembered_without_the_names_of_files(tmp_path: Path) -> None:
    def open_file() -> None:
        raise AssertionError(tmp_path)

    note_action(open_file)
    assert faults._actions[-1].endswith(
        "test_faults:test_actions_are_remembered_without_the_names_of_files.open_file"
    )


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (MemoryError(), "not enough memory"),
        (OSError(errno.ENOSPC, "no space"), "disk is full"),
        (KeyError("x"), "Something went wrong"),
    ],
)
def test_words_for_what_happened(error: BaseException, words: str) -> None:
    assert words in fault_text(error, True)
    assert "Your work was saved" in fault_text(error, True)
    assert "could not be saved" in fault_text(error, False)


def test_reports_that_cannot_be_written_are_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", os.devnull)
    assert faults.write_report("stack") is None
    assert unseen_reports() == []
