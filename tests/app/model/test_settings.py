import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.model.settings import MOST_RECENT, Settings, load_settings, save_settings, settings_path
from app.model.settings_file import WAIT_MS, SettingsKeeper
from views.data.view_options import ViewOptions


def test_settings_come_back() -> None:
    settings = Settings(theme="dark", view=ViewOptions(columns=1))
    save_settings(settings)
    assert load_settings() == settings


def test_without_a_file_the_defaults_hold() -> None:
    assert load_settings() == Settings()


BROKEN = ["{", "[]", "3", "\x00", '{"layouts":' + "[" * 9000 + "]" * 9000 + "}", '{"state": "\\ud800"}']
"""What no version has written; the last ones ended in errors when they were read, or used."""


@pytest.mark.parametrize("text", [*BROKEN, '{"recent": 3}'])
def test_a_broken_file_is_not_fatal(text: str) -> None:
    path = settings_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    assert load_settings() == Settings()


@pytest.mark.parametrize("text", BROKEN)
def test_a_broken_file_is_set_aside_with_a_word(text: str) -> None:
    path = settings_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    (doubt,) = load_settings().doubts
    assert str(path) in doubt
    assert not path.exists()
    assert path.with_suffix(".broken").read_text("utf-8") == text
    assert load_settings().doubts == ()


@pytest.mark.skipif(os.name != "posix", reason="pipes and devices are those of POSIX")
@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_what_is_no_file_is_set_aside(kind: str) -> None:
    path = settings_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        path.mkdir()
    (doubt,) = load_settings().doubts
    assert "it is not a file" in doubt
    assert not path.is_symlink()
    assert not path.exists()
    save_settings(Settings(theme="dark"))
    assert load_settings() == Settings(theme="dark")


def test_a_huge_file_is_not_read() -> None:
    path = settings_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    os.truncate(path, 1 << 40)
    (doubt,) = load_settings().doubts
    assert "larger than" in doubt


def test_fields_of_another_version_or_type_are_left_out() -> None:
    path = settings_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"theme": "dark", "policies": "two", "unheard_of": 1}), "utf-8")
    assert load_settings() == Settings(theme="dark")


def test_recent_files_are_few_and_each_once(tmp_path) -> None:
    settings = Settings()
    for number in range(MOST_RECENT + 3):
        settings.remember(tmp_path / f"{number}.swf")
    settings.remember(tmp_path / "5.swf")
    assert len(settings.recent) == MOST_RECENT
    assert settings.recent[0].endswith("5.swf")
    assert len(set(settings.recent)) == MOST_RECENT


def test_programs_at_the_same_time_leave_each_other_s_changes_alone() -> None:
    save_settings(Settings(theme="light", filters={"old": "procs > 9", "wide": "procs > 1"}))
    first, second = load_settings(), load_settings()
    first.theme = "dark"
    first.filters = {**first.filters, "long": "runtime > 1h"}
    save_settings(first)
    second.view = ViewOptions(columns=4)
    second.filters = {"wide": second.filters["wide"]}
    second.administrators = {"site": ["3"]}
    save_settings(second)
    assert load_settings() == Settings(
        theme="dark",
        view=ViewOptions(columns=4),
        filters={"wide": "procs > 1", "long": "runtime > 1h"},
        administrators={"site": ["3"]},
    )


def test_settings_that_have_not_changed_are_not_written() -> None:
    settings = load_settings()
    save_settings(settings)
    assert not settings_path().exists()


def test_files_that_another_program_has_opened_stay_among_the_recent_ones(tmp_path: Path) -> None:
    first = Settings()
    first.remember(tmp_path / "old.swf")
    save_settings(first)
    left, right = load_settings(), load_settings()
    left.remember(tmp_path / "x.swf")
    right.remember(tmp_path / "y.swf")
    save_settings(left)
    save_settings(right)
    assert [Path(name).name for name in load_settings().recent] == ["y.swf", "old.swf", "x.swf"]
    forgetful = load_settings()
    forgetful.recent = []
    save_settings(forgetful)
    assert load_settings().recent == []


@pytest.mark.parametrize("text", ["{", "[]", None])
def test_over_a_file_that_is_broken_or_gone_all_is_written(text: str | None) -> None:
    save_settings(Settings(filters={"mine": "procs > 1"}, view=ViewOptions(columns=3)))
    settings = load_settings()
    path = settings_path()
    if text is None:
        path.unlink()
    else:
        path.write_text(text, "utf-8")
    settings.view = replace(settings.view, scatter="x")
    save_settings(settings)
    assert load_settings() == Settings(
        filters={"mine": "procs > 1"}, view=ViewOptions(columns=3, scatter="x")
    )
    assert text is None or path.with_suffix(".broken").read_text("utf-8") == text


@pytest.mark.skipif(os.name != "posix", reason="Windows has no owners of this kind")
def test_a_link_of_the_user_is_followed_and_that_of_another_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Settings in a repository of the user's, to which a link leads."""
    path, kept = settings_path(), tmp_path / "dotfiles" / "batchscope.json"
    path.parent.mkdir(parents=True)
    kept.parent.mkdir()
    kept.write_text("{}", "utf-8")
    path.symlink_to(kept)
    save_settings(Settings(theme="dark"))
    assert path.is_symlink()
    assert json.loads(kept.read_text("utf-8"))["theme"] == "dark"
    assert load_settings().theme == "dark"

    text = kept.read_text("utf-8")
    kept.parent.chmod(0o777)  # anybody may have put the file there
    save_settings(Settings(theme="light"))
    assert "this is a link, which is not followed" in caplog.text
    assert kept.read_text("utf-8") == text


def test_what_could_not_be_written_is_written_at_the_next_occasion(qtbot: QtBot, tmp_path: Path) -> None:
    folder = settings_path().parent
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("in the way")
    settings = load_settings()
    keeper = SettingsKeeper(settings)
    settings.filters = {"mine": "procs > 1"}
    qtbot.wait(3 * WAIT_MS)
    assert folder.is_file()
    folder.unlink()
    keeper.close()
    assert load_settings().filters == {"mine": "procs > 1"}
