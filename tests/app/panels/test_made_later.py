"""Widgets that are made when they are first needed, and the pages of a window that are."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.panels.made_later import MadeLater, WidgetsByName
from app.panels.page_area import PageArea
from app.shell.window import MainWindow
from tests.app.windows import settle


def test_it_is_made_once_and_connected_when_it_is(qtbot: QtBot) -> None:
    made: list[QLabel] = []

    def make() -> QLabel:
        made.append(QLabel("late"))
        qtbot.addWidget(made[-1])
        return made[-1]

    later = MadeLater(make)
    heard: list[QLabel] = []
    later.when_made(heard.append)
    assert (made, heard, later.made) == ([], [], None)
    label = later()
    assert later() is label is later.made
    later.when_made(heard.append)
    assert (made, heard) == ([label], [label, label])


def test_names_are_known_before_widgets_are_made(qtbot: QtBot) -> None:
    widgets = WidgetsByName({name: MadeLater(QLabel) for name in ("first", "second")})
    assert (list(widgets), len(widgets), widgets.made) == (["first", "second"], 2, {})
    qtbot.addWidget(widgets["second"])
    assert widgets.made == {"second": widgets["second"]}


def test_an_area_takes_its_page_when_it_is_shown(qtbot: QtBot) -> None:
    later: MadeLater[QWidget] = MadeLater(lambda: QLabel("late", area))
    area = PageArea(later)
    qtbot.addWidget(area)
    assert later.made is None
    page = later()
    assert area.widget() is None
    with qtbot.waitExposed(area):
        area.show()
    assert page.isVisible()
    assert area.isAncestorOf(page)


def test_pages_of_a_window_are_made_when_they_are_turned_to(
    make_window: Callable[..., MainWindow], site: Path
) -> None:
    """The page of two runs shows runs that were compared before it was made."""
    window = make_window()
    window.open_path(site)
    settle(window)
    made = window.page.views.made
    assert not {"difference", "search", "study", "sweep", "now", "twin", "change"} & set(made)
    assert {"boxplots", "jobs"} <= set(made)
    window.show_view("difference")
    settle(window)
    page = window.page.views.made["difference"]
    assert page.isVisible()
    runs = window.workbench.study.runs
    assert page.run_ids == (runs[-2].id, runs[-1].id)  # type: ignore[attr-defined]
