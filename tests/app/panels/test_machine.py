"""The machine of a run: typed, changed by buttons, named wherever the run is, and what does not fit on it."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialogButtonBox, QToolButton
from pytestqt.qtbot import QtBot

from app.panels.policies.machine_field import MachineField
from app.panels.policies.policy_dialog import PolicyDialog
from app.shell.window import MainWindow
from engine.filter import parse_filter
from engine.machine.cluster import Cluster, parse_cluster
from engine.machine.outages import Outages
from engine.policy.policy import parse_policy
from tests.app.windows import (
    EASY,
    FAIR_EASY,
    click,
    compared,
    open_dialog,
    panel,
    schedule_of,
    settle,
    show_tab,
    trace_of,
)
from views.state.filter import Filter

OWN = Cluster(
    tuple(
        replace(group, name=name)
        for group, name in zip(parse_cluster("20x80c505g+48x12c90g").groups, ("big", "small"), strict=True)
    )
)


@pytest.fixture
def window(reopened_window: MainWindow) -> MainWindow:
    """One for all tests of this file."""
    return reopened_window


@pytest.fixture
def field(qtbot: QtBot) -> MachineField:
    field = MachineField(OWN, OWN)
    qtbot.addWidget(field)
    with qtbot.waitExposed(field):
        field.show()
    return field


def press(qtbot: QtBot, button: QToolButton) -> None:
    assert button.isEnabled()
    assert button.toolTip()
    click(qtbot, button)


def test_failures_are_kept_by_the_buttons(qtbot: QtBot, field: MachineField) -> None:
    type_machine(qtbot, field, "4x2c~30d/4h")
    press(qtbot, field.more)
    assert field.line.text() == "5x2c~30d/4h"
    assert field.totals.text().endswith(" · each node fails every 30 d on average, for 4 h")
    type_machine(qtbot, field, "4x2c~log")
    assert field.problem == "cluster 4x2c~log: the log records no failures; spell some like ~30d/4h"


def test_failures_of_the_log_stay_with_its_own_nodes(qtbot: QtBot) -> None:
    outages = Outages(np.array([3]), np.array([10]), np.array([20]))
    field = MachineField(replace(OWN, failures=outages), replace(OWN, failures=outages))
    qtbot.addWidget(field)
    with qtbot.waitExposed(field):
        field.show()
    assert field.totals.text().endswith(" · down as recorded in the log: 1 time")
    press(qtbot, field.larger)
    assert field.line.text() == "20x160c1010g+48x12c90g~log"
    assert field.cluster is not None
    assert field.cluster.failures == outages
    press(qtbot, field.more)
    assert field.line.text() == "22x160c1010g+48x12c90g"
    press(qtbot, field.reset)
    assert field.line.text() == "20x80c505g+48x12c90g~log"


def type_machine(qtbot: QtBot, field: MachineField, text: str) -> None:
    field.line.selectAll()
    qtbot.keyClicks(field.line, text)


def test_buttons_make_more_fewer_and_larger_nodes(qtbot: QtBot, field: MachineField) -> None:
    assert field.totals.text() == "68 nodes · 2\u202f176 processors · 14.1 TiB of RAM"
    press(qtbot, field.more)
    assert field.line.text() == "22x80c505g+48x12c90g"
    press(qtbot, field.larger)
    assert field.line.text() == "22x160c1010g+48x12c90g"
    assert field.totals.text().startswith("70 nodes · 4\u202f096 processors (+88 %)")
    field.group.setCurrentIndex(1)
    press(qtbot, field.fewer)
    press(qtbot, field.smaller)
    assert field.line.text() == "22x160c1010g+44x6c45g"
    assert field.cluster is not None
    assert [group.name for group in field.cluster.groups] == ["big", "small"]
    press(qtbot, field.reset)
    assert field.cluster == OWN
    assert not field.reset.isEnabled()


def test_a_pool_grows_and_shrinks_by_its_processors(qtbot: QtBot) -> None:
    field = MachineField(Cluster.pool(100), Cluster.pool(100))
    qtbot.addWidget(field)
    field.show()
    assert not field.group.isVisible()
    press(qtbot, field.more)
    assert field.line.text() == "110c"
    press(qtbot, field.smaller)
    assert field.totals.text() == "55 processors (−45 %)"
    type_machine(qtbot, field, "1c")
    assert not field.fewer.isEnabled()
    assert not field.smaller.isEnabled()


def test_what_is_typed_is_checked_at_once(qtbot: QtBot, field: MachineField) -> None:
    type_machine(qtbot, field, "20x80")
    assert field.cluster is None
    assert "(did you mean 20x80c?)" in field.problem
    assert field.totals.text() == ""
    assert not field.more.isEnabled()
    qtbot.keyClicks(field.line, "c505g+48x12c90g")
    assert field.cluster == OWN
    assert field.problem == ""
    assert not field.reset.isEnabled()


def test_a_dialog_takes_no_machine_that_is_none_and_none_for_the_log_s_own_schedule(qtbot: QtBot) -> None:
    dialog = PolicyDialog(parse_policy("easy"), OWN, OWN, "Add a run")
    qtbot.addWidget(dialog)
    dialog.show()
    accept = dialog.buttons.button(QDialogButtonBox.StandardButton.Ok)
    type_machine(qtbot, dialog.machine, "many")
    assert not accept.isEnabled()
    assert "cannot read 'many'" in dialog.problem.text()
    dialog.spelling.setFocus()
    dialog.spelling.selectAll()
    qtbot.keyClicks(dialog.spelling, "recorded")
    assert accept.isEnabled()
    assert not dialog.machine.isEnabled()
    dialog.spelling.selectAll()
    qtbot.keyClicks(dialog.spelling, "fcfs")
    assert not accept.isEnabled()
    type_machine(qtbot, dialog.machine, "8c")
    assert accept.isEnabled()
    assert dialog.problem.text() == ""


def edit_machine(qtbot: QtBot, window: MainWindow, run: int, machine: str) -> None:
    """Give a run another machine through its dialog."""
    click(qtbot, window.run_list.rows[run].edit)
    dialog = open_dialog(window)
    assert isinstance(dialog, PolicyDialog)
    type_machine(qtbot, dialog.machine, machine)
    click(qtbot, dialog.buttons.button(QDialogButtonBox.StandardButton.Ok))
    settle(window)


def test_a_run_on_another_machine_says_so_everywhere(qtbot: QtBot, window: MainWindow) -> None:
    edit_machine(qtbot, window, EASY, "4x8c16g+4x4c8g")
    name = "easy on 4x8c16g+4x4c8g"
    assert window.run_list.rows[EASY].name.text() == name
    assert panel(window, EASY).gantt.title == name
    assert compared(window)[2] == name
    assert schedule_of(window, EASY).cluster.cpus == 48
    assert "48 processors" in panel(window, EASY).gantt.summary()
    assert not window.run_list.common.isVisible()
    edit_machine(qtbot, window, EASY, "2x8c16g+2x4c8g")
    assert window.run_list.rows[EASY].name.text() == "easy"


def test_a_long_name_of_a_machine_takes_no_room_from_the_inspector(qtbot: QtBot, window: MainWindow) -> None:
    window.resize(1280, 800)
    before = window.inspector_dock.width()
    for run in (EASY, FAIR_EASY):
        edit_machine(qtbot, window, run, "20x80c517018m+48x12c91832m~3000d/12h")
    for tab in ("Metrics", "Jobs", "Timeline", "Scores", "Distributions"):
        show_tab(qtbot, window, tab)
    window.show_view("difference")
    settle(window)
    assert window.inspector_dock.width() == before
    assert "…" in window.page.views["difference"].second.shown_text


def test_jobs_that_do_not_fit_are_counted_listed_and_left_out_of_all(
    qtbot: QtBot, window: MainWindow
) -> None:
    window.resize(1100, 800)
    edit_machine(qtbot, window, EASY, "8x2c16g")
    trace = trace_of(window)
    refused = (~schedule_of(window, EASY).ran).sum()
    assert 0 < refused < len(trace)
    row = window.run_list.rows[EASY]
    assert row.state.text() == f"done, {refused} refused"
    assert f"Too large for 8x2c16g, {refused} jobs: " in row.state.toolTip()
    assert f">{300 - refused} of 300 jobs<" in window.run_list.common.text()
    assert window.run_list.common.isVisible()
    for each_row in window.run_list.rows.values():  # it leaves room for them
        assert each_row.visibleRegion().boundingRect() == each_row.rect()
    assert {run.result.summary["jobs"] for run in window.workbench.finished()} == {300 - refused}
    window.run_list.common.setFocus()
    qtbot.keyClick(window.run_list.common, Qt.Key.Key_Tab)
    window.run_list.common.linkActivated.emit("#")
    assert len(window.selection.value.jobs) == refused
    window.filter.set(Filter(parse_filter("procs = 1"), hides=True))
    settle(window)
    (measured,) = {run.result.summary["jobs"] for run in window.workbench.finished()}
    assert window.run_list.common.toolTip().startswith(
        f"Compared on {measured} of 300 jobs; {300 - refused - measured} left out by filter or settings, "
        f"{refused} did not run everywhere."
    )
    window.filter.clear()
    edit_machine(qtbot, window, EASY, "8x8c16g")
    assert not window.run_list.common.isVisible()


def test_a_machine_on_which_nothing_fits_is_refused_and_spoils_no_comparison(
    qtbot: QtBot, window: MainWindow
) -> None:
    edit_machine(qtbot, window, EASY, "1c1m")
    why = "none of the 300 jobs fits on this machine, 1c1m"
    assert panel(window, EASY).gantt.message == why
    assert [run.result.run_id for run in window.workbench.finished()] == [1, 2, 4]
    assert {run.result.summary["jobs"] for run in window.workbench.finished()} == {300}
