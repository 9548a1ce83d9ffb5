"""The window measured: whatever its size, text and number of runs, nothing is cut, and Esc leaves every page.

Sizes, texts and runs are tried in pairs, and not each with each.
"""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QPoint, QRect, Qt
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QApplication,
    QDockWidget,
    QLabel,
    QPushButton,
    QTabBar,
    QToolButton,
    QWidget,
)

from app.panels.page_area import PageArea
from app.shell.window import MainWindow
from engine.policy.policy import parse_policy
from tests.app.windows import settle
from views.catalog import ALL, NAMES
from views.widgets.choosers import Choosers
from views.widgets.elided_box import ElidedBox
from views.widgets.elided_label import ElidedLabel

LEAST = 25
"""Letters of the least width of charts beside panels."""

_SWATCH = 30
"""Pixels of the colour before the name of a run, and around it."""

POLICIES = ("easy:backfill=sjf", "saf-easy", "aggressive", "just")

PAIRS = (
    ((960, 540), 14, 4),
    ((1280, 800), 9, 8),
    ((1366, 768), 14, 1),
    ((1920, 1080), 20, 5),
)
"""Width and height, points of the text, and runs. 960 x 540 is 1920 x 1080 at scale 2."""


@pytest.fixture(scope="module")
def texts(qapp: QApplication) -> Iterator[None]:
    """The font of the program is put back."""
    before = QApplication.font()
    yield
    QApplication.setFont(before)


def set_up(window: MainWindow, size: tuple[int, int], points: int, runs: int) -> None:
    # Sizes of windows and letters together decide what fits.
    font = QFont(QApplication.font())
    font.setPointSize(points)
    QApplication.setFont(font)
    study = window.workbench.study
    # Runs are removed or added until there are so many.
    for run in list(study.runs)[runs:]:
        window.workbench.remove_run(run.id)
    for policy in POLICIES[: max(runs - len(window.workbench.study.runs), 0)]:
        window.workbench.add_run(parse_policy(policy))
    rest = runs - len(window.workbench.study.runs)
    for bf in range(rest):
        window.workbench.add_run(parse_policy(f"metric:bf=0.{bf + 1}"))
    window.messages.clear()
    window.explore_dock.hide()
    window.resize(*size)
    settle(window)
    assert len(window.workbench.study.runs) == runs


def scrolled(part: QWidget, window: QWidget) -> bool:
    """True if it is in something that scrolls, where it may lie outside."""
    above = part.parentWidget()
    while above is not None and above is not window:
        if isinstance(above, QAbstractScrollArea):
            return True
        above = above.parentWidget()
    return False


def elided_titles(window: MainWindow) -> list[str]:
    """Names of runs that are shown shortened over their charts."""
    font = QFont(window.font())
    font.setBold(True)
    study = window.workbench.study
    wide = {study.name(run): QFontMetrics(font).horizontalAdvance(study.name(run)) for run in study.runs}
    charts = (panel.gantt for panel in window.page.runs.panels.values())
    return [chart.title for chart in charts if wide[chart.title] + _SWATCH > chart.width()]


def behind(part: QWidget, window: MainWindow) -> bool:
    """True if it is in a dock behind another one, of which the tab is seen: Qt places it far outside."""
    docks = (dock for dock in window.findChildren(QDockWidget) if window.tabifiedDockWidgets(dock))
    return any(part is dock or dock.isAncestorOf(part) for dock in docks if dock.visibleRegion().isEmpty())


def cut_tabs(window: MainWindow) -> list[str]:
    """Tabs that do not lie in their bar completely."""
    bars = [bar for bar in window.findChildren(QTabBar) if bar.isVisible() and bar.window() is window]
    return [
        f"tab {bar.tabText(index)!r} ends at {bar.tabRect(index).right()} of {bar.width()}"
        for bar in bars
        for index in range(bar.count())
        if bar.isTabVisible(index) and bar.tabRect(index).right() > bar.width()
    ]


def outside(window: MainWindow) -> list[str]:
    """Visible parts that reach out of the window, or out of what holds them."""
    found = []
    for part in window.findChildren(QWidget):
        if not part.isVisible() or part.window() is not window or part.size().isEmpty():
            continue
        place = QRect(part.mapTo(window, QPoint()), part.size())
        # The few that reach out are asked why last, since the answer takes long.
        if not window.rect().contains(place) and not scrolled(part, window) and not behind(part, window):
            found.append(f"{type(part).__name__} {part.accessibleName()} at {place.getRect()}")
    return found


def cut(window: MainWindow) -> list[str]:
    """Buttons and labels whose words do not fit."""
    found = []
    # Only what is seen in this window: popups and hidden pages have their own tests.
    for part in window.findChildren(QAbstractButton):
        if part.isVisible() and part.window() is window and isinstance(part, QPushButton | QToolButton):
            wide = QFontMetrics(part.font()).horizontalAdvance(part.text().replace("&", ""))
            if wide > part.width():
                found.append(f"button {part.text()!r}: {wide} in {part.width()}")
    for label in window.findChildren(QLabel):
        if not label.isVisible() or label.window() is not window or isinstance(label, ElidedLabel):
            continue
        # Labels that wrap, scroll, elide or hold pictures have ways of their own to fit.
        plain = label.textFormat() == Qt.TextFormat.PlainText and label.pixmap().isNull()
        if plain and not label.wordWrap() and label.text() and not scrolled(label, window):
            wide = max(
                QFontMetrics(label.font()).horizontalAdvance(line) for line in label.text().split("\n")
            )
            if wide > label.width() + 2 and label.minimumWidth() != 1:
                found.append(f"label {label.text()!r}: {wide} in {label.width()}")
    for row in window.findChildren(Choosers):
        boxes = [box for box in row.boxes.values() if isinstance(box, ElidedBox) and box.isVisible()]
        found += [f"box {box.currentText()!r}" for box in boxes if box.shown_text != box.currentText()]
    return found


def sideways(window: MainWindow) -> list[str]:
    """Pages that are to be scrolled from side to side."""
    areas = (area for area in window.findChildren(PageArea) if area.isVisible())
    past = ((area, area.horizontalScrollBar().maximum()) for area in areas)
    return [f"{type(area.page).__name__} is {wide} pixels too wide" for area, wide in past if wide]


def elided_with_room(window: MainWindow) -> list[str]:
    """Labels that leave words away although there is as much free room beside them."""
    found = []
    for label in window.findChildren(ElidedLabel):
        if label.isVisible() and label.window() is window and label.wanted > label.width() + 1:
            row = label.parentWidget()
            assert row is not None
            # What the others in the row take; a little more has to be free for the label to be wrong.
            taken = sum(
                widget.width()
                for widget in row.findChildren(QWidget)
                if widget.isVisible() and widget is not label
            )
            if row.width() - taken > label.wanted + 60:
                found.append(
                    f"{label.text()!r}: {label.width()} of {label.wanted}, {row.width()} beside {taken}"
                )
    return found


@pytest.mark.parametrize(("size", "points", "runs"), PAIRS, ids=lambda text: str(text).replace(", ", "x"))
def test_nothing_is_cut_and_every_page_is_left(
    module_window: MainWindow, texts: None, size: tuple[int, int], points: int, runs: int
) -> None:
    window = module_window
    window.view.choose(view=ALL, tabs_open=False)
    set_up(window, size, points, runs)
    faults: dict[str, list[str]] = {}
    for view in NAMES:
        window.show_view(view)
        window.selection.select_user(0)  # so that the inspector stands beside it
        settle(window)
        assert window.width() <= size[0], view
        assert window.height() <= size[1], view
        found = [*outside(window), *cut(window), *cut_tabs(window), *sideways(window)]
        found += elided_with_room(window)
        if found:
            faults[view] = found
        if view != ALL:
            window.setFocus()
            for _ in range(3):  # messages and a selection go first
                if window.view.options.view != ALL:
                    QApplication.sendEvent(window, escape())
            assert window.view.options.view == ALL, view
    assert not faults, faults


@pytest.mark.parametrize(("size", "points", "runs"), PAIRS, ids=lambda text: str(text).replace(", ", "x"))
def test_charts_keep_room_beside_both_panels(
    module_window: MainWindow, texts: None, size: tuple[int, int], points: int, runs: int
) -> None:
    window = module_window
    window.view.choose(view=ALL, tabs_open=False)
    set_up(window, size, points, runs)
    window.selection.select_user(0)
    settle(window)
    window.explore_dock.show()
    window.explore.choose(window.workbench.study.runs[-1].id)
    settle(window)
    assert window.width() <= size[0]
    assert window.page.width() >= LEAST * window.fontMetrics().averageCharWidth()
    assert not elided_titles(window)
    assert not [*outside(window), *cut(window), *cut_tabs(window)]
    assert not window.explore.visibleRegion().isEmpty()  # what was opened last is in front
    window.selection.select_user(1)
    settle(window)
    assert not window.inspector.visibleRegion().isEmpty()
    window.selection.clear()
    settle(window)
    assert not window.inspector.isVisible()
    assert not window.explore.visibleRegion().isEmpty()
    window.explore_dock.hide()


def test_a_panel_returns_to_its_side_where_there_is_room(module_window: MainWindow, texts: None) -> None:
    window = module_window
    set_up(window, (960, 540), 14, 1)
    window.view.choose(inspector_at="side")
    window.selection.select_user(0)
    window.explore_dock.show()
    settle(window)
    assert window.tabifiedDockWidgets(window.explore_dock) == [window.inspector_dock]
    assert window.layouts.layout().docks["Selected"].area == "right"
    window.resize(1920, 1080)
    settle(window)
    assert not window.tabifiedDockWidgets(window.explore_dock)
    assert window.dockWidgetArea(window.inspector_dock) == Qt.DockWidgetArea.RightDockWidgetArea
    assert window.explore.isVisible()
    assert window.inspector.isVisible()
    window.selection.clear()
    window.explore_dock.hide()
    window.view.choose(inspector_at="over")


def escape() -> QKeyEvent:
    return QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier)
