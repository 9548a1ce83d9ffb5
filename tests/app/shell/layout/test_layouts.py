"""Layouts are saved by name, restored, deleted, and outlive the program."""

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QDockWidget, QInputDialog, QMenu
from pytestqt.qtbot import QtBot

from app.model.settings import load_settings
from app.shell.window import MainWindow
from tests.app.session.sessions import answer
from tests.app.windows import settle


def layouts(window: MainWindow) -> QMenu:
    menu = next(m for m in window.menuBar().findChildren(QMenu) if m.title() == "&Layouts")
    menu.aboutToShow.emit()
    return menu


def choose(window: MainWindow, text: str, menu: QMenu | None = None) -> None:
    next(a for a in (menu or layouts(window)).actions() if a.text() == text).trigger()


def save(window: MainWindow, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QInputDialog, "getItem", lambda *_: (name, True))
    choose(window, "&Save this layout…")


def dock_sizes(window: MainWindow) -> list[int]:
    return [dock.width() for dock in window.findChildren(QDockWidget)]


def kept() -> set[str]:
    return set(load_settings().layouts)


def test_a_layout_is_saved_and_restored(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = window.page
    window.view.choose(columns=1)
    window.view.choose(charts=replace(window.view.options.charts, heatmap=False))
    page.tabs.setCurrentIndex(2)
    window.view.choose(tabs_open=True)
    page.splitter.setSizes([200, 500])
    window.runs_dock.hide()
    settle(window)
    heights = page.splitter.sizes()
    save(window, "Reports & talks", monkeypatch)
    qtbot.waitUntil(lambda: kept() == {"Reports & talks"})

    choose(window, "&Default layout")
    settle(window)
    assert window.runs_dock.isVisible()
    assert window.view.options.columns == 0
    assert not page.tabs.is_open
    assert window.view.options.charts.heatmap
    window.view.choose(tabs_open=True)
    page.splitter.setSizes([500, 200])
    window.view.choose(gains_over=3, timeline_hidden=(1,))

    choose(window, "Reports && talks")
    window.messages.clear()
    settle(window)
    assert not window.runs_dock.isVisible()
    assert window.view.options.columns == 1
    assert (window.view.options.gains_over, window.view.options.timeline_hidden) == (3, (1,))  # of this study
    assert not window.view.options.charts.heatmap
    assert page.tabs.currentIndex() == 2
    assert page.splitter.sizes() == pytest.approx(heights, abs=30)


def test_a_floating_dock_comes_back_floating_at_its_place(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.view.choose(inspector_at="side")
    window.selection.select_instant(0.0)
    dock = window.inspector_dock
    dock.setFloating(True)
    dock.setGeometry(60, 80, 320, 400)
    settle(window)
    before = dock.geometry()
    save(window, "loose", monkeypatch)
    choose(window, "&Default layout")
    settle(window)
    assert not dock.isFloating()
    choose(window, "loose")
    settle(window)
    assert dock.isFloating()
    assert dock.isVisible()
    assert dock.geometry() == before
    window.settings.layouts["away"] = {
        "docks": {"Selected": {"floating": [90_000, -(10**12), 5, 9_000]}},
        "options": {"inspector_at": "side"},
    }
    choose(window, "away")  # of a screen that is gone
    settle(window)
    room = window.screen().availableGeometry().adjusted(-4, -4, 4, 4)  # a frame may push it a little
    assert room.contains(dock.geometry())


def test_a_deleted_layout_can_be_had_back(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(window, "mine", monkeypatch)
    qtbot.waitUntil(lambda: kept() == {"mine"})
    choose(window, "mine", layouts(window).findChildren(QMenu)[-1])
    qtbot.waitUntil(lambda: kept() == set())
    answer(qtbot, window, "Undo")
    qtbot.waitUntil(lambda: kept() == {"mine"})


def test_a_broken_layout_does_no_harm(window: MainWindow) -> None:
    window.settings.layouts["odd"] = {
        "docks": {"Runs": {"size": 10**12}},
        "divided": [-5],
        "options": {"columns": 99},
    }
    choose(window, "odd")
    settle(window)
    window.settings.layouts["odd"] = "no layout"
    choose(window, "odd")
    settle(window)
    assert window.page.isVisible()
