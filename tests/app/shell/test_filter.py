"""Filters in the window: typed, dimmed, hidden, saved; and metrics without administrators."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QInputDialog, QLineEdit
from pytestqt.qtbot import QtBot

from app.model.settings import load_settings, settings_path
from app.panels.administrators_dialog import AdministratorsDialog
from app.shell.window import MainWindow
from engine.filter import parse_filter
from engine.quantities import Jobs
from engine.schedule.schedule import Schedule
from tests.app.shell.test_views import entry, pick
from tests.app.windows import (
    EASY,
    FCFS,
    colour_of,
    inspected,
    large_jobs,
    open_dialog,
    open_tabs,
    panel,
    plot_of,
    schedule_of,
    seen,
    settle,
    trace_of,
)
from tests.views.context import mouse
from views.gantt.content import GanttContent
from views.plotting.widget import PlotWidget
from views.state.filter import Filter
from views.state.selection import Selection


def type_filter(qtbot: QtBot, window: MainWindow, text: str, end: Qt.Key | None = None) -> QLineEdit:
    """Press `/`, type, and perhaps end with a key."""
    qtbot.keyClick(window.page.chart_set.first or window, Qt.Key.Key_Slash)
    line = window.page.filter_bar.line
    assert line.hasFocus()
    qtbot.keyClicks(line, text)
    if end is not None:
        qtbot.keyClick(line, end)
    settle(window)
    return line


def jobs_measured(window: MainWindow) -> list[int | float | None]:
    return [run.result.summary["jobs"] for run in window.workbench.finished()]


def test_typing_dims_enter_hides_and_clear_shows_all_again(qtbot: QtBot, restored_window: MainWindow) -> None:
    window = restored_window
    gantt, bar = panel(window, EASY).gantt, window.page.filter_bar
    assert not bar.isVisible()
    job = large_jobs(window, EASY)[0]
    trace = trace_of(window)
    user = trace.user.names[trace.user.codes[job]]
    other = next(j for j in large_jobs(window, EASY) if trace.user.codes[j] != trace.user.codes[job])
    before = seen(gantt)
    colours = colour_of(window, EASY, job), colour_of(window, EASY, other)

    type_filter(qtbot, window, f"user = {user}")
    own = int((trace.user.codes == trace.user.codes[job]).sum())
    assert bar.matches_label.text().startswith(f"{own} of 300 jobs · the others are dimmed")
    assert colour_of(window, EASY, job) == colours[0]
    assert colour_of(window, EASY, other) != colours[1]
    assert jobs_measured(window) == [300] * 4  # what is only dimmed still counts

    qtbot.keyClick(bar.line, Qt.Key.Key_Return)
    settle(window)
    assert not bar.line.hasFocus()
    assert bar.isVisible()
    assert bar.hides.isChecked()
    assert jobs_measured(window) == [own] * 4
    plot = seen(gantt, plot_of(gantt))
    background = np.unique(seen(gantt))[-1]
    assert (plot == background).mean() > (before == background).mean() / 2
    assert colours[1] not in (colour_of(window, EASY, other),)
    assert panel(window, EASY).heatmap.summary().startswith(("1 user,", "No job"))

    qtbot.mouseClick(bar.clear, Qt.MouseButton.LeftButton)
    settle(window)
    assert not bar.isVisible()
    assert jobs_measured(window) == [300] * 4
    assert np.array_equal(seen(panel(window, EASY).gantt), before)


def test_where_no_job_is_left_the_charts_say_so(qtbot: QtBot, restored_window: MainWindow) -> None:
    window = restored_window
    open_tabs(window)
    type_filter(qtbot, window, "procs > 5000", Qt.Key.Key_Return)
    found = window.page.views["boxplots"].charts[0].accessibleDescription()
    assert "No job to compare" in found
    assert panel(window, EASY).heatmap.message == "No job matches the filter"
    assert "Strips and overview: all jobs" in window.page.filter_bar.matches_label.toolTip()
    window.show_view("difference")
    settle(window)
    page = window.page.views["difference"]
    assert page.answer.text() == "No job matches the filter."
    assert page.heatmap.message == page.gantt.note == "No job matches the filter"
    plots = {"difference": (page.scatter, page.histogram)}
    for view in ("boxplots", "scatter", "sizes", "hours", "waits", "predictions", "value", "scores"):
        window.show_view(view)
        settle(window)
        shown = window.page.views[view]
        plots[view] = [chart for chart in shown.findChildren(PlotWidget) if chart.isVisible()]
    for view, charts in plots.items():
        assert charts, view
        for chart in charts:
            assert "No job to compare: none matches the filter" in chart.accessibleDescription(), view
    window.show_view("all")


def test_each_chart_says_why_nothing_stands_out(qtbot: QtBot, restored_window: MainWindow) -> None:
    window = restored_window
    charts = panel(window, EASY).gantt, panel(window, EASY).heatmap

    def notes() -> set[str]:
        settle(window)
        return {chart.note for chart in charts}

    window.filter.set(Filter(parse_filter("procs > 5000")))
    assert notes() == {"No job matches the filter"}
    assert not any(strip.note for strip in panel(window, EASY).strips)  # they show the use by all jobs
    user = int(trace_of(window).user.codes[0])
    window.filter.set(Filter(parse_filter(f"user != {trace_of(window).user.names[user]}")))
    assert notes() == {""}
    window.selection.select_user(user)
    assert notes() == {"No selected job matches the filter"}
    window.selection.reset()
    assert notes() == {""}
    window.filter.clear()
    assert notes() == {""}


def test_a_hidden_job_cannot_be_clicked(qtbot: QtBot, restored_window: MainWindow) -> None:
    window = restored_window
    job = large_jobs(window, EASY)[0]
    number = trace_of(window).job_id[job]
    window.filter.set(Filter(parse_filter(f"job != {number}"), hides=True))
    settle(window)
    gantt = panel(window, EASY).gantt
    data = gantt._content.laid_out
    assert data is not None
    assert job not in data.job
    assert len(data.job) == 299


def test_an_unreadable_filter_is_reported_and_changes_nothing(
    qtbot: QtBot, restored_window: MainWindow
) -> None:
    window = restored_window
    bar = window.page.filter_bar
    line = type_filter(qtbot, window, "procs > 1")
    good = window.filter.value
    qtbot.keyClicks(line, " and wiat > 2h")
    assert bar.matches_label.text() == "at character 15: there is no field 'wiat'; did you mean 'wait'?"
    assert window.filter.value == good
    qtbot.keyClick(line, Qt.Key.Key_Return)
    assert line.hasFocus()  # there is something to mend
    line.selectAll()
    qtbot.keyClicks(line, "user = nobody")
    settle(window)
    assert bar.matches_label.text().startswith("none of 300 jobs matches · no user 'nobody'")
    line.clear()
    qtbot.keyClicks(line, " ")
    assert window.filter.value == Filter()


def test_esc_leaves_the_filter_as_it_was(qtbot: QtBot, window: MainWindow) -> None:
    large = Filter(parse_filter("procs > 4"), hides=True)
    window.filter.set(large)
    line = type_filter(qtbot, window, "wait > 1h ")
    assert window.filter.value == Filter(parse_filter("wait > 1h"))
    assert line.offers
    qtbot.keyClick(line, Qt.Key.Key_Escape)
    assert not line.hasFocus()
    assert window.filter.value == large
    assert line.text() == "procs > 4"
    assert window.workbench.edits.count() == 1  # to have typed and left it is no step


def test_words_are_completed(qtbot: QtBot, restored_window: MainWindow) -> None:
    window = restored_window
    line = type_filter(qtbot, window, "que")
    bar = window.page.filter_bar
    assert bar.line.offers == ["queue"]
    qtbot.keyClick(line, Qt.Key.Key_Tab)
    qtbot.keyClicks(line, "= ")
    assert set(bar.line.offers) == {"short", "long"}
    qtbot.keyClick(line, Qt.Key.Key_Down)
    qtbot.keyClick(line, Qt.Key.Key_Down)
    second = bar.line.offers[1]
    qtbot.keyClick(line, Qt.Key.Key_Return)
    assert line.text() == f"queue = {second} "
    assert window.filter.value.expression == parse_filter(f"queue = {second}")
    assert bar.line.offers == ["and", "or"]
    qtbot.mouseClick(
        bar.line.list.viewport(),
        Qt.MouseButton.LeftButton,
        pos=bar.line.list.visualRect(bar.line.list.model().index(1, 0)).center(),
    )
    assert line.text().endswith(" or ")
    qtbot.keyClick(line, Qt.Key.Key_Escape)
    assert not bar.line.list.isVisible()


def test_charts_can_be_zoomed_and_clicked_while_words_are_offered(
    qtbot: QtBot, restored_window: MainWindow
) -> None:
    window = restored_window
    line, handle, gantt = window.page.filter_bar.line, window.windowHandle(), panel(window, EASY).gantt
    type_filter(qtbot, window, "que")
    whole, middle = window.clock.window, gantt.mapTo(window, plot_of(gantt).center())
    QTest.wheelEvent(handle, QPointF(middle), QPoint(0, 120))
    qtbot.waitUntil(lambda: window.clock.window != whole)
    assert line.offers == ["queue"]
    QTest.mouseClick(handle, Qt.MouseButton.LeftButton, pos=middle)
    assert not line.hasFocus()
    assert line.offers == []


def test_metrics_are_of_jobs_that_match_in_any_run_and_the_bar_says_so(
    qtbot: QtBot, restored_window: MainWindow
) -> None:
    window = restored_window
    expression = parse_filter("wait > 1h")
    type_filter(qtbot, window, "wait > 1h", Qt.Key.Key_Return)
    judged = [run.result for run in window.workbench.finished()]
    masks = [expression.mask(Jobs(r.schedule.trace, r.schedule)) for r in judged]
    anywhere = int(np.logical_or.reduce(masks).sum())
    assert jobs_measured(window) == [anywhere] * 4
    assert anywhere > max(int(mask.sum()) for mask in masks[2:])
    assert "Metrics: jobs matching in any run" in window.page.filter_bar.matches_label.text()


def test_strips_show_the_use_of_the_matching_jobs(restored_window: MainWindow) -> None:
    window = restored_window
    strip = panel(window, EASY).cpu
    middle, before = plot_of(strip).center(), seen(strip)
    assert "selected" not in strip.tooltip_at(middle)
    window.filter.set(Filter(parse_filter("procs > 1 and late > 0")))
    settle(window)
    assert "selected" in strip.tooltip_at(middle)
    assert set(np.unique(seen(strip))) - set(np.unique(before))  # a darker part
    window.filter.clear()
    settle(window)
    assert np.array_equal(seen(strip), before)


def test_filters_are_undone_and_redone(qtbot: QtBot, window: MainWindow) -> None:
    type_filter(qtbot, window, "procs > 1", Qt.Key.Key_Return)
    type_filter(qtbot, window, "procs > 2", Qt.Key.Key_Return)
    pick(window, "Edit", "Undo the filter procs > 2")
    assert str(window.filter.value.expression) == "procs > 1"
    assert window.page.filter_bar.line.text() == "procs > 1"
    pick(window, "Edit", "Undo the filter procs > 1")
    assert not window.page.filter_bar.isVisible()
    pick(window, "Edit", "Redo the filter procs > 1")
    assert window.filter.value == Filter(parse_filter("procs > 1"), hides=True)


def test_filters_are_saved_used_and_removed(
    qtbot: QtBot,
    make_window: Callable[..., MainWindow],
    window: MainWindow,
    site: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(QInputDialog, "getText", lambda *_, **__: ("Large & long", True))
    type_filter(qtbot, window, "procs > 1 and runtime > 1h", Qt.Key.Key_Return)
    qtbot.mouseClick(window.page.filter_bar.save, Qt.MouseButton.LeftButton)
    window.close()
    assert load_settings().filters == {"Large & long": "procs > 1 and runtime > 1h"}
    window = make_window(load_settings())
    window.open_path(site)
    settle(window)
    pick(window, "Filter", "Saved filters", "Large  long")
    assert window.filter.value == Filter(parse_filter("procs > 1 and runtime > 1h"), hides=True)
    qtbot.mouseClick(window.page.filter_bar.hides, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(window.page.filter_bar.save, Qt.MouseButton.LeftButton)
    window.filter.clear()
    pick(window, "Filter", "Saved filters", "Large  long")
    assert not window.filter.value.hides  # as it was when it was saved
    pick(window, "Filter", "Remove a saved filter", "Large  long")
    assert window.settings.filters == window.settings.hiding == {}
    assert not entry(
        window, "Filter", "Saved filters", "None yet: save a filter in the filter line"
    ).isEnabled()


def test_charts_of_a_trace_that_is_left_are_not_arranged_without_its_filter(
    reopened_window: MainWindow, module_site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, arranged = reopened_window, list[tuple[Schedule | None, Filter]]()
    gantt = panel(window, EASY).gantt
    window.filter.set(Filter(parse_filter("procs > 1"), hides=True))
    settle(window)
    left = gantt.schedule
    arrange = GanttContent.arrange

    def note(content: GanttContent, filter: Filter) -> None:
        arranged.append((content.schedule, filter))
        arrange(content, filter)

    monkeypatch.setattr(GanttContent, "arrange", note)
    window.open_path(module_site)
    settle(window)
    assert left is not None
    assert all(schedule is not left for schedule, _ in arranged)
    assert gantt.schedule is not None
    assert arranged[-1][1] == window.filter.value == Filter()
    assert seen(gantt).any()


def test_the_selection_becomes_a_filter(restored_window: MainWindow) -> None:
    window = restored_window
    window.selection.select(Selection(users=frozenset({0, 1}), time_range=(100.0, 5000.4)))
    pick(window, "Filter", "Filter by the selection")
    first, second = trace_of(window).user.names[:2]
    assert str(window.filter.value.expression) == (
        f"user in ({first}, {second}) and submit >= 2013-01-01T01:01:40 and submit < 2013-01-01T02:23:20"
    )
    window.selection.clear()
    pick(window, "Filter", "Filter by the selection")
    assert "Nothing is selected" in window.messages.newest.text.text()


def test_administrators_are_left_out_of_metrics_and_it_is_reported(qtbot: QtBot, window: MainWindow) -> None:
    bar, trace = window.page.filter_bar, trace_of(window)
    starts = schedule_of(window, FCFS).start
    pick(window, "Filter", "Metrics without administrators")
    dialog = open_dialog(window)  # nobody is known as one yet
    assert isinstance(dialog, AdministratorsDialog)
    qtbot.keyClicks(dialog.search, "2")
    name = "2"
    (row,) = (r for r in range(dialog.list.count()) if dialog.list.item(r).text() == name)
    assert not dialog.list.item(row).isHidden()
    dialog.list.item(row).setCheckState(Qt.CheckState.Checked)
    dialog.accept()
    settle(window)
    own = int((trace.user.codes == trace.user.names.index(name)).sum())
    assert bar.isVisible()
    assert bar.left_out.label.text() == f"Heatmaps and metrics leave out {own} jobs of 1 administrator: 2"
    assert jobs_measured(window) == [300 - own] * 4
    assert schedule_of(window, FCFS).start is starts  # nothing is simulated anew
    common = window.run_list.common
    assert common.text() == f"{300 - own} of 300 jobs"
    assert common.toolTip() == f"Compared on {300 - own} of 300 jobs; {own} left out by filter or settings"
    window.selection.select_user(trace.user.names.index("2"))
    assert inspected(window).rstrip().endswith("Of all jobs, including those left out of metrics")
    window.filter.set(Filter(parse_filter("user in (2, 3)"), hides=True))
    settle(window)
    assert jobs_measured(window) == [int((trace.user.codes == trace.user.names.index("3")).sum())] * 4
    window.filter.clear()
    qtbot.mouseClick(bar.left_out.button, Qt.MouseButton.LeftButton)
    settle(window)
    assert not bar.isVisible()
    assert jobs_measured(window) == [300] * 4
    assert not common.isVisible()
    assert "metrics leave out" not in inspected(window)
    assert window.settings.administrators == {trace.name: ["2"]}


def test_another_trace_has_no_filter(window: MainWindow) -> None:
    window.filter.set(Filter(parse_filter("procs > 1"), hides=True))
    settle(window)
    window.opener.open_example()
    settle(window)
    assert window.filter.value == Filter()
    assert not window.page.filter_bar.isVisible()
    assert jobs_measured(window) == [len(trace_of(window))] * 4


def test_settings_of_another_kind_are_ignored() -> None:
    path = settings_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    values = {"filters": {"a": 1, "b": "procs > 1"}, "administrators": {"t": ["x", 2], "u": "x"}}
    path.write_text(json.dumps(values), "utf-8")
    kept = load_settings()
    assert kept.filters == {"b": "procs > 1"}
    assert kept.administrators == {"t": ["x"]}


@pytest.mark.parametrize("alone", [True, False], ids=["of a chart", "of all charts"])
def test_a_double_click_on_a_legend_meets_it_where_it_was(
    qtbot: QtBot, window: MainWindow, alone: bool
) -> None:
    window.view.choose(solo=(EASY, "gantt") if alone else None)
    settle(window)
    gantt, bar = panel(window, EASY).gantt, window.page.filter_bar
    owner = gantt if alone else window.page.runs.line
    y = gantt.frame().title.center().y() if alone else owner.height() / 2
    stops = [QPointF(x, y) for x in range(0, owner.width(), 4)]
    position = next(stop for stop in stops if owner.tooltip_at(stop).startswith("user "))
    name = owner.tooltip_at(position).split(":")[0].removeprefix("user ")

    def press(event: QEvent.Type) -> None:
        """On the screen, whatever lies there."""
        there = owner.mapTo(window, position.toPoint())
        widget = window.childAt(there)
        assert widget is not None
        for kind in (event, QEvent.Type.MouseButtonRelease):
            mouse(widget, kind, QPointF(widget.mapFrom(window, there)))

    press(QEvent.Type.MouseButtonPress)
    QApplication.processEvents()
    assert str(window.filter.value.expression) == f"user = {name}"
    assert not bar.isVisible()  # it would move the legend away
    press(QEvent.Type.MouseButtonDblClick)
    settle(window)
    assert window.filter.value.hides
    assert bar.isVisible()
    assert bar.line.text() == f"user = {name}"
    press(QEvent.Type.MouseButtonPress)  # where the legend is now
    assert window.filter.value == Filter()
    assert bar.isVisible()
    settle(window)
    assert not bar.isVisible()


def test_f_fits_what_a_filter_finds_where_nothing_is_selected(qtbot: QtBot, window: MainWindow) -> None:
    trace = trace_of(window)
    window.filter.set(Filter(parse_filter(f"job in ({trace.job_id[100]}, {trace.job_id[110]})")))
    settle(window)
    qtbot.keyClick(panel(window, FCFS).gantt, Qt.Key.Key_F)
    schedule, jobs = schedule_of(window, FCFS), [100, 110]
    first, last = schedule.start[jobs].min(), schedule.end[jobs].max()
    assert window.clock.start < first < last < window.clock.end
    assert window.clock.span < 1.2 * (last - first)
