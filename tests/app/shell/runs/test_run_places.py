"""Runs that are renamed, moved, hidden and shown alone, and what undoes that."""

import csv
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QInputDialog
from pytestqt.qtbot import QtBot

from app.export.provenance import Provenance
from app.shell.window import MainWindow
from engine.policy.policy import parse_policy
from tests.app.session.sessions import save_as
from tests.app.shell.hands import CONTROL, Hands
from tests.app.shell.test_context import choose
from tests.app.shell.test_panels import drag_title, order
from tests.app.shell.test_row_menus import right_click
from tests.app.shell.test_undo import offers, redo, runs, simulated, undo
from tests.app.windows import EASY, FAIR_EASY, FAIR_FCFS, FCFS, compared, panel, settle, show_tab
from views.tables.metrics_table import MetricsTable
from views.tables.runs_table import RunsTable

__all__ = ["simulated"]

NAME = "as it is & was"


@pytest.fixture
def window(reopened_window: MainWindow) -> MainWindow:
    """One for all tests of this file."""
    return reopened_window


def menu_of(qtbot: QtBot, window: MainWindow, run: int, *texts: str) -> None:
    """Choose from the menu of a run in the list."""
    choose(qtbot, right_click(qtbot, window.run_list.rows[run].name, QPoint(4, 4)), *texts)
    window.activateWindow()
    settle(window)


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is typed into the next dialogs of names, and which names they offered."""
    names: list[str] = [NAME]

    def ask(*_: object, text: str) -> tuple[str, bool]:
        names.append(text)
        return names.pop(0), True

    monkeypatch.setattr(QInputDialog, "getText", ask)
    return names


def test_a_run_is_renamed_everywhere_and_that_is_undone(
    qtbot: QtBot, window: MainWindow, simulated: list[str], typed: list[str]
) -> None:
    compared(window)
    before = runs(window)
    menu_of(qtbot, window, EASY, "Rename…")
    assert typed == ["easy"]
    named = [(run, NAME if run == EASY else name) for run, name in before]
    assert runs(window) == named
    row = window.run_list.rows[EASY]
    assert row.name.text() == NAME
    assert "easy" in row.name.toolTip()
    assert panel(window, EASY).gantt.title == NAME
    assert NAME in compared(window)
    assert [run.result.name for run in window.workbench.finished()] == [name for _, name in named]
    metrics, table = show_tab(qtbot, window, "Metrics"), show_tab(qtbot, window, "Runs")
    assert isinstance(metrics, MetricsTable)
    assert isinstance(table, RunsTable)
    heads = [metrics.model.headerData(k, Qt.Orientation.Horizontal) for k in range(4)]
    assert any(str(head).startswith(NAME) for head in heads)
    names = [table.model.headerData(k, Qt.Orientation.Vertical) for k in range(4)]
    assert NAME in names
    assert window.explore.runs.itemText(window.explore.runs.findData(EASY)) == NAME
    assert f"Undo the renaming of easy to {NAME}" in offers(window)[0]
    undo(qtbot, window)
    assert runs(window) == before
    assert panel(window, EASY).gantt.title == "easy"
    redo(qtbot, window)
    assert runs(window) == named
    assert not simulated  # for a name alone
    menu_of(qtbot, window, EASY, "Run again")
    assert simulated == ["easy"]
    assert runs(window) == named
    typed[:] = [""]
    menu_of(qtbot, window, EASY, "Rename…")
    assert runs(window) == before


def test_a_name_stays_when_the_policy_is_another_one_and_comes_back_with_a_removed_run(
    qtbot: QtBot, window: MainWindow
) -> None:
    workbench = window.workbench
    workbench.rename_run(EASY, f"  {NAME}\n" + "x" * 100)
    title = dict(runs(window))[EASY]
    assert title.startswith(NAME)
    assert title.endswith("…")
    assert len(title) == 60
    workbench.change_run(EASY, parse_policy("easy:order=saf"))
    settle(window)
    assert dict(runs(window))[EASY] == title
    workbench.remove_run(EASY)
    settle(window)
    undo(qtbot, window)
    assert dict(runs(window))[EASY] == title
    assert panel(window, EASY).gantt.title == title
    for _ in range(2):
        undo(qtbot, window)
    assert dict(runs(window))[EASY] == "easy"


@pytest.mark.parametrize("mouse", [True, False], ids=["mouse", "keys"])
def test_runs_are_moved_in_all_lists_and_that_is_undone(
    qtbot: QtBot, window: MainWindow, simulated: list[str], monkeypatch: pytest.MonkeyPatch, mouse: bool
) -> None:
    names = compared(window)
    if mouse:
        menu_of(qtbot, window, EASY, "Move it up")
    else:
        Hands(qtbot, window, monkeypatch).command("move easy up")
    now = [FCFS, EASY, FAIR_FCFS, FAIR_EASY]
    assert [run for run, _ in runs(window)] == now
    assert list(window.run_list.rows) == now
    xs = [row.x() for row in window.run_list.rows.values()]
    assert xs == sorted(xs)
    assert order(window) == now
    assert compared(window) == [names[0], names[2], names[1], names[3]]
    assert "Undo the move of easy" in offers(window)[0]
    undo(qtbot, window)
    assert list(window.run_list.rows) == order(window) == [FCFS, FAIR_FCFS, EASY, FAIR_EASY]
    assert compared(window) == names
    drag_title(panel(window, FAIR_EASY), panel(window, FCFS))
    settle(window)
    assert list(window.run_list.rows) == [FAIR_EASY, FCFS, FAIR_FCFS, EASY]
    assert not simulated


def test_a_run_hides_or_is_shown_alone_and_that_is_undone(qtbot: QtBot, window: MainWindow) -> None:
    every = order(window)
    menu_of(qtbot, window, FCFS, "Hide its charts")
    assert order(window) == [FAIR_FCFS, EASY, FAIR_EASY]
    menu_of(qtbot, window, FCFS, "Show its charts alone")
    assert order(window) == [FCFS]
    menu_of(qtbot, window, FCFS, "Show its charts alone")
    assert order(window) == every
    undo(qtbot, window)
    assert order(window) == [FCFS]
    undo(qtbot, window)
    assert order(window) == [FAIR_FCFS, EASY, FAIR_EASY]
    menu_of(qtbot, window, FCFS, "Hide its charts")
    assert order(window) == every


def test_names_and_order_are_kept_in_sessions(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workbench, file = window.workbench, tmp_path / "named.batchscope"
    workbench.rename_run(EASY, NAME)
    workbench.move_run(EASY, [EASY, FCFS, FAIR_FCFS, FAIR_EASY])
    settle(window)
    assert window.windowTitle().startswith("*") or window.isWindowModified()
    named = runs(window)
    save_as(qtbot, window, file, monkeypatch)
    for _ in range(2):
        undo(qtbot, window)
    assert runs(window) != named
    save_as(qtbot, window, tmp_path / "other.batchscope", monkeypatch)
    window.open_path(file)
    settle(window)
    assert runs(window) == named
    assert order(window) == [run for run, _ in named]


def test_a_run_is_renamed_and_found_by_keys_and_exports_tell_its_policy(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hands = Hands(qtbot, window, monkeypatch)
    hands.answer("four nodes more")
    hands.command("rename easy")
    assert dict(runs(window))[EASY] == "four nodes more"
    for typed in ("four nodes", "run easy"):
        hands.key(Qt.Key.Key_F, CONTROL)
        hands.words(typed)
        assert window.explore.run_id == EASY
        window.explore.choose(FCFS)
    hands.answer(str(tmp_path / "metrics.csv"))
    hands.command("export table metrics")
    heads = next(csv.reader((tmp_path / "metrics.csv").read_text("utf-8").splitlines()))
    assert "four nodes more = easy" in heads
    results = [run.result for run in window.workbench.finished()]
    about = Provenance(results, None, None, (0.0, 1.0), "fair")
    assert "four nodes more = easy," in about.note(timed=False)
