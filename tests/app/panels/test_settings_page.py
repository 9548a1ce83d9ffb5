"""The settings page: what is changed there counts at once, and the next time."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.model.settings import PRESETS_SHOWN, Settings, load_settings
from app.panels.settings_page import SettingsPage
from app.shell.window import MainWindow
from tests.app.windows import click, open_dialog, seen, settle
from views.theme.palette import contrast
from views.theme.theme import ThemeName


@pytest.fixture
def page(qtbot: QtBot, window: MainWindow) -> SettingsPage:
    qtbot.keyClick(window, Qt.Key.Key_Comma, Qt.KeyboardModifier.ControlModifier)
    page = open_dialog(window)
    assert isinstance(page, SettingsPage)
    return page


def type_policies(page: SettingsPage, text: str) -> None:
    page.policies.setPlainText(text)


def test_policies_of_new_traces_are_chosen(
    qtbot: QtBot, page: SettingsPage, window: MainWindow, site: Path
) -> None:
    assert page.policies.toPlainText().split() == list(PRESETS_SHOWN)
    type_policies(page, "easy\nconservative:estimate=actual\n")
    qtbot.keyClick(page, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: load_settings().policies == ["easy", "conservative:estimate=actual"])
    window.open_path(site)
    settle(window)
    assert [run.result.name for run in window.workbench.finished()] == load_settings().policies


@pytest.mark.parametrize(
    ("text", "complaint"), [("esay", "esay"), ("", "1 to 16"), ("easy\n" * 17, "1 to 16")]
)
def test_what_is_no_policy_is_reported_and_does_not_count(
    page: SettingsPage, window: MainWindow, text: str, complaint: str
) -> None:
    type_policies(page, text)
    assert complaint in page.problem.text()
    assert window.settings.policies == list(PRESETS_SHOWN)
    type_policies(page, "easy")
    assert page.problem.text() == ""


def test_share_and_theme_count_at_once(qtbot: QtBot, page: SettingsPage, window: MainWindow) -> None:
    page.share.selectAll()
    qtbot.keyClicks(page.share, "1/8")
    page.theme.setFocus()
    qtbot.keyClick(page.theme, Qt.Key.Key_Down)
    settle(window)
    assert window.workbench.share == "1/8"
    assert window.theme_name == "dark"
    click(qtbot, page.defaults)
    settle(window)
    assert window.workbench.share == "fair"
    assert window.theme_name == "system"
    assert page.share.text() == "fair"


def test_settings_that_this_version_cannot_read_are_passed_over(
    make_window: Callable[..., MainWindow], site: Path
) -> None:
    window = make_window(Settings(theme="light", policies=["of-the-future", "easy"]))
    window.open_path(site)
    settle(window)
    assert [run.result.name for run in window.workbench.finished()] == ["easy"]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_an_empty_box_is_seen(qtbot: QtBot, make_window: Callable[..., MainWindow], theme: ThemeName) -> None:
    window = make_window(Settings(theme=theme))
    qtbot.keyClick(window, Qt.Key.Key_Comma, Qt.KeyboardModifier.ControlModifier)
    page = open_dialog(window)
    assert isinstance(page, SettingsPage)
    assert not page.fair_starts.isChecked()
    box = seen(page.fair_starts)[:, :16]
    frames = {f"#{int(colour) & 0xFFFFFF:06x}" for colour in box.flat}
    assert max(contrast(frame, window.theme.window) for frame in frames) >= 3
