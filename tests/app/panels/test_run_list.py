import time

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QEnterEvent
from PySide6.QtWidgets import QApplication, QLabel

from app.model.live_run import progress_words
from app.panels.charts.run_grid import lines_of
from app.shell.window import MainWindow
from engine.policy.policy import parse_policy
from engine.simulation.control import ENDED, Control
from tests.app.windows import FAIR_EASY, settle
from views.widgets.elided_label import ElidedLabel
from views.work.executor import Task


def never(_: object) -> None:
    raise AssertionError("must not be called")


def test_how_far_a_run_is_in_words() -> None:
    task = Task("run", never, never, never, control=Control(jobs=100))
    assert progress_words(task) == "waiting for a processor"
    task.began = time.monotonic() - 30
    assert progress_words(task) == "0 %"
    task.control.array[ENDED] = 60
    assert progress_words(task) == "60 %, 20 s left"
    task.control.array[ENDED] = 100
    assert progress_words(task) == "laying out its charts"


def drawn(label: ElidedLabel) -> str:
    """What is seen of a label."""
    return QLabel.text(label)


def test_many_runs_keep_names_and_buttons_in_as_many_lines_as_they_need(window: MainWindow) -> None:
    for policy in ("just", "conservative", "saf-easy", "easy-sjbf"):
        window.workbench.add_run(parse_policy(policy))
    window.resize(1280, 800)
    settle(window)
    rows = list(window.run_list.rows.values())
    assert len({row.y() for row in rows}) == 2
    assert window.run_list.height() >= rows[-1].geometry().bottom()
    assert [drawn(row.name) for row in rows] == [row.name.text() for row in rows]
    for row in rows:
        assert row.edit.isVisible()
        assert row.go.isVisible()
        assert row.remove.isVisible()
        assert row.remove.geometry().right() < row.width()
    window.resize(1900, 800)
    settle(window)
    assert len({row.y() for row in rows}) == 1
    window.workbench.rename_run(FAIR_EASY, "fairshare with backfilling, of the last year")
    settle(window)
    row = window.run_list.rows[FAIR_EASY]
    assert drawn(row.name) == row.name.text()


def test_a_name_longer_than_a_line_is_elided_and_buttons_come_under_the_mouse(window: MainWindow) -> None:
    window.workbench.rename_run(FAIR_EASY, "W" * 60)
    window.resize(900, 700)
    settle(window)
    row = window.run_list.rows[FAIR_EASY]
    begin, _, end = drawn(row.name).partition("…")
    assert begin
    assert row.name.text().startswith(begin)
    assert end
    assert row.name.text().endswith(end)
    assert not row.edit.isVisible()
    assert row.remove.isVisible()
    for kind, there in ((QEvent.Type.Enter, True), (QEvent.Type.Leave, False)):
        at = QPointF(5, 5)
        row.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, there)
        event = QEnterEvent(at, at, at) if there else QEvent(kind)
        QApplication.sendEvent(row, event)
        assert row.edit.isVisible() == row.go.isVisible() == there


def test_lines_hold_what_fits() -> None:
    assert lines_of([], 100) == []
    assert lines_of([40, 40, 40], 100) == [[0, 1], [2]]
    assert lines_of([300, 10, 89], 101) == [[0], [1, 2]]


def test_rows_of_runs_that_stay_are_kept(window: MainWindow) -> None:
    rows = dict(window.run_list.rows)
    window.workbench.add_run(parse_policy("just"))
    settle(window)
    assert {run: window.run_list.rows[run] for run in rows} == rows
    assert len(window.run_list.rows) == len(rows) + 1
    window.workbench.change_run(FAIR_EASY, parse_policy("saf-easy"))
    settle(window)
    assert window.run_list.rows[FAIR_EASY] is rows[FAIR_EASY]
    assert window.run_list.rows[FAIR_EASY].name.text() == "saf-easy"
    window.workbench.remove_run(FAIR_EASY)
    settle(window)
    assert FAIR_EASY not in window.run_list.rows
    assert not rows[FAIR_EASY].isVisible()
