"""A bounded sample of the random walks over what arranges a window, and second starts on other screens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QLabel,
    QMenu,
    QScrollBar,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.model.layout import Dock, LayoutState
from app.model.settings import Settings, load_settings
from app.shell.window import MainWindow
from app.work.kernel_compilation import KernelCompilation
from engine.policy.policy import parse_policy
from tests.app.shell.layout.layout_walk import faults_of, walk
from tests.app.windows import FCFS, delete, large_jobs, panel, seen, settle, trace_of
from views.catalog import ALL
from views.data.view_options import ViewOptions
from views.distribution.panel import DistributionPanel
from views.search.page import SearchPage
from views.theme.apply import DESKTOP_FONT
from views.theme.fonts import tick_font

SEEDS = (5, 11)
"""Walks that found faults when they were first made."""


@pytest.fixture(autouse=True)
def ready(
    qapp: QApplication, kernels: None, tuned: None, look: None, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Kernels are there, and the font of the program is put back."""
    monkeypatch.setattr(KernelCompilation, "needed", False)
    before = QFont(QApplication.font())
    yield
    QApplication.setFont(before)
    qapp.setProperty(DESKTOP_FONT, None)


@pytest.fixture
def start(qtbot: QtBot, module_site: Path) -> Iterator[Callable[..., MainWindow]]:
    """Starts the program on a screen of a size, with the settings of the start before, or with others."""
    windows: list[MainWindow] = []

    def make(size: tuple[int, int], settings: Settings | None = None, path: Path | None = None) -> MainWindow:
        # One window at a time, as settings are written when it is closed.
        if windows:
            delete(windows.pop())
        window = MainWindow(settings or load_settings())
        windows.append(window)
        window.asks = False
        window.restore()
        window.resize(*size)
        window.show()
        window.open_path(path or module_site)
        settle(window)
        return window

    yield make
    for window in windows:
        delete(window)


def _points(part: QWidget) -> float:
    return part.font().pointSizeF()


def _title_height(dock: QDockWidget) -> int:
    """Rows of pixels of the title's letters."""
    area = QRect(0, 1, 60, dock.widget().y() - 2)  # without the frame
    return int((np.ptp(seen(dock, area) & 0xFF, axis=1) > 60).sum())


@pytest.mark.parametrize("seed", SEEDS)
def test_everything_is_whole_on_a_random_walk(seed: int, module_site: Path, tmp_path: Path) -> None:
    made = walk(seed, module_site, tmp_path, starts=2, acts=4)
    assert made.faults == {}
    assert len(made.done) >= 10


def test_tabs_are_whole_when_a_page_was_left_in_front_of_them(start: Callable[..., MainWindow]) -> None:
    window = start((1280, 800), Settings(theme="light"))
    for name in ("worst user", "view difference"):
        window.menus.offered.actions[name].trigger()
        settle(window)
    window = start((1280, 800))
    tabs = window.page.tabs
    assert tabs.is_open
    assert tabs.height() > tabs.folded_height + 100
    assert tabs.isTabVisible(tabs.currentIndex())
    assert faults_of(window) == []


@pytest.mark.parametrize("size", [(1280, 800), (1024, 600)])
def test_a_session_of_a_large_screen_leaves_room_on_a_small_one(
    start: Callable[..., MainWindow], tmp_path: Path, size: tuple[int, int]
) -> None:
    window, file = start((1920, 1080), Settings(theme="light")), tmp_path / "large.batchscope"
    window.view.choose(tabs_open=True)
    window.explore_dock.show()
    window.page.splitter.setSizes([200, 700])
    window.page.splitter.splitterMoved.emit(200, 1)
    window.resizeDocks([window.explore_dock], [1100], Qt.Orientation.Horizontal)
    settle(window)
    window.keeper.save_now(file, window)
    window = start(size, path=file)
    assert window.page.tabs.is_open
    assert window.explore_dock.isVisible()
    assert faults_of(window) == []
    for chart in (panel(window, run).gantt for run in window.page.runs.panels):
        assert chart.frame().plot.width() >= 100
        assert chart.frame().plot.height() >= 20


def test_sizes_of_docks_of_any_screen_leave_room_for_charts(start: Callable[..., MainWindow]) -> None:
    window = start((1280, 800), Settings(theme="light"))
    wide = {"Explore": Dock("left", True, 3000), "Runs": Dock("right", True, 2000)}
    window.layouts.apply(LayoutState(wide, (20, 3000), ViewOptions(tabs_open=True, columns=4)))
    settle(window)
    assert faults_of(window) == []
    assert window.centralWidget().width() >= 0.39 * window.width()


def test_a_wide_panel_of_the_last_start_leaves_room_on_a_small_screen(
    start: Callable[..., MainWindow],
) -> None:
    window = start((1366, 768), Settings(theme="light", text_size=14))
    window.explore_dock.show()
    settle(window)
    window.resizeDocks([window.explore_dock], [794], Qt.Orientation.Horizontal)
    settle(window)
    window = start((1024, 600))
    assert window.explore_dock.isVisible()
    assert faults_of(window) == []
    assert window.centralWidget().width() >= 0.39 * window.width()


@pytest.mark.parametrize("points", [9, 14])
def test_details_below_on_a_large_screen_leave_room_on_a_small_one(
    start: Callable[..., MainWindow], points: int
) -> None:
    window = start((2560, 1440), Settings(theme="light", text_size=points))
    window.view.choose(tabs_open=True, inspector_at="below")
    settle(window)
    window.resizeDocks([window.inspector_dock], [600], Qt.Orientation.Vertical)
    settle(window)
    window = start((1024, 600))
    tabs = window.page.tabs
    assert tabs.is_open
    assert window.inspector_dock.isVisible()
    assert faults_of(window) == []  # each tab is whole
    assert tabs.height() >= tabs.folded_height + 30  # and some lines of the page are seen


def test_what_the_tool_bar_has_no_room_for_is_in_a_menu(
    qtbot: QtBot, start: Callable[..., MainWindow]
) -> None:
    window = start((1024, 600), Settings(theme="light", text_size=14))
    bar, overflow = window.menus.bar, window.menus.overflow
    buttons = [
        button for each in bar.actions() if isinstance(button := bar.widgetForAction(each), QToolButton)
    ]
    missing = [button.text() for button in buttons if not button.isVisible() and button.text()]
    assert missing
    qtbot.mouseClick(overflow.button, Qt.MouseButton.LeftButton)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert [action.text().replace("&", "") for action in menu.actions()] == missing
    qtbot.keyClick(menu, Qt.Key.Key_Escape)
    assert QApplication.activePopupWidget() is None
    settle(window)
    assert faults_of(window) == []  # the bar does not lie over what is below it
    # What is picked there does what its button does: a page is turned to.
    for _ in range(10):
        window.menus.offered.actions["larger text"].trigger()
    window.resize(window.minimumSizeHint().width(), 600)
    settle(window)
    qtbot.mouseClick(overflow.button, Qt.MouseButton.LeftButton)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    (change,) = (action for action in menu.actions() if action.text() == "Change")
    assert change.isCheckable()
    assert not change.isChecked()
    change.trigger()
    menu.close()
    assert window.view.options.view == "change"


def test_the_answer_of_a_search_is_below_the_form_where_both_are_not_whole(
    start: Callable[..., MainWindow],
) -> None:
    window = start((1024, 600), Settings(theme="light", text_size=14))
    window.show_view("search")
    settle(window)
    page = window.page.view("search", SearchPage)
    for width in (1024, 900, 1280, 900):
        window.explore_dock.setVisible(width < 1024 or width == 1280)
        window.resize(width, 600)
        settle(window)
        form = QRect(page.form.mapTo(page, page.form.rect().topLeft()), page.form.size())
        empty = QRect(page.empty.mapTo(page, page.empty.rect().topLeft()), page.empty.size())
        assert not form.intersects(empty)
        assert (empty.top() > form.bottom()) == (width == 900)
        assert page.rect().contains(form)
        assert page.rect().contains(empty)
        assert faults_of(window) == []


def test_selecting_changes_the_width_of_no_chart(start: Callable[..., MainWindow]) -> None:
    window = start((1280, 800), Settings(theme="light"))
    for place in ("over", "side", "below"):
        window.view.choose(inspector_at=place)
        settle(window)
        before = [chart.width() for chart in window.page.runs.charts]
        window.selection.select_job(trace_of(window), large_jobs(window, FCFS)[0])
        settle(window)
        assert window.inspector_dock.isVisible(), place
        assert [chart.width() for chart in window.page.runs.charts] == before, place
        window.selection.clear()
        settle(window)
        assert window.inspector_dock.isVisible() is (place != "over")
        assert [chart.width() for chart in window.page.runs.charts] == before, place


def test_box_plots_are_seen_whole_when_their_tab_is_first_opened(start: Callable[..., MainWindow]) -> None:
    window = start((1280, 800), Settings(theme="light"))
    window.view.choose(tabs_open=True)
    settle(window)
    page = window.page.view("boxplots", DistributionPanel)
    shown = page.parentWidget().parentWidget()  # the part of the page that its scroll area shows
    assert shown.height() > 100
    for chart in page.charts:
        assert shown.rect().contains(QRect(chart.mapTo(shown, QPoint()), chart.size()))


def test_details_below_have_the_chart_beside_the_page(start: Callable[..., MainWindow]) -> None:
    window = start((1280, 800), Settings(theme="light"))
    window.selection.select_job(trace_of(window), large_jobs(window, FCFS)[0])
    inspector = window.inspector
    for place, size in (
        ("below", (1280, 800)),
        ("over", (1280, 800)),
        ("below", (1920, 1080)),
        ("side", None),
    ):
        window.view.choose(inspector_at=place)
        window.resize(*(size or (1920, 1080)))
        settle(window)
        page, chart = inspector.browser.geometry(), inspector.waits
        assert chart.isVisible()
        part = QRect(chart.mapTo(inspector, QPoint()), chart.size()) & inspector.rect()
        if place == "below":
            assert part.left() > page.right()
            assert part.top() == page.top()
            assert part.height() == min(chart.sizeHint().height(), inspector.height())  # as much as fits
        else:
            assert part.top() > page.bottom()
        assert faults_of(window) == []


def test_eight_runs_show_the_same_strips(start: Callable[..., MainWindow]) -> None:
    window = start((1920, 1080), Settings(theme="light"))
    for policy in ("just", "conservative", "easy:order=sjf", "easy:order=ljf"):
        window.workbench.add_run(parse_policy(policy))
    settle(window)
    assert len(window.page.runs.panels) == 8
    for size in ((1920, 1080), (1280, 800), (1024, 600)):
        window.resize(*size)
        settle(window)
        kinds = {
            tuple(kind for kind, chart in each_panel.kinds.items() if chart.isVisible())
            for each_panel in window.page.runs.panels.values()
        }
        assert len(kinds) == 1, size
        assert faults_of(window) == []


def test_all_text_has_the_size_that_keys_choose_also_after_a_start(
    qtbot: QtBot, start: Callable[..., MainWindow]
) -> None:
    window = start((1280, 800), Settings(theme="light"))
    usual = QApplication.font().pointSize()
    chart = panel(window, FCFS).gantt
    row = window.page.runs.axes[0].height()
    window.explore_dock.show()
    settle(window)
    title = _title_height(window.explore_dock)
    for _ in range(4):
        qtbot.keyClick(window, Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(window, Qt.Key.Key_Minus, Qt.KeyboardModifier.ControlModifier)
    settle(window)
    assert window.settings.text_size == usual + 3
    assert tick_font(chart.font()).pointSizeF() == pytest.approx(0.88 * (usual + 3))
    assert window.page.runs.axes[0].height() > row
    small = [part for part in window.findChildren(QWidget) if _points(part) < 0.87 * (usual + 3)]
    writing = (part for part in small if type(part) is not QWidget and not isinstance(part, QScrollBar))
    assert not [part for part in writing if part.isVisible()]
    assert _title_height(window.explore_dock) > title
    assert faults_of(window) == []
    window = start((1280, 800))
    assert QApplication.font().pointSize() == usual + 3
    qtbot.keyClick(window, Qt.Key.Key_0, Qt.KeyboardModifier.ControlModifier)
    settle(window)
    assert QApplication.font().pointSize() == usual
    assert load_settings().text_size in (0, usual + 3)  # it is written soon
    assert window.settings.text_size == 0
    assert window.page.runs.axes[0].height() == row


def test_the_text_of_pages_that_are_not_seen_grows_too(start: Callable[..., MainWindow]) -> None:
    window = start((1280, 800), Settings(theme="light", text_size=9))
    pages = ("users", "sweep", "search", "accounts")
    for name in (*pages, ALL):
        window.show_view(name)
        settle(window)
    for _ in range(5):
        window.menus.offered.actions["larger text"].trigger()
    for name in pages:
        window.show_view(name)
        settle(window)
        labels = [label for label in window.page.findChildren(QLabel) if label.isVisible() and label.text()]
        assert labels
        assert {_points(label) for label in labels if _points(label) < 0.87 * 14} == set(), name


def test_sliders_are_whole_where_the_text_grows(start: Callable[..., MainWindow]) -> None:
    window = start((1366, 768), Settings(theme="light", text_size=9))
    window.explore_dock.show()
    settle(window)
    assert faults_of(window) == []
    for _ in range(5):
        window.menus.offered.actions["larger text"].trigger()
    settle(window)
    assert QApplication.font().pointSize() == 14
    assert faults_of(window) == []
    window = start((1024, 600))
    assert window.explore_dock.isVisible()
    assert faults_of(window) == []
    window.selection.select_job(trace_of(window), large_jobs(window, FCFS)[0])
    window.menus.offered.actions["tab nodes"].trigger()
    settle(window)
    assert window.inspector_dock.isVisible()
    assert faults_of(window) == []
