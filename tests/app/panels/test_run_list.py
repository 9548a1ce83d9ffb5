from __future__ import annotations

import time

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QEnterEvent
from PySide6.QtWidgets import QApplication, QLabel

from app.model.live_run import progress_words
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


def test_names_of_many_runs_are_whole_in_a_narrow_strip(window: MainWindow) -> None:
    for policy in ("just", "conservative"):
        window.workbench.add_run(parse_policy(policy))
    window.resize(1280, 800)
    settle(window)
    rows = window.run_list.rows.values()
    assert len({row.y() for row in rows}) == 1
    assert [drawn(row.name) for row in rows] == [row.name.text() for row in rows]
    row = window.run_list.rows[FAIR_EASY]
    assert not row.edit.isVisible()
    assert row.remove.isVisible()
    for kind, there in ((QEvent.Type.Enter, True), (QEvent.Type.Leave, False)):
        at = QPointF(5, 5)
        row.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, there)
        event = QEnterEvent(at, at, at) if there else QEvent(kind)
        QApplication.sendEvent(row, event)
        assert row.edit.isVisible() == row.go.isVisible() == there
    window.workbench.rename_run(FAIR_EASY, "fairshare with backfilling, of the last year")
    settle(window)
    begin, _, end = drawn(row.name).partition("…")
    assert begin
    assert row.name.text().startswith(begin)
    assert end
    assert row.name.text().endswith(end)
