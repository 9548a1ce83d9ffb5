"""Groups of nodes in Gantt charts, folded and unfolded by mouse, keys and menus, and kept."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from pytestqt.qtbot import QtBot

from app.actions.menu_tree import entries
from app.shell.window import MainWindow
from tests.app.actions.test_find import pick
from tests.app.session.sessions import save_as
from tests.app.shell.hands import CONTROL, Hands
from tests.app.shell.test_context import choose, right_click
from tests.app.windows import EASY, FCFS, click, panel, plot_of, schedule_of, settle, trace_of
from views.figures.gantt import gantt_figure
from views.gantt.chart import GanttChart

KEY = Qt.Key


@pytest.fixture
def unfolded(same_window: MainWindow) -> Iterator[MainWindow]:
    """The window of the file, with rows of nodes, none of them folded; so it is left."""
    same_window.view.choose(rows="nodes", folded=())
    settle(same_window)
    yield same_window
    same_window.clock.fit_rows()
    same_window.view.choose(rows="processors", folded=())
    settle(same_window)


def gantt(window: MainWindow, run: int = FCFS) -> GanttChart:
    return panel(window, run).gantt


def label(window: MainWindow, row: float) -> QPointF:
    """A position on the label of the group in whose rows this is."""
    shown = gantt(window).folds._rows()
    assert shown is not None
    return QPointF(gantt(window).frame().gutter.left() + 6, shown[1].y(row))


def rows(window: MainWindow, run: int = FCFS) -> list[tuple[str, float, bool]]:
    """The groups of nodes as they are shown: names, rows, and whether they are folded."""
    settle(window)
    shown = gantt(window, run).folds.rows
    assert shown is not None
    return [(group.name, group.rows, group.folded) for group in shown.groups]


def test_a_click_on_the_label_folds_a_group_in_all_runs_and_unfolds_it(
    qtbot: QtBot, unfolded: MainWindow
) -> None:
    window, chart = unfolded, gantt(unfolded)
    assert rows(window) == [("big", 2, False), ("small", 2, False)]
    picked = window.selection.value
    assert chart.tooltip_at(label(window, 3)) == "small\nClick: fold this group of nodes"
    click(qtbot, chart, label(window, 3))
    assert rows(window) == rows(window, EASY) == [("big", 2, False), ("small", 1, True)]
    assert window.selection.value == picked
    assert "(folded: small)" in chart.accessibleDescription()
    assert window.workbench.edits.undoText() == "the folding of small"
    folded = label(window, 2.5)
    assert chart.tooltip_at(folded + QPointF(40, 0)).endswith("unfold this group of nodes")
    spot = folded.toPoint()
    qtbot.mouseDClick(chart, Qt.MouseButton.LeftButton, pos=spot)
    assert window.clock.window == window.clock.bounds  # nothing else happens
    window.view.choose(folded=("small",))
    settle(window)
    click(qtbot, chart, label(window, 2.5))
    assert rows(window) == [("big", 2, False), ("small", 2, False)]
    window.workbench.edits.undo()
    assert rows(window)[1] == ("small", 1, True)


def test_jobs_of_a_folded_group_are_pointed_at_and_found_on_its_row(
    qtbot: QtBot, unfolded: MainWindow
) -> None:
    window, chart = unfolded, gantt(unfolded)
    window.view.choose(folded=("small",))
    schedule = schedule_of(window, FCFS)
    pieces = schedule.pieces
    own = [pieces["node"][pieces.offset[job] : pieces.offset[job + 1]] for job in range(len(schedule.start))]
    job = next(j for j in np.argsort(-schedule.trace.runtime) if len(own[j]) and (own[j] >= 2).all())
    settle(window)
    frame, shown = chart.frame(), chart.folds._rows()
    data = chart._content.laid_out
    assert shown is not None
    assert data is not None
    top, bottom = data.largest_box(int(job))
    assert 2 <= top < bottom <= 3
    middle = float(schedule.start[job] + schedule.end[job]) / 2
    at = QPointF(frame.scale.x(middle), shown[1].y((top + bottom) / 2))
    assert chart.tooltip_at(at).startswith(f"job {trace_of(window).job_id[job]} ")
    click(qtbot, chart, at)
    assert window.selection.value.jobs == {int(job)}
    window.selection.clear()
    pick(qtbot, window, f"job {trace_of(window).job_id[job]}")
    settle(window)
    assert window.selection.value.jobs == {int(job)}
    assert window.view.options.folded == ("small",)  # its row is large enough to see the job
    low, high = (share * data.rows.total for share in window.clock.rows)
    assert low <= top < bottom <= high


def test_a_node_that_is_looked_for_is_unfolded(qtbot: QtBot, unfolded: MainWindow) -> None:
    unfolded.view.choose(folded=("big", "small"))
    pick(qtbot, unfolded, "small 1")
    assert unfolded.view.options.folded == ("big",)
    assert unfolded.selection.value.nodes == {3}
    shown = gantt(unfolded).folds._rows()
    assert shown is not None
    settle(unfolded)
    low, high = (share * 3 for share in unfolded.clock.rows)
    assert low <= 2 < 3 <= high + 1e-9


def test_a_key_folds_what_the_mouse_or_the_selection_points_at_or_all(
    unfolded: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, hands = unfolded, Hands(qtbot, unfolded, monkeypatch)
    hands.key(KEY.Key_G)
    assert window.view.options.folded == ("big", "small")
    assert rows(window) == [("big", 1, True), ("small", 1, True)]
    hands.key(KEY.Key_G)
    assert window.view.options.folded == ()
    qtbot.mouseMove(gantt(window), label(window, 3).toPoint() + QPointF(200, 0).toPoint())
    hands.key(KEY.Key_G)
    assert window.view.options.folded == ("small",)
    qtbot.mouseMove(window.run_list)
    gantt(window)._pointer.leave()
    window.selection.select_nodes(frozenset({0}), trace_of(window), frozenset())
    hands.key(KEY.Key_G)
    assert window.view.options.folded == ("small", "big")
    hands.key(KEY.Key_Z, CONTROL)
    assert window.view.options.folded == ("small",)
    window.view.choose(rows="users")
    settle(window)
    hands.key(KEY.Key_G)
    assert window.view.options.folded == ("small",)
    assert "Only rows of processors and nodes" in window.messages.newest.text.text()


def test_menus_fold_a_group(qtbot: QtBot, unfolded: MainWindow) -> None:
    window, chart = unfolded, gantt(unfolded)
    menu = right_click(window, chart, QPointF(plot_of(chart).center().x(), label(window, 3).y()))
    choose(qtbot, menu, "Node small", "Fold the nodes small")
    assert rows(window)[1] == ("small", 1, True)
    found = [
        entry for entry in entries(window.menuBar()) if entry.menus == ("View", "Gantt rows", "Folded groups")
    ]
    assert [(match.name, match.action.isChecked()) for match in found[:2]] == [
        ("big", False),
        ("small", True),
    ]
    found[0].action.trigger()
    assert window.view.options.folded == ("small", "big")
    menu = right_click(window, chart, QPointF(plot_of(chart).center().x(), label(window, 0.5).y()))
    choose(qtbot, menu, "Node big", "Unfold the nodes big")
    assert window.view.options.folded == ("small",)
    assert any("Fold nodes" in entry.name for entry in entries(window.menuBar()))


def test_what_is_seen_of_zoomed_rows_stays(unfolded: MainWindow) -> None:
    window = unfolded
    window.clock.set_window(*window.clock.window, (0.25, 0.5))  # the second of four nodes
    gantt(window).folds.toggle("small")
    low, high = (share * 3 for share in window.clock.rows)
    assert (low, high) == (pytest.approx(1), pytest.approx(2))


def test_sessions_and_figures_have_what_is_folded(
    qtbot: QtBot,
    window: MainWindow,
    make_window: Callable[..., MainWindow],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    window.view.choose(rows="nodes", folded=("big",))
    settle(window)
    request = window.page.figure_request()
    assert request is not None
    look = request.gantt
    results = [run.result for run in window.workbench.finished()]
    figure = gantt_figure(results[:1], look=look)
    assert [text.get_text() for text in figure.axes[0].get_yticklabels()] == ["big", "small"]
    assert figure.axes[0].get_ylim() == (3, 0)
    file = tmp_path / "folded.batchscope"
    save_as(qtbot, window, file, monkeypatch)
    again = make_window()
    again.open_path(file)
    settle(again)
    assert again.view.options.folded == ("big",)
    assert rows(again) == [("big", 1, True), ("small", 2, False)]
