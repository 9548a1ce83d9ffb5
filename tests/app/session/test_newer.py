"""Files of a newer version are read as far as they are known, and never written over."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

from app.model.documents.document import FORMAT, Session, Source
from app.model.documents.upgrade import (
    SESSION_STEPS,
    SETTINGS_FORMAT,
    SETTINGS_STEPS,
    upgrade_settings,
    upgrade_view,
)
from app.model.settings import load_settings, save_settings, settings_path
from app.session.archive import read_session, write_session
from app.shell.window import MainWindow
from tests.app.windows import settle


def newer_session(path: Path) -> bytes:
    """A session of the bundled example that a newer version wrote, with something that is not known."""
    write_session(path, Session(source=Source(example=True), share="1/10"))
    with zipfile.ZipFile(path) as archive:
        work = json.loads(archive.read("session.json"))
    with zipfile.ZipFile(path, "w") as archive:
        work |= {"format": FORMAT + 1, "program": "9.1", "newer": "", "tomorrow": [1]}
        archive.writestr("session.json", json.dumps(work))
    return path.read_bytes()


def test_a_newer_session_is_known_for_one(tmp_path: Path) -> None:
    newer_session(tmp_path / "a.batchscope")
    session = read_session(tmp_path / "a.batchscope")
    assert (session.newer, session.share, session.source.example) == ("9.1", "1/10", True)
    write_session(tmp_path / "b.batchscope", session)
    assert read_session(tmp_path / "b.batchscope").newer == "", "what is saved here is of this version"


def test_a_newer_session_opens_and_is_not_written_over(
    make_window: Callable[..., MainWindow], tmp_path: Path
) -> None:
    path = tmp_path / "a.batchscope"
    before = newer_session(path)
    window = make_window()
    window.open_path(path)
    settle(window)
    assert window.workbench.study is not None
    assert any(
        "A newer Batchscope (9.1) wrote a.batchscope" in message.whole for message in window.messages.shown
    )
    assert window.keeper.file is None, "so that Save asks for a name"
    assert path.read_bytes() == before


def test_newer_settings_hold_and_are_not_written_over() -> None:
    text = json.dumps({"format": SETTINGS_FORMAT + 1, "theme": "dark", "tomorrow": {"x": 1}})
    settings_path().parent.mkdir(parents=True)
    settings_path().write_text(text)
    settings = load_settings()
    assert settings.theme == "dark"
    assert "newer Batchscope" in settings.doubts[0]
    settings.theme = "light"
    save_settings(settings)
    assert settings_path().read_text() == text


def test_settings_say_their_format() -> None:
    settings = load_settings()
    settings.theme = "dark"
    save_settings(settings)
    assert json.loads(settings_path().read_text())["format"] == SETTINGS_FORMAT
    assert load_settings().theme == "dark"


def test_steps_have_no_gaps() -> None:
    assert sorted(SESSION_STEPS) == list(range(1, FORMAT))
    assert sorted(SETTINGS_STEPS) == list(range(SETTINGS_FORMAT))


def test_each_step_takes_a_view_to_the_next_format() -> None:
    first = {"baseline": 2, "layout": {"tab": "Users", "docks": {"Selected": {"shown": False}}}}
    second = SESSION_STEPS[1](first)
    assert second["layout"]["options"] == {"tab": "Users", "baseline": 2}
    third = SESSION_STEPS[2](second)
    assert third["layout"]["options"] == {
        "tab": "Users",
        "baseline": 2,
        "tabs_open": True,
        "inspector": False,
    }
    assert upgrade_view(first, 1) == upgrade_view(second, 2) == upgrade_view(third, 3) == third
    assert upgrade_view(first, -5) == third, "whatever a file says"


def test_each_step_takes_settings_to_the_next_format() -> None:
    old = {"theme": "dark", "show_cpu": False, "columns": 2}
    upgraded = SETTINGS_STEPS[0](old)
    assert upgraded["view"]["charts"] == {"cpu": False}
    assert upgrade_settings(old) == upgraded
    assert upgrade_settings(upgraded | {"format": 1}) == upgraded | {"format": 1}
    assert upgrade_settings(old | {"format": -7})["view"] == upgraded["view"]
