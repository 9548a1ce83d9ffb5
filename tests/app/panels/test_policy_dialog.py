"""The policy editor: the form that the policy's description makes, its spelling, and what it refuses."""

from __future__ import annotations

import re
from html import unescape
from itertools import product
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, QSize, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QDialogButtonBox,
    QFileDialog,
    QLabel,
    QLineEdit,
    QSlider,
    QStyle,
    QStyleOptionSlider,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.panels.number_edit import NumberEdit
from app.panels.policy_dialog import PolicyDialog
from app.panels.policy_field import NUMBER, OTHER, KeyField, rich_help
from app.panels.policy_form import GROUPS
from engine.machine.cluster import Cluster
from engine.policy.keys import KEY, KEYS
from engine.policy.policy import EXAMPLES, PRESETS, parse_policy
from engine.policy.unused_keys import idle_keys
from tests.views.context import drag
from views.theme.theme import LIGHT, apply_theme

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def seen_policies() -> list[str]:
    return []


def make(qtbot: QtBot, spelling: str = "easy", heard: list[str] | None = None) -> PolicyDialog:
    dialog = PolicyDialog(parse_policy(spelling), Cluster.pool(100), Cluster.pool(100), "Add a run")
    qtbot.addWidget(dialog)
    if heard is not None:
        dialog.changed.connect(lambda policy: heard.append(policy.spelling))
    dialog.show()
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    return dialog


def choose(qtbot: QtBot, combo: QComboBox | None, word: str) -> None:
    """Choose by keyboard: from the first entry down."""
    assert combo is not None
    assert combo.isEnabled()
    combo.setFocus()
    qtbot.keyClick(combo, Qt.Key.Key_Home)
    for _ in range(combo.findText(word)):
        qtbot.keyClick(combo, Qt.Key.Key_Down)
    assert combo.currentText() == word


def choose_key(qtbot: QtBot, dialog: PolicyDialog, key: str, word: str) -> None:
    choose(qtbot, dialog.fields[key].choice, word)


def toggle(qtbot: QtBot, field: KeyField) -> None:
    assert field.on is not None
    qtbot.mouseClick(field.on, LEFT, pos=QPoint(8, field.on.height() // 2))


def number_of(field: KeyField, word: str = NUMBER) -> NumberEdit:
    number = field.numbers[word]
    assert number.isVisible()
    return number


def type_over(qtbot: QtBot, box: QWidget, text: str) -> None:
    line = box if isinstance(box, QLineEdit) else box.findChild(QLineEdit)
    assert isinstance(line, QLineEdit)
    line.setFocus()
    line.selectAll()
    qtbot.keyClicks(line, text)


def knob(slider: QSlider) -> QPointF:
    option = QStyleOptionSlider()
    slider.initStyleOption(option)
    rect = slider.style().subControlRect(
        QStyle.ComplexControl.CC_Slider, option, QStyle.SubControl.SC_SliderHandle, slider
    )
    return QPointF(rect.center())


def ok(dialog: PolicyDialog) -> QWidget:
    return dialog.buttons.button(QDialogButtonBox.StandardButton.Ok)


def test_there_is_a_field_for_each_key_in_one_group(qtbot: QtBot) -> None:
    assert set(make(qtbot).fields) == {key.name for key in KEYS}
    placed = [name for column in GROUPS for _, names in column for name in names]
    assert sorted(placed) == sorted(key.name for key in KEYS)


def test_a_field_is_named_in_words(qtbot: QtBot) -> None:
    labels = {label.text() for label in make(qtbot).findChildren(QLabel)}
    assert {"Balance factor", "Half life", "Max user CPUs"} <= labels


@pytest.mark.parametrize("spelling", [*PRESETS, *(text for text, _ in EXAMPLES)])
def test_the_form_says_what_it_is_shown(qtbot: QtBot, spelling: str) -> None:
    policy = parse_policy(spelling)
    dialog = make(qtbot, spelling)
    assert dialog.form.read() == (policy.spelling, policy, "")
    assert dialog.spelling.text() == policy.spelling
    assert {name: field.text() for name, field in dialog.fields.items()} == {
        key.name: policy.spelled(key.name) for key in KEYS
    }


def test_the_spelling_follows_choices(qtbot: QtBot, seen_policies: list[str]) -> None:
    dialog = make(qtbot, heard=seen_policies)
    choose_key(qtbot, dialog, "order", "sjf")
    choose_key(qtbot, dialog, "estimate", "actual")
    assert dialog.spelling.text() == "easy:order=sjf,estimate=actual"
    assert dialog.policy == parse_policy("easy:order=sjf,estimate=actual")
    assert seen_policies == ["easy:order=sjf", "easy:order=sjf,estimate=actual"]


def test_a_slider_is_dragged_and_each_step_is_heard(qtbot: QtBot, seen_policies: list[str]) -> None:
    dialog = make(qtbot, heard=seen_policies)
    depth = number_of(dialog.fields["depth"])
    drag(depth.slider, knob(depth.slider), knob(depth.slider) + QPointF(40, 0))
    found = int(depth.text())
    assert 1 < found < 20
    assert dialog.spelling.text() == f"easy:depth={found}"
    assert seen_policies[-1] == f"easy:depth={found}"
    assert len(seen_policies) == len(set(seen_policies)) > 2
    drag(depth.slider, knob(depth.slider), knob(depth.slider) + QPointF(400, 0))
    assert depth.text() == "20"


def test_box_and_slider_show_one_number_and_the_box_goes_further(qtbot: QtBot) -> None:
    dialog = make(qtbot)
    depth = number_of(dialog.fields["depth"])
    type_over(qtbot, depth.box, "7")
    assert depth.slider.value() == 7
    qtbot.keyClick(depth.slider, Qt.Key.Key_Right)
    assert dialog.spelling.text() == "easy:depth=8"
    type_over(qtbot, depth.box, "900")
    assert dialog.spelling.text() == "easy:depth=900"
    assert depth.slider.value() == depth.slider.maximum() == 20
    type_over(qtbot, depth.box, "0")
    assert dialog.spelling.text() == "easy:depth=0"


def test_an_optional_key_is_switched_on_and_off(qtbot: QtBot) -> None:
    dialog = make(qtbot)
    relaxed = dialog.fields["relaxed"]
    assert not number_of(relaxed).isEnabled()
    toggle(qtbot, relaxed)
    assert dialog.spelling.text() == "easy:relaxed=1"
    type_over(qtbot, number_of(relaxed).box, "0.125")
    assert dialog.spelling.text() == "easy:relaxed=0.125"
    toggle(qtbot, relaxed)
    assert dialog.spelling.text() == "easy"
    toggle(qtbot, relaxed)  # it comes back with its number
    assert dialog.spelling.text() == "easy:relaxed=0.125"


def test_a_switch(qtbot: QtBot) -> None:
    dialog = make(qtbot)
    toggle(qtbot, dialog.fields["gate"])
    assert dialog.spelling.text() == "easy:gate=on"


def test_a_length_of_time_is_typed_or_dragged(qtbot: QtBot) -> None:
    dialog = make(qtbot, "saf-easy")
    threshold = dialog.fields["threshold"]
    toggle(qtbot, threshold)
    type_over(qtbot, number_of(threshold).box, "90m")
    assert dialog.spelling.text() == "saf-easy:threshold=90m"
    type_over(qtbot, number_of(threshold).box, "2 weeks")
    assert "cannot read the duration '2 weeks'" in dialog.problem.text()
    assert dialog.spelling.text() == "saf-easy:threshold=2 weeks"
    assert not ok(dialog).isEnabled()
    qtbot.keyClick(number_of(threshold).slider, Qt.Key.Key_End)
    assert dialog.spelling.text() == "saf-easy:threshold=7d"
    assert ok(dialog).isEnabled()
    qtbot.keyClick(number_of(threshold).slider, Qt.Key.Key_Left)
    assert dialog.spelling.text() == "saf-easy:threshold=167h"
    qtbot.keyClick(number_of(threshold).slider, Qt.Key.Key_Home)
    assert dialog.spelling.text() == "saf-easy:threshold=1"


def test_a_family_of_estimates_shows_its_number(qtbot: QtBot) -> None:
    dialog = make(qtbot)
    estimate = dialog.fields["estimate"]
    assert not any(number.isVisible() for number in estimate.numbers.values())
    choose_key(qtbot, dialog, "estimate", "scaled")
    assert dialog.spelling.text() == "easy:estimate=scaled1.5"
    qtbot.keyClick(number_of(estimate, "scaled").slider, Qt.Key.Key_Left)
    assert dialog.spelling.text() == "easy:estimate=scaled1.45"
    choose_key(qtbot, dialog, "estimate", "survival")
    assert not estimate.numbers["scaled"].isVisible()
    assert dialog.spelling.text() == "easy:estimate=survival2"
    choose_key(qtbot, dialog, "estimate", "requested")
    assert not estimate.numbers["survival"].isVisible()
    assert dialog.spelling.text() == "easy"


def test_free_texts_show_their_syntax_and_are_checked(qtbot: QtBot) -> None:
    dialog = make(qtbot, "easy:order=priority")
    weights = dialog.fields["weights"].free
    assert weights is not None
    assert weights.placeholderText() == KEY["weights"].form
    type_over(qtbot, weights, "size=2;age=1")
    assert dialog.spelling.text() == "easy:order=priority,weights=age=1;size=2"
    assert weights.text() == "size=2;age=1"  # nothing is moved under the person's hands
    type_over(qtbot, weights, "sise=2")
    assert "did you mean 'size'" in dialog.problem.text()
    nodes = dialog.fields["queue_nodes"]
    choose_key(qtbot, dialog, "queue_nodes", OTHER)
    assert nodes.free is not None
    assert nodes.free.isVisible()


def test_a_file_of_shares_is_chosen(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "shares.csv"
    path.write_text("user,share\nalice,2\n", "utf-8")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
    dialog = make(qtbot, "fairshare-easy")
    shares = dialog.fields["shares"]
    choose_key(qtbot, dialog, "shares", OTHER)
    assert not ok(dialog).isEnabled()
    assert "a file of users that ends in .csv" in dialog.problem.text()
    assert shares.browse is not None
    qtbot.mouseClick(shares.browse, LEFT)
    assert dialog.spelling.text() == f"fairshare-easy:shares={path}"
    assert dialog.policy.user_shares == (("alice", 2.0),)


def test_the_form_follows_a_pasted_spelling(qtbot: QtBot, seen_policies: list[str]) -> None:
    dialog = make(qtbot, heard=seen_policies)
    QApplication.clipboard().setText(" fairshare-easy:half_life=2h,estimate=scaled1.23,max_user_jobs=5000 ")
    dialog.spelling.setFocus()
    dialog.spelling.selectAll()
    qtbot.keyClick(dialog.spelling, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert dialog.preset.currentText() == "fairshare-easy"
    assert number_of(dialog.fields["half_life"]).text() == "2h"
    assert number_of(dialog.fields["estimate"], "scaled").text() == "1.23"
    assert number_of(dialog.fields["max_user_jobs"]).text() == "5000"
    assert dialog.fields["penalty"].isEnabled()
    assert seen_policies == ["fairshare-easy:estimate=scaled1.23,half_life=2h,max_user_jobs=5000"]
    dialog.fields["order"].setFocus()  # then it stands there as it is spelled everywhere
    assert dialog.spelling.text() == seen_policies[0]


def test_a_wrong_spelling_says_what_is_right_and_cannot_be_accepted(qtbot: QtBot) -> None:
    dialog = make(qtbot)
    type_over(qtbot, dialog.spelling, "esy")
    assert "did you mean 'easy'" in dialog.problem.text()
    assert not ok(dialog).isEnabled()
    qtbot.keyClick(dialog.spelling, Qt.Key.Key_Return)
    assert dialog.isVisible()
    assert dialog.spelling.text() == "esy"
    assert dialog.policy == parse_policy("easy")


def test_keys_that_contradict_each_other_say_why_and_stay_as_they_are(
    qtbot: QtBot, seen_policies: list[str]
) -> None:
    dialog = make(qtbot, "saf-easy", seen_policies)
    choose_key(qtbot, dialog, "depth", "kept")
    assert "so order=saf comes too late" in dialog.problem.text()
    assert dialog.spelling.text() == "saf-easy:depth=kept"
    assert dialog.fields["order"].text() == "saf"
    assert not ok(dialog).isEnabled()
    assert dialog.policy.depth != "kept"
    choose_key(qtbot, dialog, "order", "fcfs")
    assert not dialog.problem.text()
    assert ok(dialog).isEnabled()
    assert seen_policies[-1] == "saf-easy:order=fcfs,depth=kept"


def test_keys_without_a_use_are_out_of_reach_and_come_back(qtbot: QtBot) -> None:
    dialog = make(qtbot, "fairshare-easy:penalty=cpu,relaxed=0.5")
    choose_key(qtbot, dialog, "order", "fcfs")
    assert not dialog.fields["penalty"].isEnabled()
    assert "no use: order=fcfs does not go by usage" in dialog.fields["penalty"].toolTip()
    assert dialog.spelling.text() == "fairshare-easy:order=fcfs,relaxed=0.5"
    choose_key(qtbot, dialog, "depth", "stop")
    assert not dialog.fields["relaxed"].isEnabled()
    assert dialog.spelling.text() == "fairshare-easy:order=fcfs,depth=stop"
    choose_key(qtbot, dialog, "depth", NUMBER)
    choose_key(qtbot, dialog, "order", "fairshare")
    assert dialog.spelling.text() == "fairshare-easy:relaxed=0.5,penalty=cpu"


def test_what_is_within_reach_never_contradicts_order_and_depth() -> None:
    """But for depth=kept, which has but one order."""
    values = {
        "backfill": "sjf", "gate": "on", "threshold": "1d", "relaxed": "1", "penalty": "cpu",
        "half_life": "2h", "accrue": "end", "weights": "size=1", "max_user_jobs": "3",
        "max_user_cpus": "3", "max_queue_cpus": "3", "pass_every": "30", "test_limit": "9",
        "ties": "longest", "bf": "0.5", "queue_depth": "400", "estimate_once": "on",
    }  # fmt: skip
    for order, depth in product(KEY["order"].words, ("stop", "0", "1", "5", "all", "kept")):
        if depth == "kept" and order != "fcfs":
            continue
        base = parse_policy(f"easy:order={order},depth={depth}")
        idle = idle_keys({key.name: values.get(key.name, base.spelled(key.name)) for key in KEYS})
        base.with_keys(**{name: value for name, value in values.items() if name not in idle})


def test_a_pasted_key_without_a_use_says_why_and_cannot_be_accepted(qtbot: QtBot) -> None:
    dialog = make(qtbot)
    type_over(qtbot, dialog.spelling, "easy:bf=0.5")
    assert dialog.problem.text() == "bf=0.5 has no use: order=fcfs balances nothing"
    assert not ok(dialog).isEnabled()
    assert dialog.form.read() == ("easy", dialog.policy, "")
    type_over(qtbot, dialog.spelling, "easy:order=balanced,bf=0.5")
    assert dialog.form.read() == ("easy:order=balanced,bf=0.5", dialog.policy, "")
    assert ok(dialog).isEnabled()


def test_a_preset_fills_the_form_and_reset_brings_it_back(qtbot: QtBot, seen_policies: list[str]) -> None:
    dialog = make(qtbot, heard=seen_policies)
    assert not dialog.reset.isEnabled()
    choose(qtbot, dialog.preset, "fcfs")
    assert dialog.about.text() == PRESETS["fcfs"][1]
    assert dialog.fields["depth"].text() == "stop"
    choose_key(qtbot, dialog, "order", "saf")
    assert dialog.spelling.text() == "fcfs:order=saf"
    qtbot.mouseClick(dialog.reset, LEFT)
    assert dialog.spelling.text() == "fcfs"
    assert dialog.fields["order"].text() == "fcfs"
    assert not dialog.reset.isEnabled()
    assert seen_policies[-2:] == ["fcfs:order=saf", "fcfs"]
    qtbot.mouseClick(ok(dialog), LEFT)
    assert dialog.result() == 1
    assert dialog.policy == parse_policy("fcfs")


def test_reset_mends_a_wrong_spelling(qtbot: QtBot) -> None:
    dialog = make(qtbot)
    type_over(qtbot, dialog.spelling, "easy:order=nonsense")
    assert dialog.reset.isEnabled()
    qtbot.mouseClick(dialog.reset, LEFT)
    assert (dialog.spelling.text(), dialog.problem.text()) == ("easy", "")


def test_recorded_takes_no_keys(qtbot: QtBot) -> None:
    dialog = make(qtbot, "recorded")
    assert not any(field.isEnabled() for field in dialog.fields.values())
    assert dialog.form.read()[1] == parse_policy("recorded")
    choose(qtbot, dialog.preset, "easy")
    assert dialog.fields["order"].isEnabled()


def test_every_control_is_reached_by_tab_and_enter_accepts(qtbot: QtBot) -> None:
    dialog = make(qtbot, "easy:order=priority,depth=5,threshold=3d,relaxed=1,shares=equal,max_user_jobs=3")
    wanted = {
        part
        for part in dialog.findChildren(QWidget)
        if part.isVisible() and part.isEnabled() and part.focusPolicy() & Qt.FocusPolicy.TabFocus
        and part.focusProxy() is None
    }  # fmt: skip
    assert len(wanted) > 30
    reached: list[QWidget] = []
    assert dialog.focusWidget() is dialog.preset
    while (focus := dialog.focusWidget()) not in reached:
        reached.append(focus)
        qtbot.keyClick(focus, Qt.Key.Key_Tab)
    assert wanted <= {*reached, *(part.focusProxy() for part in reached)}
    fields = [name for part in reached for name, field in dialog.fields.items() if field.isAncestorOf(part)]
    usable = [name for name, field in dialog.fields.items() if field.isEnabled()]
    assert list(dict.fromkeys(fields)) == usable  # as they stand
    box = number_of(dialog.fields["depth"]).box
    type_over(qtbot, box, "6")
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert dialog.result() == 1
    assert dialog.policy.depth == "6"


def test_escape_dismisses(qtbot: QtBot) -> None:
    dialog = make(qtbot)
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert (dialog.isVisible(), dialog.result()) == (False, 0)


def test_the_wheel_does_not_turn_what_it_passes_over(qtbot: QtBot) -> None:
    dialog = make(qtbot)
    combo = dialog.fields["order"].choice
    assert combo is not None
    position = QPointF(combo.rect().center())
    event = QWheelEvent(
        position,
        combo.mapToGlobal(position),
        QPoint(),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(combo, event)
    assert combo.currentText() == "fcfs"
    combo.setFocus()
    QApplication.sendEvent(combo, event)
    assert combo.currentText() != "fcfs"


def test_every_field_has_the_help_of_its_key(qtbot: QtBot) -> None:
    for name, field in make(qtbot).fields.items():
        plain = re.sub("<[^>]*>", "", unescape(field.toolTip()))
        assert plain.startswith(f"{name}: {KEY[name].help.split()[0].strip(':;,')}")


def test_formulas_are_written_as_in_print() -> None:
    assert "<b>sqrt</b> 1 − √((1 − x)(1 − y))" in rich_help(KEY["penalty"])
    assert "2<sup>−usage / mean usage</sup>" in rich_help(KEY["weights"])
    assert "<b>sjf, ljf</b> shortest" in rich_help(KEY["order"])
    assert "from 0 to 1000" in rich_help(KEY["relaxed"])


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_all_of_the_form_is_seen_on_a_screen_of_1280_by_800(qtbot: QtBot, look: None, theme: str) -> None:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    apply_theme(app, theme)  # type: ignore[arg-type]
    dialog = make(qtbot, "easy:order=priority,estimate=scaled1.2,queue_nodes=short@1,threshold=3d,relaxed=1")
    assert dialog.size().boundedTo(QSize(1240, 740)) == dialog.size()
    for name, field in dialog.fields.items():
        seen = field.visibleRegion().boundingRect().size()
        assert seen == field.size(), name
        for part in field.findChildren(QWidget):
            if part.isVisible() and isinstance(part, QComboBox | QLineEdit | QSlider):
                assert part.width() >= min(part.minimumSizeHint().width(), 60), name
    if theme == "light":
        assert dialog.problem.palette().brightText().color().name() == LIGHT.bad


def test_what_comes_to_the_same_policy_is_not_told(qtbot: QtBot, seen_policies: list[str]) -> None:
    dialog = make(qtbot, heard=seen_policies)
    type_over(qtbot, dialog.spelling, "easy:order=fcfs")
    assert dialog.policy == parse_policy("easy")
    assert seen_policies == []


def test_the_policy_is_copied_as_lines_of_a_slurm_conf(qtbot: QtBot) -> None:
    dialog = make(qtbot, "just:pass_every=30")
    qtbot.mouseClick(dialog.copy, LEFT)
    lines = QApplication.clipboard().text().splitlines()
    assert lines[:2] == ["SchedulerType=sched/backfill", "SchedulerParameters=bf_interval=30,bf_resolution=1"]
    assert lines[-2].startswith("# not here: passes look at all jobs")
    assert lines[-1].startswith("# not here: reservations for any time ahead")
