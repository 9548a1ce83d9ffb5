"""Typing a formula: completion, what is wrong underlined, and a schedule for each text that is a formula."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QDialogButtonBox, QLabel, QScrollArea
from pytestqt.qtbot import QtBot

from app.panels.policies.formula_line import FormulaLine
from app.panels.policies.policy_dialog import PolicyDialog
from app.shell.window import MainWindow
from engine.machine.cluster import Cluster
from engine.policy.policy import parse_policy
from engine.simulation.run import simulate
from tests.app.windows import EASY, schedule_of, settle, trace_of

KEY = Qt.Key


@pytest.fixture
def dialog(qtbot: QtBot) -> PolicyDialog:
    dialog = PolicyDialog(parse_policy("easy:order=score"), Cluster.pool(100), Cluster.pool(100), "Add a run")
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    return dialog


def line_of(dialog: PolicyDialog) -> FormulaLine:
    line = dialog.fields["score"].free
    assert isinstance(line, FormulaLine)
    line.setFocus()
    line.selectAll()
    return line


def test_words_are_offered_and_taken(qtbot: QtBot, dialog: PolicyDialog) -> None:
    line = line_of(dialog)
    qtbot.keyClicks(line, "1 / wal")
    assert line.offers == ["walltime"]
    qtbot.keyClick(line, KEY.Key_Tab)
    assert line.text() == "1 / walltime "
    assert dialog.spelling.text() == "easy:score=1 / walltime"
    assert line.hasFocus()
    qtbot.keyClicks(line, "+ wa")
    assert line.offers == ["wait", "walltime"]
    qtbot.keyClick(line, KEY.Key_Escape)
    assert line.offers == []
    assert dialog.isVisible()
    qtbot.keyClick(line, KEY.Key_Escape)
    assert not dialog.isVisible()


def test_presets_are_offered_first(qtbot: QtBot, dialog: PolicyDialog) -> None:
    line = line_of(dialog)
    qtbot.keyClick(line, KEY.Key_Backspace)
    assert line.offers[:2] == ["(wait / walltime)^3 * procs", "wait / (log2(max(procs, 2)) * walltime)"]
    qtbot.keyClick(line, KEY.Key_Down)
    qtbot.keyClick(line, KEY.Key_Return)
    assert dialog.isVisible()
    assert dialog.spelling.text() == "easy:score=(wait / walltime)^3 * procs"


def test_what_is_wrong_is_reported_and_underlined(qtbot: QtBot, dialog: PolicyDialog) -> None:
    line = line_of(dialog)
    qtbot.keyClicks(line, "wait / 2 + wiat")
    assert line.problem is not None
    assert line.problem.position == 11
    assert "at character 12: nothing is called 'wiat'; did you mean 'wait'?" in dialog.problem.text()
    assert not dialog.buttons.button(QDialogButtonBox.StandardButton.Ok).isEnabled()
    palette = line.palette()
    palette.setColor(QPalette.ColorRole.BrightText, QColor("#d00000"))
    line.setPalette(palette)
    wrong = line.grab().toImage()
    low, high = line.underline()
    text = line.fontMetrics().horizontalAdvance("wait / 2 + ")
    assert low - text == pytest.approx(
        line.fontMetrics().horizontalAdvance("1") / 2, abs=8
    )  # inside the frame
    marked = {
        x
        for x in range(wrong.width())
        for y in range(wrong.height())
        if wrong.pixelColor(x, y).red() > 150 > 100 > wrong.pixelColor(x, y).green()
    }
    assert marked
    assert low - 2 <= min(marked) <= max(marked) <= high + 2
    line.setCursorPosition(13)
    qtbot.keyClick(line, KEY.Key_Delete)  # wiat, wit
    qtbot.keyClick(line, KEY.Key_Delete)
    assert line.problem is not None
    qtbot.keyClick(line, KEY.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(line, "procs")
    assert line.problem is None
    assert line.toolTip() == ""


def test_quotes_stand_where_a_comma_does(qtbot: QtBot, dialog: PolicyDialog) -> None:
    qtbot.keyClicks(line_of(dialog), "max(wait, 60)")
    assert dialog.spelling.text() == 'easy:score="max(wait, 60)"'


def test_charts_follow_each_key_that_makes_a_formula(qtbot: QtBot, window: MainWindow) -> None:
    window.workbench.change_run(EASY, parse_policy("easy:order=score"))
    settle(window)
    window.explore.choose(EASY)
    line = window.explore.fields["score"].free
    assert isinstance(line, FormulaLine)
    window.explore.findChildren(QScrollArea)[0].ensureWidgetVisible(line)
    line.setFocus()
    line.selectAll()
    schedules = 0
    for letter in "(wait / walltime)^3 * procs":
        qtbot.keyClicks(line, letter)
        settle(window)
        if line.problem is not None:
            assert str(line.problem) in window.explore.note.text()
            continue
        policy, found = parse_policy(f"easy:score={line.text()}"), schedule_of(window, EASY)
        assert found.policy.score == policy.score
        assert (found.start == simulate(trace_of(window), found.cluster, policy).start).all()
        schedules += 1
    assert schedules >= 4
    assert found.policy.spelling == "easy:score=(wait / walltime)^3 * procs"


def test_the_seed_does_not_stand_alone_among_values(window: MainWindow) -> None:
    window.explore.choose(EASY)
    window.explore_dock.show()
    settle(window)
    headings = {label.text() for label in window.explore.findChildren(QLabel) if label.isVisible()}
    assert "Random draws" in headings
    assert "Value" not in headings  # no slider of a value has an effect under this policy
