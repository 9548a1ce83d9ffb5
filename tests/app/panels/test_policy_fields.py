"""The fields of the policy editor, one a key: how each is set, and when it has no use."""

import re
from html import unescape
from itertools import product
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QSlider, QStyle, QStyleOptionSlider
from pytestqt.qtbot import QtBot

from app.panels.policies.policy_field import NUMBER, OTHER, rich_help
from app.panels.policies.policy_form import COLUMNS
from engine.policy.keys import KEY, KEYS
from engine.policy.names import KeyGroup
from engine.policy.policy import parse_policy
from tests.app.panels.policy_dialogs import LEFT, choose_key, make, number_of, ok, toggle, type_over
from tests.views.context import drag


def knob(slider: QSlider) -> QPointF:
    option = QStyleOptionSlider()
    slider.initStyleOption(option)
    rect = slider.style().subControlRect(
        QStyle.ComplexControl.CC_Slider, option, QStyle.SubControl.SC_SliderHandle, slider
    )
    return QPointF(rect.center())


def test_there_is_a_field_for_each_key_in_one_group(qtbot: QtBot) -> None:
    assert set(make(qtbot).fields) == {key.name for key in KEYS}
    assert sorted(group for column in COLUMNS for group in column) == sorted(KeyGroup)
    assert {key.group for key in KEYS} == set(KeyGroup)


def test_a_field_is_named_in_words(qtbot: QtBot) -> None:
    labels = {label.text() for label in make(qtbot).findChildren(QLabel)}
    assert {"Balance of wait", "Half-life of usage", "CPUs of a user"} <= labels


def test_a_slider_is_dragged_and_each_step_is_heard(qtbot: QtBot) -> None:
    seen_policies: list[str] = []
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
    assert weights.placeholderText() == KEY["weights"].syntax
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
    assert dialog.policy.shares.of_user == (("alice", 2.0),)


def test_keys_without_a_use_are_out_of_reach_and_come_back(qtbot: QtBot) -> None:
    dialog = make(qtbot, "fairshare-easy:penalty=cpu,relaxed=0.5")
    choose_key(qtbot, dialog, "order", "fcfs")
    assert not dialog.fields["penalty"].isEnabled()
    assert "Not used: order=fcfs does not go by usage" in dialog.fields["penalty"].toolTip()
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
        "max_user_cpus": "3", "max_queue_cpus": "3", "power_cap": "40", "pass_every": "30", "test_limit": "9",
        "ties": "longest", "bf": "0.5", "queue_depth": "400", "estimate_once": "on",
    }  # fmt: skip
    for order, depth in product(KEY["order"].words, ("stop", "0", "1", "5", "all", "kept")):
        if depth == "kept" and order != "fcfs":
            continue
        base = parse_policy(f"easy:order={order},depth={depth}")
        unused = base.unused_with(values)
        base.with_keys(**{name: value for name, value in values.items() if name not in unused})


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
    assert "2<sup>−" in rich_help(KEY["weights"])
    assert "<b>sjf, ljf</b> shortest" in rich_help(KEY["order"])
    assert "from 0 to 1000" in rich_help(KEY["relaxed"])
