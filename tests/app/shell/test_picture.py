"""The window drawn to a picture, as a program of its own."""

import os
import subprocess
import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QTimer, QtMsgType, qInstallMessageHandler, qWarning
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from app.cli.start import on_screen, quiet_platform, show_window
from app.model.settings import Settings, load_settings
from app.shell.window import MainWindow
from engine.policy.policy import parse_policy
from tests.app.cli.commands import Commands
from tests.app.session.sessions import save_as
from tests.app.windows import panel, seen, settle, site_log
from tests.paths import ROOT

UNSET = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    """The command without a display."""
    return subprocess.run(
        [sys.executable, "-m", "app", *map(str, arguments)],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name not in UNSET},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )


def test_a_picture_is_what_the_window_shows(
    make_window: Callable[..., MainWindow], site: Path, tmp_path: Path
) -> None:
    picture = tmp_path / "out.png"
    how = ("--size", "1280x800", "--theme", "dark", "--view", "heatmap", "-p", "fcfs", "-p", "easy:order=saf")
    done = run(site, "--screenshot", picture, *how)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    image = QImage(str(picture)).convertToFormat(QImage.Format.Format_RGB32)
    assert (image.width(), image.height()) == (1280, 800)

    window = make_window(Settings(theme="dark"))
    window.resize(1280, 800)
    window.show_view("heatmap")
    window.opener.open_path(site, (parse_policy("fcfs"), parse_policy("easy:order=saf")))
    settle(window)
    assert [run.policy.spelling for run in window.workbench.study.runs] == ["fcfs", "easy:order=saf"]
    corner = window.page.mapTo(window, QPoint(0, 0))
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(800, -1)[:, :1280]
    height, width = window.page.height(), window.page.width()
    there = pixels[corner.y() : corner.y() + height, corner.x() : corner.x() + width]
    assert np.array_equal(there, seen(window.page))


def test_a_view_that_was_asked_for_is_shown_with_the_first_log(
    make_window: Callable[..., MainWindow], site: Path
) -> None:
    window = make_window(Settings())
    show_window(window, site, Namespace(view="now", policy=[]))
    settle(window)
    assert window.view.options.view == "now"
    window.show_view("all")
    window.open_path(site)
    settle(window)
    assert window.view.options.view == "all"


def test_a_picture_of_a_session_shows_it_as_it_was_saved(
    window: MainWindow, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.selection.select_user(2)
    window.clock.set_window(50_000, 150_000)
    window.view.choose(columns=1)
    window.resize(1280, 800)
    settle(window)
    session, picture = tmp_path / "a.batchscope", tmp_path / "out.png"
    save_as(qtbot, window, session, monkeypatch)
    window.messages.clear()
    settle(window)
    done = run(session, "--screenshot", picture, "--size", "1280x800")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    image = QImage(str(picture)).convertToFormat(QImage.Format.Format_RGB32)
    chart = panel(window, 1).gantt
    corner = chart.mapTo(window, QPoint(0, 0))
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(800, -1)[:, :1280]
    # With what lies over the chart: the details of the user.
    own = slice(corner.y(), corner.y() + chart.height()), slice(corner.x(), corner.x() + chart.width())
    assert np.array_equal(pixels[own], seen(window)[own])


def test_of_a_file_that_is_no_trace_there_is_no_picture_but_a_line(tmp_path: Path) -> None:
    bad = tmp_path / "bad.swf"
    bad.write_text("this is no log\n", "utf-8")
    done = run(bad, "--screenshot", tmp_path / "out.png")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"batchscope: {bad}")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out.png").exists()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("absent.swf", "--screenshot", "out.png"), "absent.swf: no such file"),
        (("site.swf", "--screenshot", "out.bmp"), "out.bmp: a screenshot is a .png or .jpg file"),
        (("site.swf",), "there is no display"),
        (
            ("site.swf", "-p", "esay", "--screenshot", "out.png"),
            "unknown policy 'esay'; did you mean 'easy'?",
        ),
        (("site.swf", "--screenshot", "out.png", "--size", "9x9"), "9x9: sizes go from 320x240"),
    ],
)
def test_wrong_usage_is_reported_in_a_line(
    cli: Commands,
    site: Path,
    tmp_path: Path,
    arguments: tuple[str, ...],
    complaint: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in UNSET:
        monkeypatch.delenv(name, raising=False)
    done = cli(*(str(tmp_path / word) if "." in word else word for word in arguments))
    assert done.status == 2
    assert complaint in done.complaint


def test_a_picture_that_cannot_be_written_is_failed_work(site: Path, tmp_path: Path) -> None:
    done = run("--screenshot", tmp_path / "no" / "out.png")
    assert (done.returncode, done.stdout) == (1, "")
    assert (
        done.stderr
        == f"batchscope: {tmp_path / 'no' / 'out.png'}: the folder {tmp_path / 'no'} does not exist\n"
    )


def test_each_trace_on_the_command_line_gets_a_window(
    make_window: Callable[..., MainWindow], site: Path, tmp_path: Path
) -> None:
    """They share theme and settings; the program ends with the last one."""
    paths = [site, site_log(tmp_path, "other.swf", jobs=40)]
    titles, looks = [], []

    def look_and_close() -> None:
        windows = [w for w in QApplication.topLevelWidgets() if isinstance(w, MainWindow)]
        for window in windows:
            settle(window)
            titles.append(window.windowTitle())
        windows[0].set_theme("dark")
        for window in windows:
            settle(window)
            looks.append(seen(panel(window, 1).gantt).astype(np.uint8).mean())
        for window in windows:
            window.close()

    QTimer.singleShot(0, look_and_close)
    options = Namespace(screenshot=None, size=None, theme="light", view=None, policy=["fcfs", "easy"])
    assert on_screen(paths, options) == 0
    assert sorted(titles) == ["other – Batchscope", "site – Batchscope"]
    assert max(looks) < 110
    saved = load_settings()
    assert saved.theme == "dark"  # which was chosen in a window
    assert sorted(saved.recent) == sorted(map(str, paths))


def test_only_what_the_platform_says_of_every_window_is_silenced(qapp: QApplication) -> None:
    received: list[str] = []

    def tell(kind: QtMsgType, context: object, text: str) -> None:
        received.append(text)

    before = qInstallMessageHandler(tell)
    try:
        with quiet_platform():
            label = QLabel("a window")
            label.show()
            label.close()
            label.deleteLater()
            qWarning("something else")
        assert received == ["something else"]
        qWarning("afterwards")
        assert received == ["something else", "afterwards"]
    finally:
        qInstallMessageHandler(before)
