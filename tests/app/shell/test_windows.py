"""Several windows of one program, and what they share."""

from argparse import Namespace
from collections.abc import Iterator
from functools import partial
from itertools import count
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.exceptions import capture_exceptions
from pytestqt.qtbot import QtBot

from app.cli.start import _let_go, on_screen
from app.model.settings import Settings, load_settings, save_settings
from app.session.closed_sessions import closed_paths
from app.shell.menus import WindowMenus
from app.shell.placing import fit_screen
from app.shell.window import MainWindow
from app.shell.windows import Windows
from tests.app.shell.test_start import drop
from tests.app.windows import settle, show, site_log

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def windows(look: None, kernels: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Windows]:
    """A program with an empty window, in the dark theme for this time."""
    from app.work.kernel_compilation import KernelCompilation

    monkeypatch.setattr(KernelCompilation, "needed", False)
    windows = Windows(Settings(theme="light"), theme="dark")
    show(windows.make())
    yield windows
    windows.close_all()
    _let_go()


def menu(window: MainWindow, title: str) -> QMenu:
    """A menu of the menu bar, filled as if it were opened."""
    found = next(m for m in window.menuBar().findChildren(QMenu) if m.title().replace("&", "") == title)
    found.aboutToShow.emit()
    return found


def another(qtbot: QtBot, windows: Windows) -> MainWindow:
    """A further window, made by its keys: it comes in turns of the event loop."""
    before = len(windows.open)
    qtbot.keyClick(windows.open[0], Qt.Key.Key_N, CONTROL | SHIFT)
    qtbot.waitUntil(lambda: len(windows.open) > before)
    return windows.open[-1]


def test_a_new_window_joins_the_others(qtbot: QtBot, windows: Windows, tmp_path: Path) -> None:
    (first,) = windows.open
    first.open_path(site_log(tmp_path, "one.swf", jobs=40))
    settle(first)
    second = another(qtbot, windows)
    assert second.isVisible()
    assert second.theme_name == "dark"
    listed = {action.text(): action for action in menu(second, "Window").actions()}
    assert listed["Batchscope"].isChecked()
    assert not listed["one – Batchscope"].isChecked()
    listed["one – Batchscope"].trigger()
    qtbot.waitUntil(first.isActiveWindow)


def test_a_signal_ends_the_program_without_a_question(
    windows: Windows, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr("app.shell.window.may_leave", lambda *_: asked.append("?"))
    (first,) = windows.open
    first.open_path(site_log(tmp_path, "one.swf", jobs=40))
    settle(first)
    first.workbench.remove_run(first.workbench.study.runs[0].id)
    assert first.keeper.dirty
    QTimer.singleShot(0, windows.end)
    QApplication.exec()
    assert asked == []
    assert windows.open == []
    assert [path.suffix for path in closed_paths()] == [".batchscope"]


def test_every_new_window_fits_the_screen(windows: Windows) -> None:
    """Qt's offscreen screen is smaller than what a first window would like."""
    fit_screen(windows.open[0])
    made = [windows.open[0], *(windows.make() for _ in range(3))]
    for window in made:
        free = window.screen().availableGeometry()
        assert free.contains(window.geometry()), (free, window.geometry())
        assert window.height() <= free.height() - 32  # the title bar's
    first = made[0]
    first.setGeometry(-500, 2000, 5000, 4000)
    fit_screen(first)
    assert first.screen().availableGeometry().contains(first.geometry())


def test_windows_like_the_system_turn_with_it(windows: Windows) -> None:
    (first,) = windows.open
    scheme = QApplication.styleHints().colorSchemeChanged
    scheme.emit(Qt.ColorScheme.Light)
    assert first.theme.name == "dark"  # it was chosen by hand
    first.set_theme("system")
    scheme.emit(Qt.ColorScheme.Dark)
    assert first.theme.name == first.page.views["difference"].gantt.theme.name == "dark"
    settle(first)
    assert first.palette().window().color().name() == first.theme.window
    scheme.emit(Qt.ColorScheme.Light)
    assert first.theme.name == "light"
    settle(first)
    assert first.palette().window().color().name() == first.theme.window
    assert first.theme_name == "system"


def test_of_several_dropped_files_each_gets_a_window(qtbot: QtBot, windows: Windows, tmp_path: Path) -> None:
    paths = [site_log(tmp_path, f"{name}.swf", jobs=40) for name in ("one", "two")]
    assert drop(windows.open[0], *paths)
    settle(windows.open[0])
    qtbot.waitUntil(lambda: len(windows.open) == 2)
    for window in windows.open:
        settle(window)
    assert [window.windowTitle() for window in windows.open] == ["one – Batchscope", "two – Batchscope"]


def test_a_closed_window_is_let_go_and_the_others_stay(qtbot: QtBot, windows: Windows) -> None:
    (first,) = windows.open
    another(qtbot, windows)
    first.activateWindow()
    qtbot.waitUntil(first.isActiveWindow)
    qtbot.keyClick(first, Qt.Key.Key_W, CONTROL)
    assert [window.isVisible() for window in windows.open] == [True]
    assert first not in windows.open
    assert MainWindow.all() == windows.open


def test_of_several_closed_windows_one_is_deleted_at_a_time(qtbot: QtBot, windows: Windows) -> None:
    gone: list[int] = []
    for number in range(3):
        window = windows.make()
        window.show()
        window.destroyed.connect(partial(gone.append, number))
    for window in windows.open[1:]:
        window.close()
    assert len(windows.open) == 1
    while len(gone) < 3:
        before = len(gone)
        QApplication.processEvents()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        assert len(gone) - before <= 1
    assert gone == [0, 1, 2]


def test_a_further_window_is_whole_when_it_is_shown(qtbot: QtBot, windows: Windows, tmp_path: Path) -> None:
    """What is done while it is made: other windows answer, and another theme is chosen."""
    (first,) = windows.open
    turns, shown = count(), list[MainWindow]()

    def show_log(path: Path, window: MainWindow) -> None:
        shown.append(window)
        window.open_path(path)

    for name in ("one", "two"):
        windows.make_soon(partial(show_log, site_log(tmp_path, f"{name}.swf", jobs=40)))
    assert [window.isVisible() for window in windows.open] == [True]
    first.set_theme("light")
    while len(windows.open) < 3:
        QApplication.processEvents()
        assert len(windows.open) == 1 + len(shown)
        next(turns)
    assert next(turns) > 10  # ten steps, one a turn
    assert windows.open[1:] == shown
    for window in shown:
        settle(window)
        assert window.theme_name == window.theme.name == "light"
        assert window.start_page.palette() == first.start_page.palette()
    assert [window.windowTitle() for window in shown] == ["one – Batchscope", "two – Batchscope"]
    assert set(shown[0].menus.offered.actions) == set(first.menus.offered.actions)


def test_a_window_that_is_being_made_outlives_the_last(qtbot: QtBot, windows: Windows) -> None:
    (first,) = windows.open
    qtbot.keyClick(first, Qt.Key.Key_N, CONTROL | SHIFT)
    first.close()
    (left,) = windows.open
    assert left is not first
    assert left.isVisible()


def test_the_end_closes_a_window_that_is_being_made(qtbot: QtBot, windows: Windows) -> None:
    opened: list[MainWindow] = []
    for _ in range(2):
        windows.make_soon(opened.append)
    windows.close_all()
    assert windows.open == opened == MainWindow.all() == []


def test_a_window_that_cannot_be_made_holds_up_no_other(
    qtbot: QtBot, windows: Windows, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor do those that came and were closed before."""
    for _ in range(2):
        for _ in range(3):
            windows.make_soon(MainWindow.close)
        windows.make_soon(MainWindow.isVisible)
        qtbot.waitUntil(lambda: len(windows.open) == 2)
        windows.open[1].close()
    fill, uses = WindowMenus.fill, list[str]()

    def broken(menus: WindowMenus) -> Iterator[None]:
        monkeypatch.setattr(WindowMenus, "fill", fill)
        yield
        raise ZeroDivisionError

    monkeypatch.setattr(WindowMenus, "fill", broken)
    with capture_exceptions() as raised:
        windows.make_soon(lambda _: uses.append("broken"))
        windows.make_soon(lambda _: 1 // 0)
        windows.make_soon(lambda _: uses.append("whole"))
        qtbot.waitUntil(lambda: bool(uses))
    assert [kind for kind, _, _ in raised] == [ZeroDivisionError] * 2
    assert uses == ["whole"]
    assert [window.isVisible() for window in windows.open] == [True] * 3


def test_quitting_closes_all_windows(qtbot: QtBot, windows: Windows) -> None:
    """Also one that is being made."""
    second = another(qtbot, windows)
    qtbot.keyClick(second, Qt.Key.Key_N, CONTROL | SHIFT)
    qtbot.keyClick(second, Qt.Key.Key_Q, CONTROL)
    assert not windows.open
    assert not MainWindow.all()


def test_the_theme_of_the_command_line_is_not_remembered(look: None, kernels: None) -> None:
    save_settings(Settings(theme="light"))
    themes = []

    def look_and_close() -> None:
        for window in MainWindow.all():
            themes.append(window.theme_name)
            window.close()

    QTimer.singleShot(0, look_and_close)
    assert on_screen([None], Namespace(screenshot=None, size=None, theme="dark", view=None, policy=[])) == 0
    assert themes == ["dark"]
    assert load_settings().theme == "light"


def test_a_theme_that_is_chosen_in_a_window_is_that_of_all(windows: Windows, qtbot: QtBot) -> None:
    first = windows.open[0]
    another(qtbot, windows)
    next(a for a in menu(first, "Theme").actions() if a.text() == "Light").trigger()
    assert [window.theme_name for window in windows.open] == ["light", "light"]
    checked = [action.text() for action in menu(windows.open[1], "Theme").actions() if action.isChecked()]
    assert checked == ["Light"]
    assert first.settings.theme == "light"
    assert isinstance(QApplication.instance(), QApplication)
