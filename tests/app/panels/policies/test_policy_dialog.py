"""The policy editor: its spelling, what it refuses, and how it is left."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QDialogButtonBox,
    QLineEdit,
    QScrollArea,
    QSlider,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.panels.policies.policy_dialog import PolicyDialog
from app.panels.policies.policy_form import COMMON
from engine.machine.cluster import Cluster
from engine.policy.examples import EXAMPLES
from engine.policy.keys import KEYS
from engine.policy.policy import PRESETS, parse_policy
from tests.app.panels.policy_dialogs import LEFT, choose, choose_key, make, number_of, ok, type_over
from views.theme.apply import apply_theme
from views.theme.theme import LIGHT


@pytest.fixture
def seen_policies() -> list[str]:
    return []


@pytest.mark.parametrize("spelling", [*PRESETS, *(text for text, _ in EXAMPLES)])
def test_the_form_says_what_it_is_shown(qtbot: QtBot, spelling: str) -> None:
    policy = parse_policy(spelling)
    dialog = make(qtbot, spelling)
    assert dialog.form.read() == (policy.spelling, policy, "")
    assert dialog.spelling.text() == policy.spelling
    assert {name: field.text() for name, field in dialog.fields.items()} == {
        key.name: policy.format_key(key.name) for key in KEYS
    }


def test_the_spelling_follows_choices(qtbot: QtBot, seen_policies: list[str]) -> None:
    dialog = make(qtbot, heard=seen_policies)
    choose_key(qtbot, dialog, "order", "sjf")
    choose_key(qtbot, dialog, "estimate", "actual")
    assert dialog.spelling.text() == "easy:order=sjf,estimate=actual"
    assert dialog.policy == parse_policy("easy:order=sjf,estimate=actual")
    assert seen_policies == ["easy:order=sjf", "easy:order=sjf,estimate=actual"]


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
    assert dialog.policy.depth == 6


def test_escape_dismisses(qtbot: QtBot) -> None:
    dialog = make(qtbot)
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert (dialog.isVisible(), dialog.result()) == (False, 0)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_all_of_the_form_is_seen_on_a_screen_of_1280_by_800(qtbot: QtBot, look: None, theme: str) -> None:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    apply_theme(app, theme)  # type: ignore[arg-type]
    dialog = make(qtbot, "easy:order=priority,estimate=scaled1.2,queue_nodes=short@1,threshold=3d,relaxed=1")
    assert dialog.width() <= dialog.screen().availableSize().width()
    dialog.resize(1240, 740)
    QApplication.processEvents()
    (area,) = dialog.findChildren(QScrollArea)
    assert not area.horizontalScrollBar().isVisible()
    for name, field in dialog.fields.items():
        area.ensureWidgetVisible(field)  # what finds no room in the height is scrolled
        seen = field.visibleRegion().boundingRect().size()
        assert seen == field.size(), name
        for part in field.findChildren(QWidget):
            if part.isVisible() and isinstance(part, QComboBox | QLineEdit | QSlider):
                assert part.width() >= min(part.minimumSizeHint().width(), 60), name
    if theme == "light":
        assert dialog.problem.palette().brightText().color().name() == LIGHT.bad


def test_a_spelling_of_the_same_policy_is_no_change(qtbot: QtBot, seen_policies: list[str]) -> None:
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


def test_keys_but_the_usual_ones_are_folded_away_until_they_are_wanted(qtbot: QtBot) -> None:
    dialog = PolicyDialog(parse_policy("easy"), Cluster.pool(9), Cluster.pool(9), "Add a run")
    qtbot.addWidget(dialog)
    dialog.show()
    assert {name for name, field in dialog.fields.items() if field.isVisible()} == {*COMMON}
    low = dialog.height()
    qtbot.mouseClick(dialog.form.all_keys, Qt.MouseButton.LeftButton)
    assert all(field.isVisible() for field in dialog.fields.values())
    assert dialog.height() > low
    ok = dialog.buttons.button(QDialogButtonBox.StandardButton.Ok)
    assert dialog.rect().contains(ok.mapTo(dialog, ok.rect().bottomRight()))
    changed = PolicyDialog(parse_policy("easy:max_user_jobs=3"), Cluster.pool(9), Cluster.pool(9), "Edit")
    qtbot.addWidget(changed)
    assert changed.form.all_keys.isChecked(), "what is changed is seen"


def test_the_path_of_a_slurm_conf_is_a_policy_with_its_machine(qtbot: QtBot, tmp_path: Path) -> None:
    file = tmp_path / "slurm.conf"
    file.write_text(
        "ClusterName=site\nSlurmctldHost=head\nNodeName=n[1-4] CPUs=8\n"
        "PartitionName=all Nodes=n[1-4] Default=YES\nSchedulerType=sched/backfill\n"
    )
    dialog = make(qtbot)
    dialog.spelling.setText(str(file))
    dialog.spelling.textEdited.emit(str(file))
    assert dialog.policy == parse_policy(f"site:{tmp_path}")
    assert dialog.machine.cluster == dialog.policy.machine
    assert not dialog.problem.text()
    heard = []
    dialog.site_wanted.connect(lambda: heard.append(dialog.isVisible()))
    qtbot.mouseClick(dialog.site, Qt.MouseButton.LeftButton)
    assert heard == [False]
