"""Menus of what lies under the mouse."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from app.shell.window import MainWindow
from tests.app.windows import (
    EASY,
    FCFS,
    box_of,
    large_jobs,
    open_tabs,
    panel,
    plot_of,
    row_of,
    schedule_of,
    seen,
    settle,
    show_tab,
    trace_of,
)
from views.data.selection import filter_of
from views.state.selection import Selection
from views.text.ticks import axis_of


@pytest.fixture
def window(restored_window: MainWindow) -> MainWindow:
    """One for all tests of this file."""
    return restored_window


def right_click(window: MainWindow, widget: QWidget, position: QPointF) -> QMenu:
    """The menu that a right click there opens."""
    spot = position.toPoint()
    reason = QContextMenuEvent.Reason.Mouse
    QApplication.sendEvent(widget, QContextMenuEvent(reason, spot, widget.mapToGlobal(spot)))
    return window.menus.context


def things(menu: QMenu) -> dict[str, QMenu]:
    """The submenus at the head of a menu, up to its first plain entry."""
    found = {}
    inner = {each_menu.menuAction(): each_menu for each_menu in menu.findChildren(QMenu)}
    for action in menu.actions():
        if action not in inner:
            break
        found[action.text()] = inner[action]
    return found


def choose(qtbot: QtBot, menu: QMenu, *names: str) -> None:
    """Choose an entry by keys, through submenus."""
    for name in names:
        action = next(a for a in menu.actions() if a.text().replace("&", "").startswith(name))
        inner = {each_menu.menuAction(): each_menu for each_menu in menu.findChildren(QMenu)}.get(action)
        menu.setActiveAction(action)
        if inner is None:
            qtbot.keyClick(menu, Qt.Key.Key_Return)
        else:
            qtbot.keyClick(menu, Qt.Key.Key_Right)
            qtbot.waitUntil(inner.isVisible)
            menu = inner


def test_a_right_click_on_a_chart_offers_what_fits(qtbot: QtBot, window: MainWindow) -> None:
    chart = window.page.runs.panels[2].gantt
    position = QPoint(chart.width() // 2, chart.height() // 2)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, position, chart.mapToGlobal(position))
    QApplication.sendEvent(chart, event)
    context = window.menus.context
    qtbot.waitUntil(context.isVisible)
    offered = [action.text().replace("&", "") for action in context.actions()]
    assert {"Fit all", "Back", "Gantt colours", "Export chart", "Filter by the selection"} <= set(offered)
    words = [action.text() for action in context.actions() if action.text() and action.isVisible()]
    assert len(set(words)) == len(words) < 21  # each thing once, and few enough to be read
    window.clock.zoom(0.5)
    context.setActiveAction(next(action for action in context.actions() if action.text() == "&Fit all"))
    qtbot.keyClick(context, Qt.Key.Key_Return)
    assert window.clock.window == window.clock.bounds
    qtbot.waitUntil(lambda: not context.isVisible())


def test_users_of_the_heatmaps_can_stand_in_another_order(qtbot: QtBot, window: MainWindow) -> None:
    heatmap = window.page.runs.panels[1].heatmap
    before = heatmap.grab().toImage()
    context = right_click(window, heatmap, QPointF(heatmap.rect().center()))
    menu = next(action for action in context.actions() if action.text() == "&Heatmaps").menu()
    next(action for action in menu.actions() if action.text() == "By name").trigger()
    window.wait_until_drawn(20)
    assert heatmap.grab().toImage() != before
    assert window.settings.view.heatmaps.order == "name"


def test_a_right_click_on_a_job_offers_what_can_be_done_with_it_its_user_queue_and_node(
    qtbot: QtBot, window: MainWindow
) -> None:
    trace, gantt = trace_of(window), panel(window, FCFS).gantt
    job = large_jobs(window, FCFS)[0]
    user, queue = (int(names.codes[job]) for names in (trace.user, trace.queue))
    user_name, queue_name, number = trace.user.names[user], trace.queue.names[queue], trace.job_id[job]
    menu = right_click(window, gantt, box_of(window, FCFS, job).center())
    titles = list(things(menu))
    assert titles[:3] == [f"Job {number}", f"User {user_name}", f"Queue {queue_name}"]
    (node,) = titles[3:]
    assert node in ("Node big 0", "Node big 1", "Node small 0", "Node small 1")
    assert window.selection.value.empty  # what lies there is known without being selected
    choose(qtbot, menu, f"User {user_name}", "Select")
    assert window.selection.value == Selection(users=frozenset({user}))
    menu = right_click(window, gantt, box_of(window, FCFS, job).center())
    assert list(things(menu)) == titles
    choose(qtbot, menu, f"Queue {queue_name}", "Filter to it")
    assert str(window.filter.value.expression) == f"queue = {queue_name}"
    window.filter.clear()
    settle(window)
    choose(qtbot, right_click(window, gantt, box_of(window, FCFS, job).center()), node, "Select")
    chosen = window.selection.value.jobs
    assert job in chosen
    assert 0 < len(chosen) < len(trace)
    choose(qtbot, right_click(window, gantt, box_of(window, FCFS, job).center()), f"Job {number}", "Copy")
    assert QGuiApplication.clipboard().text() == str(number)


def test_hiding_what_is_under_the_mouse_adds_to_the_filter(qtbot: QtBot, window: MainWindow) -> None:
    trace, gantt = trace_of(window), panel(window, FCFS).gantt
    job = large_jobs(window, FCFS)[0]
    number, user = trace.job_id[job], trace.user.names[trace.user.codes[job]]
    choose(qtbot, right_click(window, gantt, box_of(window, FCFS, job).center()), f"Job {number}", "Hide")
    settle(window)
    assert window.filter.value.hides
    assert str(window.filter.value.expression) == f"not job = {number}"
    heatmap = panel(window, FCFS).heatmap
    choose(qtbot, right_click(window, heatmap, row_of(heatmap, user)), f"User {user}", "Hide")
    settle(window)
    assert str(window.filter.value.expression) == f"not job = {number} and not user = {user}"
    assert gantt.tooltip_at(box_of(window, FCFS, job).center()) == ""


def test_a_job_is_found_in_other_runs(qtbot: QtBot, window: MainWindow) -> None:
    trace, here, there = trace_of(window), schedule_of(window, FCFS), schedule_of(window, EASY)
    job = next(j for j in large_jobs(window, FCFS) if there.start[j] != here.start[j])
    window.clock.set_window(here.start[job] - 600.0, here.end[job] + 600.0)
    settle(window)
    menu = right_click(window, panel(window, FCFS).gantt, box_of(window, FCFS, job).center())
    of_job = things(menu)[f"Job {trace.job_id[job]}"]
    runs = next(each_menu for each_menu in of_job.findChildren(QMenu) if "runs" in each_menu.title())
    lines = [action.text() for action in runs.actions() if not action.isSeparator()]
    assert len(lines) == 4  # three others and all
    spelled = axis_of(trace).format(float(there.start[job]))
    assert any(
        line.startswith(f"easy: {spelled}") and ("later" in line or "earlier" in line) for line in lines
    )
    choose(qtbot, menu, f"Job {trace.job_id[job]}", "Find in other runs", "easy:")
    assert window.selection.value.jobs == {job}
    assert window.clock.start < trace.submit[job]
    assert window.clock.end > there.end[job]
    menu = right_click(window, panel(window, EASY).gantt, box_of(window, EASY, job).center())
    choose(qtbot, menu, f"Job {trace.job_id[job]}", "Find in other runs", "In all")
    ends = [schedule_of(window, run).end[job] for run in window.page.runs.panels]
    assert window.clock.end > max(ends)


def test_the_names_beside_rows_are_what_they_name(qtbot: QtBot, window: MainWindow) -> None:
    trace, gantt = trace_of(window), panel(window, FCFS).gantt
    window.view.choose(rows="users")
    settle(window)
    plot = plot_of(gantt)
    menu = right_click(window, gantt, QPointF(plot.left() - 20, plot.top() + 3))
    area = np.bincount(trace.user.codes, (trace.procs * trace.runtime).astype(float))
    assert list(things(menu)) == [f"User {trace.user.names[area.argmax()]}"]
    inspect = next(action for action in menu.actions() if "instant" in action.text())
    assert not inspect.isEnabled()  # no time lies beside the plot
    menu.close()


def test_the_key_of_menus_means_what_is_selected(qtbot: QtBot, window: MainWindow) -> None:
    trace, gantt = trace_of(window), panel(window, FCFS).gantt
    job = large_jobs(window, FCFS)[0]
    window.selection.select_job(trace, job)
    spot = gantt.rect().center()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, spot, gantt.mapToGlobal(spot))
    QApplication.sendEvent(gantt, event)
    user = trace.user.names[trace.user.codes[job]]
    assert list(things(window.menus.context)) == [f"Job {trace.job_id[job]}", f"User {user}"]
    window.menus.context.close()


@pytest.mark.parametrize(("tab", "kind"), [("Jobs", "Job"), ("Users", "User"), ("Queues", "Queue")])
def test_a_row_of_a_table_offers_the_same(qtbot: QtBot, window: MainWindow, tab: str, kind: str) -> None:
    open_tabs(window)
    table = show_tab(qtbot, window, tab)
    view = table.view
    table.view.customContextMenuRequested.emit(QPoint(20, view.rowViewportPosition(1) + 3))
    menu = next(m for m in window.findChildren(QMenu) if m.title() == "Rows" and m.isVisible())
    item = int(table.model.rows[1])
    (first, *others) = things(menu)
    assert first == f"{kind} {table.model.content.name(item)}"
    assert len(others) == (2 if kind == "Job" else 0)
    choose(qtbot, menu, first, "Filter to it")
    picked = Selection(**{f"{kind.lower()}s": frozenset({item})})
    assert window.filter.value.expression == filter_of(picked, trace_of(window))


def test_a_chart_is_copied_as_a_picture_that_stands_alone(qtbot: QtBot, window: MainWindow) -> None:
    gantt = panel(window, FCFS).gantt
    plot = plot_of(gantt)
    choose(qtbot, right_click(window, gantt, QPointF(plot.center())), "Copy as a picture")
    image = QGuiApplication.clipboard().image()
    assert image.width() == 2 * gantt.width()
    assert image.height() > 2 * gantt.height()  # the time axis, which stands below the column, is its own
    ink = seen(gantt).shape[0] * 2
    below = image.copy(0, ink, image.width(), image.height() - ink)
    colours = {below.pixel(x, y) for x in range(below.width()) for y in range(below.height())}
    assert len(colours) > 3
