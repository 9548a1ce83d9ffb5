"""What assistive programs are told: the accessibility tree of every page is walked."""

import gc
from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QTabBar, QWidget
from pytestqt.qtbot import QtBot

from app.panels.page_area import PageArea
from app.shell.chart_data import chart_of
from app.shell.window import MainWindow
from tests.app.shell.dialogs import DIALOGS
from tests.app.windows import open_dialog, settle
from views.catalog import NAMES
from views.difference.job_plot import JobPlot
from views.inspector.outcome_chart import OutcomeChart
from views.plotting.clock_plot import ClockPlot
from views.plotting.widget import PlotWidget
from views.timechart.chart import TimeChart
from views.widgets.tab_order import read_through

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


def text_of(interface: QAccessibleInterface, text: QAccessible.Text = QAccessible.Text.Name) -> str:
    return interface.text(text).strip()


def widget_of(interface: QAccessibleInterface) -> QWidget | None:
    found = interface.object()
    return found if isinstance(found, QWidget) else None


def chain_of(root: QWidget) -> list[QWidget]:
    """All widgets in the order of Tab, from the one that has the keys."""
    start = root.focusWidget() or root
    chain, part = [start], start.nextInFocusChain()
    while part is not start and len(chain) < 5000:
        chain.append(part)
        part = part.nextInFocusChain()
    return chain


def stops(root: QWidget) -> set[QWidget]:
    """What takes the keys by Tab."""
    parts = root.findChildren(QWidget)
    own = (part for part in parts if part.isVisible() and part.window() is root.window())
    return {widget for widget in own if widget.focusPolicy() & Qt.FocusPolicy.TabFocus}


def read_through_chain(root: QWidget) -> list[QWidget]:
    """The stops within a part in the order of Tab, from the first that is read."""
    read = list(read_through(root))
    chain = chain_of(root.window())
    first = chain.index(read[0]) if read else 0
    return [widget for widget in chain[first:] + chain[:first] if widget in set(read)]


def nameless(root: QWidget) -> list[str]:
    """What takes the keys by Tab and says nothing to assistive programs."""
    found = []
    for item in walk(interface_of(root)):
        widget = widget_of(item)
        if widget is None or isinstance(widget, QTabBar) or item.role() in NO_NAME_WANTED:
            continue
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isEnabled() and not text_of(item):
            found.append(f"{type(widget).__name__} in {type(widget.parentWidget()).__name__}")
    return found


def interface_of(root: QWidget) -> QAccessibleInterface:
    found = QAccessible.queryAccessibleInterface(root)
    assert found is not None
    return found


@pytest.mark.parametrize("view", NAMES)
def test_the_tree_of_every_page_has_names_and_summaries(
    qtbot: QtBot, module_window: MainWindow, view: str
) -> None:
    window = module_window
    window.resize(1280, 900)
    window.show_view(view)
    settle(window)
    seen = list(walk(interface_of(window)))
    assert len(seen) > 20
    assert not nameless(window)
    unreached = stops(window) - set(chain_of(window))
    assert not unreached
    for area in window.findChildren(PageArea):
        if area.isVisible():
            assert read_through_chain(area.page) == list(read_through(area.page))
    charts = [widget for widget in seen if isinstance(widget_of(widget), CHARTS)]
    unsaid = [text_of(chart) for chart in charts if not text_of(chart, QAccessible.Text.Description)]
    assert not unsaid
    assert all(text_of(chart) for chart in charts)


def test_the_walk_reaches_all_charts_of_runs(module_window: MainWindow) -> None:
    window = module_window
    window.show_view("all")
    settle(window)
    reached = {widget_of(widget) for widget in walk(interface_of(window))}
    shown = {chart for chart in window.page.runs.charts if chart.isVisible()}
    assert len(shown) >= 8
    assert shown <= reached


def test_tab_goes_from_the_buttons_of_runs_to_the_charts_and_then_to_the_pages(
    module_window: MainWindow,
) -> None:
    window = module_window
    window.show_view("all")
    settle(window)
    chain = chain_of(window)
    chain = chain[chain.index(window.menus.switch.buttons["all"]) :] + chain
    charts = [chart for panel in window.page.runs.panels.values() for chart in panel.charts]
    last = next(reversed(window.run_list.rows.values())).remove
    stages = [last, window.run_list.add, window.run_list.search, *charts, window.page.tabs.tabBar()]
    places = [chain.index(stage) for stage in stages]
    assert places == sorted(places)


@pytest.mark.parametrize("name", DIALOGS)
def test_a_dialog_has_names_and_is_read_through_by_tab(module_window: MainWindow, name: str) -> None:
    window = module_window
    DIALOGS[name](window)
    settle(window)
    dialog = open_dialog(window)
    wanted = stops(dialog)
    assert wanted <= set(chain_of(dialog))
    assert read_through_chain(dialog) == list(read_through(dialog))
    found = nameless(dialog)
    gc.collect()  # else an interface's address may be that of a widget which is made later
    assert not found
    dialog.reject()
    settle(window)


@pytest.mark.parametrize("view", NAMES)
def test_every_chart_has_its_data_as_a_table(module_window: MainWindow, view: str) -> None:
    window = module_window
    window.show_view(view)
    window.selection.select_user(0)
    settle(window)
    request = window.page.figure_request()
    assert request is not None
    charts = [
        each_kind for kind in CHARTS[:-1] for each_kind in window.findChildren(kind) if each_kind.isVisible()
    ]
    for chart in charts:
        assert chart.focusPolicy() & Qt.FocusPolicy.TabFocus
        found = chart_of(chart, window.models, window.page, request)
        assert found is not None, chart.accessibleName()
        lengths = {len(values) for _, values in found[2]()}
        assert len(lengths) == 1, chart.accessibleName()
    window.selection.clear()
