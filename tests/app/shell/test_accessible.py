"""What assistive programs are told: the accessibility tree of every page is walked."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QAbstractScrollArea, QTabBar, QWidget
from pytestqt.qtbot import QtBot

from app.shell.window import MainWindow
from tests.app.windows import settle
from views.catalog import NAMES
from views.difference.job_plot import JobPlot
from views.inspector.outcome_chart import OutcomeChart
from views.plotting.clock_plot import ClockPlot
from views.plotting.widget import PlotWidget
from views.timechart.chart import TimeChart

CHARTS = (TimeChart, PlotWidget, ClockPlot, JobPlot, OutcomeChart)

NO_NAME_WANTED = (
    QAccessible.Role.Client,  # plain holders
    QAccessible.Role.Pane,
    QAccessible.Role.Splitter,
    QAccessible.Role.ScrollBar,
    QAccessible.Role.Grip,
    QAccessible.Role.Separator,
    QAccessible.Role.Border,
    QAccessible.Role.LayeredPane,
    QAccessible.Role.ToolBar,
)


def walk(interface: QAccessibleInterface, depth: int = 0) -> Iterator[QAccessibleInterface]:
    """Everything below that is seen; tables are not entered, whose cells are texts."""
    assert depth < 40, "a circle in the tree"
    for place in range(interface.childCount()):
        child = interface.child(place)
        if child is None or not child.isValid() or child.state().invisible:
            continue
        yield child
        if child.role() not in (QAccessible.Role.Table, QAccessible.Role.List, QAccessible.Role.MenuItem):
            yield from walk(child, depth + 1)


def told(interface: QAccessibleInterface, text: QAccessible.Text = QAccessible.Text.Name) -> str:
    return interface.text(text).strip()


def widget_of(interface: QAccessibleInterface) -> QWidget | None:
    found = interface.object()
    return found if isinstance(found, QWidget) else None


@pytest.mark.parametrize("view", NAMES)
def test_the_tree_of_every_page_has_names_and_summaries(
    qtbot: QtBot, module_window: MainWindow, view: str
) -> None:
    window = module_window
    window.resize(1280, 900)
    window.show_view(view)
    settle(window)
    root = QAccessible.queryAccessibleInterface(window)
    assert root is not None
    seen = list(walk(root))
    assert len(seen) > 20
    nameless = []
    for one in seen:
        widget = widget_of(one)
        reached = widget is not None and widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isEnabled()
        if reached and not isinstance(widget, QTabBar) and not told(one) and one.role() not in NO_NAME_WANTED:
            nameless.append(f"{type(widget).__name__} in {type(widget.parentWidget()).__name__}")  # type: ignore[union-attr]
    assert not nameless
    charts = [one for one in seen if isinstance(widget_of(one), CHARTS)]
    unsaid = [told(one) for one in charts if not told(one, QAccessible.Text.Description)]
    assert not unsaid
    assert all(told(one) for one in charts)


def test_the_walk_reaches_all_charts_of_runs(module_window: MainWindow) -> None:
    window = module_window
    window.show_view("all")
    settle(window)
    root = QAccessible.queryAccessibleInterface(window)
    assert root is not None
    reached = {widget_of(one) for one in walk(root)}
    shown = {chart for chart in window.page.runs.charts if chart.isVisible()}
    assert len(shown) >= 8
    assert shown <= reached


def test_every_part_that_takes_keys_is_reached_by_tab(module_window: MainWindow) -> None:
    window = module_window
    window.show_view("all")
    settle(window)
    start = window.focusWidget() or window
    chain, part = [], start.nextInFocusChain()
    while part is not start and len(chain) < 5000:
        chain.append(part)
        part = part.nextInFocusChain()
    wanted = [
        one
        for one in window.findChildren(QWidget)
        if one.isVisible() and one.focusPolicy() & Qt.FocusPolicy.TabFocus and one.window() is window
    ]
    assert set(wanted) - {start} <= set(chain)
    assert any(isinstance(one, QAbstractScrollArea) for one in wanted)
