"""What an admin asks and tries in a day, with a bound on the clicks, keys and words that it takes."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialogButtonBox
from pytestqt.qtbot import QtBot

from app.panels.answer_dialog import AnswerDialog
from app.panels.policies.policy_dialog import PolicyDialog
from app.panels.policies.scale_choice import ScaleDialog
from app.shell.window import MainWindow
from engine.answer.brief import MOST_WORDS
from engine.machine.cluster import Cluster
from tests.app.shell.hands import CONTROL, SHIFT, Hands
from tests.app.shell.test_host_names import hosts_log, open_log
from tests.app.windows import (
    EASY,
    FCFS,
    box_of,
    inspected,
    large_jobs,
    open_dialog,
    panel,
    schedule_of,
    settle,
    trace_of,
)

KEY = Qt.Key
ALT = Qt.KeyboardModifier.AltModifier
BOTH = pytest.mark.parametrize("mouse", [True, False], ids=["mouse", "keys"])

__all__ = ["hosts_log"]


@pytest.fixture
def hands(qtbot: QtBot, module_window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hands]:
    """Hands on the window of the file, whose changes are undone."""
    window = module_window
    window.activateWindow()
    window.setFocus()
    yield Hands(qtbot, window, monkeypatch)
    while window.workbench.edits.canUndo():
        window.workbench.edits.undo()
    window.selection.clear()
    window.explore_dock.hide()
    window.messages.clear()
    settle(window)


@BOTH
def test_an_answer_for_a_user_is_copied_as_a_text(hands: Hands, mouse: bool) -> None:
    window, fcfs = hands.window, schedule_of(hands.window, FCFS)
    job = next(
        each_job for each_job in large_jobs(window, FCFS) if fcfs.start[each_job] > fcfs.submit[each_job]
    )
    if mouse:
        hands.click(panel(window, FCFS).gantt, box_of(window, FCFS, job).center())
        hands.click(window.inspector.answer)
        dialog = open_dialog(window)
        assert isinstance(dialog, AnswerDialog)
        hands.click(dialog.copy)
    else:
        hands.key(KEY.Key_F, CONTROL)
        hands.words(f"job {trace_of(window).job_id[job]}")
        hands.key(KEY.Key_A, CONTROL | SHIFT)
        dialog = open_dialog(window)
        hands.key(KEY.Key_C, ALT)
    text = QGuiApplication.clipboard().text()
    # A user gets a few words; the request, all reasons and the effect of each change are behind "Method".
    assert text.startswith(f"Under fcfs, job {trace_of(window).job_id[job]} waited ")
    assert len(text.split()) <= MOST_WORDS
    assert isinstance(dialog, AnswerDialog)
    whole = dialog.whole.toPlainText()
    assert whole.startswith(f"Job {trace_of(window).job_id[job]} asked for")
    assert "Why it waited" in whole
    assert "What would have helped" in whole
    assert hands.actions <= (3 if mouse else 4)
    dialog.close()


@BOTH
def test_four_nodes_more_and_a_cap_on_walltimes_in_one_place(hands: Hands, mouse: bool) -> None:
    window, study = hands.window, hands.window.workbench.study
    before = trace_of(window).walltime
    cap_s = 3 * 3600
    assert (before > cap_s).any()
    run = study.runs[-1]
    if mouse:
        hands.click(window.run_list.rows[run.id].name)
        for _ in range(4):
            hands.click(window.explore.nodes.more)
        assert hands.actions <= 5
        hands.click(window.explore.scale)
        dialog = open_dialog(window)
        assert isinstance(dialog, ScaleDialog)
        hands.click(dialog.cap)
        hands.words("3h", end=False)
        hands.click(dialog.findChild(QDialogButtonBox).button(QDialogButtonBox.StandardButton.Ok))
    else:
        hands.command("load and requests")
        assert isinstance(open_dialog(window), ScaleDialog)
        hands.key(KEY.Key_W, ALT)
        hands.words("3h")
    settle(window)
    own = window.workbench.study.runs[-1]
    assert (schedule_of(window, own.id).trace.walltime == np.minimum(before, cap_s)).all()
    assert (trace_of(window).walltime == before).all()
    if mouse:
        assert own is not None
        assert isinstance(own.cluster, Cluster)
        assert own.cluster.nodes == window.workbench.study.cluster.nodes + 4
    assert hands.actions <= (9 if mouse else 4)


@BOTH
def test_requests_that_were_what_was_used(hands: Hands, mouse: bool) -> None:
    window, before = hands.window, trace_of(hands.window).walltime
    if mouse:
        hands.click(window.run_list.rows[EASY].name)
        hands.click(window.explore.scale)
        dialog = open_dialog(window)
        assert isinstance(dialog, ScaleDialog)
        dialog.requests.setFocus()
        hands.actions += 1  # it is opened by a click
        hands.key(KEY.Key_Down)
        hands.click(dialog.findChild(QDialogButtonBox).button(QDialogButtonBox.StandardButton.Ok))
    else:
        hands.command("load and requests")
        for _ in range(4):
            hands.key(KEY.Key_Tab)
        hands.key(KEY.Key_Down)
        hands.key(KEY.Key_Return)
    settle(window)
    after = schedule_of(window, window.workbench.study.runs[-1].id).trace.walltime
    assert (after < before).sum() > len(before) / 2
    assert hands.actions <= (5 if mouse else 8)


@BOTH
def test_the_slurm_conf_of_a_site_becomes_a_run(hands: Hands, tmp_path: Path, mouse: bool) -> None:
    conf, window = tmp_path / "slurm.conf", hands.window
    conf.write_text(
        "NodeName=n[1-4] CPUs=8\nPartitionName=all Nodes=ALL\nSchedulerType=sched/backfill\n", "utf-8"
    )
    hands.answer(str(conf))
    if mouse:
        hands.click(window.run_list.add)
        dialog = open_dialog(window)
        assert isinstance(dialog, PolicyDialog)
        hands.click(dialog.site)
    else:
        hands.key(KEY.Key_O, CONTROL)
    settle(window)
    run = window.workbench.study.runs[-1]
    assert run.policy.spelling == f"site:{tmp_path}"
    assert isinstance(run.cluster, Cluster)
    assert run.cluster.nodes == 4
    assert hands.actions <= (3 if mouse else 2)


@pytest.mark.parametrize("named", [False, True], ids=["without slurm.conf", "with slurm.conf"])
def test_a_node_is_asked_for_by_its_host_name(
    qtbot: QtBot,
    make_window: Callable[..., MainWindow],
    hosts_log: Path,
    monkeypatch: pytest.MonkeyPatch,
    named: bool,
) -> None:
    window = make_window()
    hands = Hands(qtbot, window, monkeypatch)
    open_log(window, hosts_log, named)
    hands.key(KEY.Key_F, CONTROL)
    hands.words("c017")
    assert "Node c017" in inspected(window)
    assert hands.actions <= 2


def test_four_nodes_more_in_explore_by_keys_alone(hands: Hands) -> None:
    window = hands.window
    hands.command("explore")
    more = window.explore.nodes.more
    assert window.explore.runs.hasFocus()
    run_id = window.explore.run_id
    assert run_id is not None
    run = window.workbench.study.run(run_id)
    assert run is not None
    before = run.cluster or window.workbench.study.cluster
    assert isinstance(before, Cluster)
    while not more.hasFocus() and hands.actions < 6:
        hands.key(KEY.Key_Tab)
    for _ in range(4):
        hands.key(KEY.Key_Space)
    run = window.workbench.study.run(run_id)
    assert run is not None
    assert isinstance(run.cluster, Cluster)
    assert run.cluster.nodes == before.nodes + 4
    assert hands.actions <= 9
