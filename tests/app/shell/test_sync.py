"""One selection: what is picked in one view is seen in all."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QTextBrowser
from pytestqt.qtbot import QtBot

from app.shell.window import MainWindow
from tests.app.windows import (
    EASY,
    FAIR_EASY,
    FAIR_FCFS,
    FCFS,
    box_of,
    click,
    colour_of,
    inspected,
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
from views.state.selection import Selection
from views.text.values import duration

RUNS = (FCFS, FAIR_FCFS, EASY, FAIR_EASY)


@pytest.fixture
def window(same_window: MainWindow) -> MainWindow:
    """One for all tests of this file."""
    return same_window


def test_a_click_on_a_row_of_one_heatmap_is_seen_in_every_view_until_escape(
    qtbot: QtBot, window: MainWindow
) -> None:
    """The point of the window: from a red line to the user, in all runs at once."""
    window.selection.select_instant(-1e9)  # the inspector is there before and after
    users = show_tab(qtbot, window, "Users")
    panel(window, FCFS).heatmap.setFocus()
    mine = {run: large_jobs(window, run, "3")[:3] for run in RUNS}
    others = {
        run: [job for job in large_jobs(window, run) if job not in large_jobs(window, run, "3")][:3]
        for run in RUNS
    }

    def look() -> dict[str, Any]:
        settle(window)
        found: dict[str, Any] = {"users": seen(users)}
        found["boxplots"] = seen(show_tab(qtbot, window, "Distributions"))
        show_tab(qtbot, window, "Users")
        panel(window, FCFS).heatmap.setFocus()
        for run in RUNS:
            found[f"gantt {run}"] = seen(panel(window, run).gantt)
            found[f"heatmap {run}"] = seen(panel(window, run).heatmap)
        found["colours"] = {run: [colour_of(window, run, job) for job in mine[run]] for run in RUNS}
        found["others"] = {run: [colour_of(window, run, job) for job in others[run]] for run in RUNS}
        found["inspector"] = inspected(window)
        return found

    before = look()
    heatmap = panel(window, FCFS).heatmap
    click(qtbot, heatmap, row_of(heatmap, "3"))
    after = look()
    assert after["colours"] == before["colours"]  # the user's own jobs stand out
    for run in RUNS:
        assert all(new != old for new, old in zip(after["others"][run], before["others"][run], strict=True))
        assert (after[f"gantt {run}"] != before[f"gantt {run}"]).mean() > 0.1
        assert (after[f"heatmap {run}"] != before[f"heatmap {run}"]).mean() > 0.02
    for view in ("users", "boxplots"):
        assert (after[view] != before[view]).sum() > 100, view
    assert window.page.views["boxplots"].marked.text() == "◆ user 3"
    assert after["inspector"].startswith("User 3")
    assert not before["inspector"].startswith("User")

    qtbot.keyClick(heatmap, Qt.Key.Key_Escape)
    assert window.selection.value.empty
    assert not window.inspector_dock.isVisible()
    window.selection.select_instant(-1e9)
    cleared = look()
    for view, pixels in before.items():
        assert np.array_equal(cleared[view], pixels), view


def test_a_click_on_a_job_shows_its_facts_and_its_wait_under_each_run(
    qtbot: QtBot, window: MainWindow
) -> None:
    trace = trace_of(window)
    job = large_jobs(window, EASY)[0]
    click(qtbot, panel(window, EASY).gantt, box_of(window, EASY, job).center())
    assert window.selection.value.jobs == {job}
    text = inspected(window)
    user, queue = trace.user.names[trace.user.codes[job]], trace.queue.names[trace.queue.codes[job]]
    assert text.startswith(f"Job {trace.job_id[job]}")
    for fact in (user, queue, duration(int(trace.runtime[job])), duration(int(trace.walltime[job]))):
        assert fact in text
    for run in RUNS:
        assert duration(int(schedule_of(window, run).wait[job])) in text


def test_the_picked_job_keeps_its_colour_in_all_runs_and_its_user_s_others_stand_back(
    qtbot: QtBot, window: MainWindow
) -> None:
    job, other = large_jobs(window, EASY, "3")[:2]
    before = colour_of(window, FCFS, other)
    click(qtbot, panel(window, EASY).gantt, box_of(window, EASY, job).center())
    settle(window)
    assert colour_of(window, FCFS, other) != before
    assert window.selection.value.users == {int(trace_of(window).user.codes[job])}


def test_ctrl_clicks_pick_several_jobs(qtbot: QtBot, window: MainWindow) -> None:
    chosen = large_jobs(window, EASY)[:2]
    gantt = panel(window, EASY).gantt
    for job in chosen:
        spot = box_of(window, EASY, job).center().toPoint()
        qtbot.mouseClick(gantt, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier, spot)
    assert window.selection.value.jobs == set(chosen)
    assert "2 jobs" in inspected(window)


def test_a_click_where_no_job_is_picks_nothing(qtbot: QtBot, window: MainWindow) -> None:
    gantt = panel(window, EASY).gantt
    job = large_jobs(window, EASY)[0]
    click(qtbot, gantt, box_of(window, EASY, job).center())
    assert not window.selection.value.empty
    click(
        qtbot, gantt, QPointF(plot_of(gantt).right() - 2, plot_of(gantt).bottom() - 1)
    )  # after the last end
    assert window.selection.value.empty


def test_a_click_on_a_row_of_the_users_table_picks_its_user(qtbot: QtBot, window: MainWindow) -> None:
    window.selection.select_instant(-1e9)  # the inspector is there before and after
    show_tab(qtbot, window, "Users")
    view = window.page.views["users"].view
    before = seen(panel(window, EASY).gantt)
    click(qtbot, view.viewport(), view.visualRect(view.model().index(3, 0)).center())
    settle(window)
    name = view.model().headerData(3, Qt.Orientation.Vertical)
    (picked,) = window.selection.value.users
    assert trace_of(window).user.names[picked] == name
    assert inspected(window).startswith(f"User {name}")
    assert (seen(panel(window, EASY).gantt) != before).mean() > 0.1


def test_escape_clears_the_selection_wherever_the_focus_is(qtbot: QtBot, window: MainWindow) -> None:
    show_tab(qtbot, window, "Users")
    view = window.page.views["users"].view
    click(qtbot, view.viewport(), view.visualRect(view.model().index(3, 0)).center())
    assert not window.selection.value.empty
    assert view.hasFocus()
    qtbot.keyClick(view, Qt.Key.Key_Escape)
    assert window.selection.value.empty
    assert not view.selectionModel().hasSelection()


def test_a_click_on_a_dot_of_a_box_plot_picks_its_user(qtbot: QtBot, window: MainWindow) -> None:
    open_tabs(window)
    chart = next(chart for chart in window.page.views["boxplots"].charts if len(chart.plot.dots.x))
    dots = chart.plot.dots
    click(qtbot, chart, chart.area.spot(float(dots.x[0]), float(dots.y[0])))
    assert window.selection.value.users == {int(dots.unit[0])}
    name = trace_of(window).user.names[dots.unit[0]]
    assert inspected(window).startswith(f"User {name}")


def test_earlier_selections_come_back(qtbot: QtBot, window: MainWindow) -> None:
    heatmap = panel(window, EASY).heatmap
    click(qtbot, heatmap, row_of(heatmap, "3"))
    first = window.selection.value
    click(qtbot, heatmap, row_of(heatmap, "5"))
    qtbot.keyClick(heatmap, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert window.selection.value == first
    qtbot.keyClick(heatmap, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    assert inspected(window).startswith("User 5")


def test_links_in_the_inspector_lead_to_times_and_users(qtbot: QtBot, window: MainWindow) -> None:
    gantt, browser = panel(window, EASY).gantt, window.inspector.browser
    click(qtbot, gantt, box_of(window, EASY, large_jobs(window, EASY)[0]).center())
    settle(window)

    position, link = next(iter(links(browser, "time:")))
    click(qtbot, browser.viewport(), position)
    assert window.clock.span == pytest.approx(86_400)
    assert window.clock.start < float(link.removeprefix("time:")) < window.clock.end

    position, link = next(iter(links(browser, "user:")))
    click(qtbot, browser.viewport(), position)
    assert window.selection.value == Selection(users=frozenset({int(link.removeprefix("user:"))}))


def links(browser: QTextBrowser, kind: str) -> Iterator[tuple[QPoint, str]]:
    """Where links of a kind are, from the top."""
    for y in range(0, browser.viewport().height(), 3):
        for x in range(0, browser.viewport().width(), 3):
            link = browser.anchorAt(QPoint(x, y))
            if link.startswith(kind):
                yield QPoint(x, y), link
