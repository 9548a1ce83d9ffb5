"""The tour of the window: six steps, skipped or walked, begun by itself once."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.panels.help_contents import topics
from app.panels.help_topics import OF_VIEWS, topic_of
from app.panels.tour import Tour
from app.shell.window import MainWindow
from tests.app.windows import FCFS, click, panel, settle
from views.catalog import VIEWS


def tours(window: MainWindow) -> list[Tour]:
    return [tour for tour in window.findChildren(Tour) if tour.isVisible()]


def test_six_steps_lie_beside_their_parts_within_the_window(qtbot: QtBot, module_window: MainWindow) -> None:
    window = module_window
    assert len(window.touring.steps) == 6
    for size in ((1280, 800), (960, 540)):
        window.resize(*size)
        settle(window)
        tour = window.touring.start()
        titles = []
        for step in range(6):
            QApplication.processEvents()
            titles.append(tour.title.text())
            assert window.rect().contains(tour.geometry()), (size, step)
            assert tour.text.height() >= tour.text.heightForWidth(tour.text.width())
            click(qtbot, tour.next)
        assert len(set(titles)) == 6
        assert not tours(window)


def test_step_four_points_at_what_is_there(qtbot: QtBot, module_window: MainWindow) -> None:
    window = module_window
    window.selection.clear()
    settle(window)
    tour = window.touring.start()
    tour.show_step(3)
    assert tour.steps[3].part() is panel(window, FCFS).gantt
    assert tour._frame.isVisible()
    window.selection.select_user(0)
    settle(window)
    assert tour.steps[3].part() is window.inspector_dock
    assert window.inspector_dock.isVisible()
    window.selection.clear()
    click(qtbot, tour.skip)


def test_the_tour_is_skipped_by_esc_and_back_goes_back(qtbot: QtBot, module_window: MainWindow) -> None:
    window = module_window
    window.settings.toured = False
    tour = window.touring.start()
    click(qtbot, tour.next)
    click(qtbot, tour.back)
    assert tour.step == 0
    tour.next.setFocus()
    qtbot.keyClick(tour.next, Qt.Key.Key_Return)
    assert tour.step == 1
    tour.back.setFocus()
    qtbot.keyClick(tour.back, Qt.Key.Key_Enter)
    assert tour.step == 0
    qtbot.keyClick(tour, Qt.Key.Key_Escape)
    assert not tours(window)
    assert window.settings.toured


def test_the_tour_begins_by_itself_once(qtbot: QtBot, module_window: MainWindow, site: Path) -> None:
    window = module_window
    for toured in (False, True):
        assert window.settings.toured == toured or not toured
        window.settings.toured = toured
        window.touring.offer()
        window.open_path(site)
        settle(window)
        assert len(tours(window)) == (0 if toured else 1)
        for tour in tours(window):
            click(qtbot, tour.skip)
        assert window.settings.toured


def test_every_view_has_a_topic_that_the_help_has() -> None:
    known = {topic.title for topic in topics()}
    assert set(OF_VIEWS) == {spec.name for spec in VIEWS}
    assert set(OF_VIEWS.values()) <= known


@pytest.mark.parametrize(
    ("part", "topic"),
    [
        (lambda window: panel(window, FCFS).heatmap, "4. Find out why a job waited"),
        (lambda window: window.page.views["difference"], "2. Compare two runs"),
        (lambda window: window.explore.fields["bf"].children()[-1], "bf"),
        (lambda window: window.page.filter_bar.line, "In the window"),
        (lambda window: window, ""),
    ],
)
def test_f1_explains_what_it_is_pressed_on(module_window: MainWindow, part: object, topic: str) -> None:
    assert callable(part)
    assert topic_of(part(module_window), module_window.page.views) == topic
    known = {each_topic.title for each_topic in topics()}
    assert topic in known or not topic
