"""Marks: set by a key, seen on the axis and in a list, kept in sessions and figures, undone."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QInputDialog, QLineEdit, QTableWidget
from pytestqt.qtbot import QtBot

from app.shell.window import MainWindow
from tests.app.session.sessions import save_as
from tests.app.shell.test_undo import offers, redo, undo
from tests.app.windows import (
    FCFS,
    click,
    large_jobs,
    open_tabs,
    panel,
    plot_of,
    schedule_of,
    seen,
    settle,
    show_tab,
    trace_of,
)
from views.data.marks import TimeMark
from views.state.selection import Selection
from views.text.values import duration

MakeWindow = Callable[..., MainWindow]


@pytest.fixture
def window(restored_window: MainWindow) -> MainWindow:
    """The window of the file, for tests that change only what is shown."""
    return restored_window


@pytest.fixture
def named(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names that marks are given, in their order; what is left is proposed by the program."""
    names: list[str] = []

    def answer(*_: object, text: str = "", **__: object) -> tuple[str, bool]:
        return (names.pop(0) if names else text), True

    monkeypatch.setattr(QInputDialog, "getText", answer)
    return names


def marks(window: MainWindow) -> tuple[TimeMark, ...]:
    return window.view.options.marks


def mark(qtbot: QtBot, window: MainWindow) -> TimeMark:
    """Press the key, and the mark that this sets."""
    before = marks(window)
    qtbot.keyClick(window, Qt.Key.Key_K)
    (new,) = [each_mark for each_mark in marks(window) if each_mark not in before]
    return new


def rows(window: MainWindow) -> QTableWidget:
    return window.page.views["marks"].rows


def test_what_is_selected_is_marked_by_a_key(qtbot: QtBot, window: MainWindow, named: list[str]) -> None:
    trace, schedule = trace_of(window), schedule_of(window, FCFS)
    window.selection.select_time_range(50_000, 90_000)
    named.append("maintenance")
    assert mark(qtbot, window) == TimeMark("maintenance", "", 50_000, 90_000)
    job = large_jobs(window, FCFS)[0]
    window.selection.select(Selection(jobs=frozenset({job})))
    number = int(trace.job_id[job])
    submit, end = float(trace.submit[job]), float(schedule.end[job])
    assert mark(qtbot, window) == TimeMark(f"job {number}", "", submit, end, (number,))
    assert mark(qtbot, window).name == f"job {number} (2)"
    window.selection.select(Selection(users=frozenset({2})))
    of_user = mark(qtbot, window)
    assert (of_user.users, of_user.start, of_user.end) == ((trace.user.names[2],), *window.clock.window)
    window.selection.select_instant(70_000)
    assert (mark(qtbot, window).start, len(marks(window))) == (70_000, 5)
    assert [each_mark.start for each_mark in marks(window)] == sorted(
        each_mark.start for each_mark in marks(window)
    )


def test_a_mark_is_on_the_axis_and_in_the_charts_and_a_click_goes_there(
    qtbot: QtBot, window: MainWindow, named: list[str]
) -> None:
    gantt, (axis, *_) = panel(window, FCFS).gantt, window.page.runs.axes
    before = seen(gantt, plot_of(gantt)), seen(axis)
    window.selection.select_instant(100_000)
    named.append("noon")
    mark(qtbot, window)
    window.selection.clear()
    settle(window)
    x = int(gantt.frame().scale.x(100_000)) - plot_of(gantt).left()
    changed = (seen(gantt, plot_of(gantt)) != before[0]).any(axis=0)
    assert np.flatnonzero(changed).tolist() == [x]  # one dotted line
    assert (seen(axis) != before[1]).sum() > 40  # a flag and a name
    window.clock.set_window(90_000, 140_000)
    settle(window)
    frame = axis.frame()
    flag = QPointF(frame.scale.x(100_000) + 2, frame.axis.top() + 3)
    assert axis._tooltip_text(flag).startswith("noon\n")
    click(qtbot, axis, flag)
    assert window.selection.value == Selection(instant=100_000)
    assert sum(window.clock.window) / 2 == pytest.approx(100_000)
    click(qtbot, axis, QPointF(frame.scale.x(120_000), frame.axis.top() + 3))
    assert window.selection.value.instant != 100_000  # elsewhere the axis picks an instant as ever


def test_a_mark_is_in_the_plots_of_the_timeline(qtbot: QtBot, window: MainWindow, named: list[str]) -> None:
    page = show_tab(qtbot, window, "Timeline")
    plot = page.charts[0]  # type: ignore[attr-defined]
    settle(window)
    before = seen(plot)
    window.view.choose(marks=(TimeMark("noon", start=100_000.0, end=100_000.0),))
    settle(window)
    x = int(plot.frame().scale.x(100_000))
    changed = np.flatnonzero((seen(plot) != before).any(axis=0))
    assert changed.tolist() == [x]


def test_the_list_of_marks(qtbot: QtBot, window: MainWindow, named: list[str]) -> None:
    trace = trace_of(window)
    window.selection.select_time_range(150_000, 190_000)
    named.append("late")
    mark(qtbot, window)
    window.selection.select(Selection(users=frozenset({1})))
    window.clock.set_window(20_000, 60_000)
    mark(qtbot, window)
    window.clock.fit()
    open_tabs(window)
    show_tab(qtbot, window, "Marks")
    table = rows(window)
    name = f"user {trace.user.names[1]}"
    assert [table.item(row, 0).text() for row in (0, 1)] == [name, "late"]
    assert table.item(0, 2).text() == name
    # A click goes to a mark; so does Return on its row.
    click(qtbot, table.viewport(), table.visualItemRect(table.item(1, 1)).center())
    assert window.selection.value == Selection(time_range=(150_000, 190_000))
    assert window.clock.start < 150_000 < 190_000 < window.clock.end < 200_000
    qtbot.keyClick(table, Qt.Key.Key_Up)
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert window.selection.value == Selection(users=frozenset({1}))
    assert window.clock.start < 20_000 < 60_000 < window.clock.end < 70_000
    # A note is edited in the table, a mark deleted, and both undone.
    table.setCurrentCell(1, 3)
    qtbot.keyClick(table, Qt.Key.Key_F2)
    editor = table.findChild(QLineEdit)
    assert editor is not None
    qtbot.keyClicks(editor, "power cut")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: marks(window)[1].note == "power cut")
    qtbot.keyClick(table, Qt.Key.Key_Delete)
    assert [each_mark.name for each_mark in marks(window)] == [name]
    assert offers(window)[0] == "Undo the removal of the mark late"
    undo(qtbot, window)
    assert [each_mark.note for each_mark in marks(window)] == ["", "power cut"]
    assert offers(window)[0] == "Undo the change of the mark late"
    undo(qtbot, window)
    undo(qtbot, window)
    assert offers(window)[0] == "Undo the mark late"
    redo(qtbot, window)
    assert [each_mark.name for each_mark in marks(window)] == [name, "late"]


def test_the_gap_between_two_marks_is_reported(qtbot: QtBot, window: MainWindow, named: list[str]) -> None:
    for time, name in ((20_000.0, "begun"), (30_800.0, "ended")):
        window.selection.select_instant(time)
        named.append(name)
        mark(qtbot, window)
    open_tabs(window)
    show_tab(qtbot, window, "Marks")
    table, message = rows(window), window.page.views["marks"].message
    shown = window.clock.window
    for row, keys in ((0, Qt.KeyboardModifier.NoModifier), (1, Qt.KeyboardModifier.ControlModifier)):
        position = table.visualItemRect(table.item(row, 1)).center()
        qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, keys, position)
        shown = window.clock.window if row == 0 else shown
    assert message.text() == f"{duration(10_800)} between begun and ended"
    assert window.clock.window == shown
    click(qtbot, table.viewport(), table.visualItemRect(table.item(1, 1)).center())
    assert message.text() == "2 marks"


def test_marks_are_work_and_come_back_with_the_session(
    qtbot: QtBot,
    make_window: MakeWindow,
    fresh_window: MainWindow,
    site: Path,
    named: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    window = fresh_window
    window.selection.select_time_range(50_000, 90_000)
    named.append("maintenance")
    assert not window.isWindowModified()
    mark(qtbot, window)
    assert window.isWindowModified()
    file = tmp_path / "with marks.batchscope"
    save_as(qtbot, window, file, monkeypatch)
    assert not window.isWindowModified()
    kept = marks(window)
    other = make_window()
    other.open_path(file)
    settle(other)
    assert marks(other) == kept
    assert not other.isWindowModified()
    other.open_path(site)
    settle(other)
    assert not marks(other)  # of another trace
    assert not window.settings.view.marks


def test_figures_have_the_marks(window: MainWindow) -> None:
    from views.catalog import figure_spec
    from views.figures.gantt import gantt_figure
    from views.figures.heatmap import heatmap_figure

    window.view.choose(marks=(TimeMark("maintenance", "", 50_000, 90_000), TimeMark("far", "", 9e8, 9e8)))
    settle(window)
    request = window.page.figure_request()
    assert request is not None
    shown, given = (request.window, request.title), request.options.marks
    for figure in (
        gantt_figure(request.results[:1], *shown, request.gantt, given),
        heatmap_figure(request.results[:1], *shown, request.rows, marks=given),
        figure_spec("timeline").draw(request),
    ):
        words = [text.get_text() for axes in figure.axes for text in axes.texts]
        assert words.count("maintenance") == 1
        assert "far" not in words
        assert {50_000, 90_000} <= {line.get_xdata()[0] for line in figure.axes[0].lines}


def test_names_of_marks_in_figures_do_not_lie_over_one_another(window: MainWindow) -> None:
    from views.figures.gantt import gantt_figure

    close = tuple(
        TimeMark(f"the mark number {k}", "", 50_000.0 + 900 * k, 50_000.0 + 900 * k) for k in range(4)
    )
    request = window.page.figure_request()
    assert request is not None
    figure = gantt_figure(request.results[:1], request.window, marks=close)
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in figure.axes[0].texts if "number" in text.get_text()]
    assert len(boxes) == 4
    assert not any(first.overlaps(second) for k, first in enumerate(boxes) for second in boxes[:k])
