"""The empty window, and how traces come into it."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from app.model.settings import Settings
from app.shell.window import MainWindow
from engine.errors import InputError
from resources import example_path
from tests.app.windows import (
    EASY,
    click,
    panel,
    seen,
    settle,
    site_log,
    slow_reading,
    slow_simulations,
    trace_of,
)
from tests.paths import needs
from views.text.ticks import axis_of

MakeWindow = Callable[..., MainWindow]


def texts(window: MainWindow) -> str:
    """All that the start page says."""
    page = window.start_page
    labels = [label.text() for label in page.findChildren(QLabel) if label.isVisible()]
    buttons = [button.text() for button in page.findChildren(QPushButton) if button.isVisible()]
    return "\n".join([*labels, *buttons])


def drop(window: MainWindow, *paths: Path) -> bool:
    """Drag files over the window and let them go; whether it takes them."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    position, copy = QPoint(300, 300), Qt.DropAction.CopyAction
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(position, copy, data, left, none)
    QApplication.sendEvent(window, enter)
    if enter.isAccepted():
        QApplication.sendEvent(window, QDropEvent(QPointF(position), copy, data, left, none))
    return enter.isAccepted()


def test_an_empty_window_says_how_to_begin(make_window: MakeWindow) -> None:
    window = make_window()
    assert window.windowTitle() == "Batchscope"
    found = texts(window)
    for word in ("Batchscope", "See the example", "Open a trace…"):
        assert word in found
    assert "Recent" not in found
    assert "Cancel" not in found
    assert not window.runs_dock.isVisible()
    assert not window.inspector_dock.isVisible()
    assert not window.page.isVisible()
    assert not any(action.isEnabled() for action in window.menus.offered.of_trace)


def test_ways_to_begin_look_like_buttons_under_each_theme(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    page = window.start_page
    page.example.setFocus()
    for name in ("dark", "light"):
        window.set_theme(name)
        qtbot.waitUntil(lambda: window.theme.name == name)  # noqa: B023
        qtbot.waitUntil(lambda: f"#{int(seen(page.open)[5, 5]) & 0xFFFFFF:06x}" == window.theme.chart)
        assert window.theme.chart != window.theme.window
        assert all(button.icon().isNull() for button in (page.example, page.open))


@needs(example_path())
def test_the_example_is_one_click_away(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    click(qtbot, window.start_page.example)
    settle(window)
    assert window.windowTitle() == "example – Batchscope"
    assert len(window.workbench.finished()) == 4


def test_enter_presses_what_has_the_keys_on_the_start_page(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    window.start_page.example.setFocus()
    qtbot.keyClick(window.start_page.example, Qt.Key.Key_Return)
    settle(window)
    assert window.windowTitle() == "example – Batchscope"


def test_a_chosen_file_is_opened_and_remembered(
    qtbot: QtBot, make_window: MakeWindow, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(site), ""))
    window = make_window()
    click(qtbot, window.start_page.open)
    settle(window)
    assert window.page.isVisible()
    assert window.runs_dock.isVisible()
    assert not window.inspector_dock.isVisible()  # nothing is selected
    assert not window.explore_dock.isVisible()
    assert all(action.isEnabled() for action in window.menus.offered.of_trace)
    assert window.settings.recent == [str(site)]


def test_recent_files_that_still_exist_are_one_click_away(
    qtbot: QtBot, make_window: MakeWindow, site: Path, tmp_path: Path
) -> None:
    window = make_window(Settings(theme="light", recent=[str(tmp_path / "gone.swf"), str(site)]))
    settle(window)
    assert "Recent" in texts(window)
    assert "gone.swf" not in texts(window)
    (link,) = (
        button for button in window.start_page.findChildren(QPushButton) if button.text() == "site.swf"
    )
    assert link.toolTip() == str(site)
    click(qtbot, link)
    settle(window)
    assert trace_of(window).name == "site"


def test_a_dropped_file_is_opened(window: MainWindow, tmp_path: Path) -> None:
    assert drop(window, site_log(tmp_path, "other.swf", jobs=50))
    settle(window)
    assert window.windowTitle() == "other – Batchscope"
    assert len(trace_of(window)) == 50


def test_only_files_can_be_dropped(make_window: MakeWindow) -> None:
    window = make_window()
    data = QMimeData()
    data.setText("not a file")
    enter = QDragEnterEvent(
        QPoint(9, 9),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(window, enter)
    assert not enter.isAccepted()


@pytest.mark.parametrize("kind", ["missing", "no log", "a folder"])
def test_a_file_that_cannot_be_opened_is_reported_and_what_was_open_stays(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, kind: str
) -> None:
    path = tmp_path / "bad.swf"
    if kind == "no log":
        path.write_bytes(b"\x00\x01 this is no log\n" * 9)
    elif kind == "a folder":
        path.mkdir()
    before = seen(panel(window, EASY).gantt)
    window.open_path(path)
    with pytest.raises(InputError, match=r"bad\.swf"):
        settle(window)
    assert window.messages.isVisible()
    assert str(path) in window.messages.newest.text.text()
    assert "\n" not in window.messages.newest.text.text()
    assert not window.messages.newest.more.isVisible()
    assert window.windowTitle() == "site – Batchscope"
    assert len(window.workbench.finished()) == 4
    assert window.settings.recent[0].endswith("site.swf")
    click(qtbot, window.messages.newest.dismiss)
    assert not window.messages.isVisible()
    qtbot.waitUntil(lambda: np.array_equal(seen(panel(window, EASY).gantt), before))


def test_an_unforeseen_error_has_its_details_behind_a_button(
    qtbot: QtBot, make_window: MakeWindow, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("of nothing")

    monkeypatch.setattr("engine.reading.read.read_log_as", broken)
    window = make_window()
    window.open_path(site)
    with pytest.raises(InputError, match="of nothing"):
        settle(window)
    assert window.messages.isVisible()
    assert not window.messages.newest.details.isVisible()
    click(qtbot, window.messages.newest.more)
    assert window.messages.newest.details.isVisible()
    assert "ZeroDivisionError: of nothing" in window.messages.newest.details.toPlainText()
    assert window.start_page.isVisible()


def test_reading_shows_progress_and_can_be_cancelled(
    qtbot: QtBot, make_window: MakeWindow, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make_window()
    page = window.start_page
    with slow_reading(monkeypatch) as gate:
        window.open_path(site)
        qtbot.waitUntil(lambda: page.cancel.isVisible() and page.progress.value() == 400)
        assert "Reading site.swf…" in texts(window)
        click(qtbot, page.cancel)
        gate.open()
        qtbot.waitUntil(lambda: not page.cancel.isVisible())
        settle(window)
    assert page.isVisible()
    assert not window.messages.isVisible()
    assert not window.workbench.is_open
    window.open_path(site)
    settle(window)
    assert window.page.isVisible()


def test_reading_another_trace_can_be_cancelled_in_the_status_line(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = site_log(tmp_path, "other.swf", jobs=50)
    with slow_reading(monkeypatch) as gate:
        window.open_path(other)
        qtbot.waitUntil(lambda: window.status.cancel.isVisible() and window.status.progress.value() == 400)
        assert window.page.isVisible()  # what is open can be worked with
        click(qtbot, window.status.cancel)
        gate.open()
        qtbot.waitUntil(lambda: not window.status.progress.isVisible())
        assert not window.status.cancel.isVisible()
        settle(window)
    assert trace_of(window).name == "site"


def test_of_two_traces_the_one_asked_for_last_is_shown(window: MainWindow, tmp_path: Path) -> None:
    window.open_path(site_log(tmp_path, "one.swf", jobs=40))
    window.open_path(site_log(tmp_path, "two.swf", jobs=50))
    settle(window)
    assert window.windowTitle() == "two – Batchscope"
    assert window.settings.recent[0].endswith("two.swf")
    assert not any(name.endswith("one.swf") for name in window.settings.recent)


def test_another_trace_begins_with_nothing_selected_and_all_of_it_in_sight(
    window: MainWindow, tmp_path: Path
) -> None:
    window.selection.select_user(3)
    window.clock.set_window(1000, 2000)
    window.open_path(site_log(tmp_path, "other.swf", jobs=50))
    settle(window)
    assert window.selection.value.empty
    assert window.clock.window == window.clock.bounds
    assert window.clock.start == float(trace_of(window).submit[0])
    window.clock.back()
    assert window.clock.window == window.clock.bounds


def test_charts_that_wait_tell_the_dates_and_the_zone_of_the_trace_that_was_opened_last(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Of a second trace whose runs take long; they said those of the first until the runs were done."""
    other = site_log(tmp_path, "other.swf", jobs=50)
    text = other.read_text("utf-8").replace("1356998400", "825545735").replace("Europe/Prague", "US/Pacific")
    other.write_text(text, "utf-8")
    with slow_simulations(monkeypatch) as gate:
        window.open_path(other)
        qtbot.waitUntil(gate.arrived.is_set)
        qtbot.waitUntil(lambda: not window.idle_queue.busy)
        axes = {chart.time_axis for chart in (*window.page.runs.charts, *window.page.runs.axes)}
        assert axes == {axis_of(trace_of(window))}
        assert "1996" in axes.pop().format(window.clock.start)
    settle(window)


def test_recent_files_with_impossible_names_are_left_out(make_window: MakeWindow, site: Path) -> None:
    window = make_window(Settings(recent=["/" + "x" * 10_000, "a\0b.swf", str(site)]))
    settle(window)
    assert [
        button.toolTip() for button in window.start_page.findChildren(QPushButton) if button.toolTip()
    ] == [str(site)]


def messages_of(window: MainWindow) -> str:
    """What all messages say."""
    return "\n".join(message.text.text() for message in window.messages.shown)


def site_conf(folder: Path) -> Path:
    """A site of two nodes that weighs ages alone."""
    path = folder / "slurm.conf"
    path.write_text(
        "NodeName=c[1-2] CPUs=64\nPriorityType=priority/multifactor\nPriorityWeightAge=5\n"
        "SchedulerParameters=bf_window=99,bf_continue\n"
    )
    return path


def test_a_log_and_a_configuration_are_dropped_together(make_window: MakeWindow, tmp_path: Path) -> None:
    window = make_window()
    drop(window, site_conf(tmp_path), site_log(tmp_path, "other.swf", jobs=50))
    settle(window)
    study = window.workbench.study
    run = study.runs[-1]
    assert run.policy.spelling == f"site:{tmp_path}"  # the site's own Slurm
    assert run.cluster == run.policy.machine
    assert run.cluster.spelling == "2x64c"
    assert study.name(run) == f"site:{tmp_path.name}"
    assert "settings of slurm.conf are not simulated." in messages_of(window)


def test_a_configuration_alone_wants_a_log(make_window: MakeWindow, tmp_path: Path) -> None:
    window = make_window()
    conf = site_conf(tmp_path)
    drop(window, conf)
    settle(window)
    assert "open a log first" in messages_of(window)
    window.open_path(site_log(tmp_path, "other.swf", jobs=50))
    settle(window)
    before = len(window.workbench.study.runs)
    window.open_path(conf)
    settle(window)
    assert len(window.workbench.study.runs) == before + 1
    (tmp_path / "slurm.conf").write_text("NodeName=a CPUs=x\n")
    window.open_path(conf)
    settle(window)
    assert "these nodes cannot be read" in messages_of(window)


def test_policies_left_for_later_are_offered(
    make_window: MakeWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    monkeypatch.setattr("app.model.reading.MANY_JOBS", 40)
    window = make_window()
    window.open_path(site_log(tmp_path, "many.swf", jobs=50))
    settle(window)
    study = window.workbench.study
    assert "easy" in [run.policy.spelling for run in study.runs]
    assert "fcfs" not in [run.policy.spelling for run in study.runs]
    (notice,) = (shown_item for shown_item in window.messages.shown if "takes long" in shown_item.text.text())
    assert "under fcfs, fairshare-fcfs and fairshare-easy yet" in notice.text.text()
    (button,) = (
        each_button for each_button in notice.findChildren(QPushButton) if each_button.text() == "Simulate"
    )
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    settle(window)
    study = window.workbench.study
    assert {"easy", "fcfs", "fairshare-fcfs", "fairshare-easy"} <= {run.policy.spelling for run in study.runs}
